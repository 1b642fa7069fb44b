package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

// TestRuns_OfManyJobsByAPartOfTheirName looks for the run of the oldest of many jobs.
func TestRuns_OfManyJobsByAPartOfTheirName(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.exec(t, `INSERT INTO job (id, group_id, name, glue_type) SELECT 1000 + n, $1, 'report ' || n, 'BEAN' FROM generate_series(1, 1500) n`, f.group.ID)
	f.exec(t, `INSERT INTO run (id, fire_at, due_at, job_id, group_id, cause, state)
		SELECT (current_date - date '2024-01-01')::bigint << 39 | n, clock_timestamp(), clock_timestamp(), 1000 + n, $1, 2, 1 FROM unnest(ARRAY[1, 1500]) n`, f.group.ID)
	for query, jobs := range map[string][]int32{
		"report": {2500, 1001}, "REPORT 1": {2500, 1001}, "report 1500": {2500}, "no such": nil,
	} {
		page, err := f.store.Runs(t.Context(), job.RunFilter{Query: query}, job.Paging{})
		require.NoError(t, err)
		var got []int32
		for _, r := range page.Items {
			got = append(got, r.JobID)
		}
		require.Equal(t, jobs, got, query)
		require.Equal(t, len(jobs), page.Total, query)
	}
}
