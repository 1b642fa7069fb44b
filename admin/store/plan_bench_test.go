package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/store/storetest"
)

// BenchmarkPlanDue plans 6,000 jobs that fire each second, among 100,000, one fire each.
func BenchmarkPlanDue(b *testing.B) {
	url := storetest.URL(b)
	s := storetest.Open(b, url)
	node, err := s.RegisterNode(b.Context(), "bench")
	require.NoError(b, err)
	g, err := s.CreateGroup(b.Context(), job.Group{AppName: "app", Title: "App"})
	require.NoError(b, err)
	conn := connect(b, url)
	_, err = conn.Exec(b.Context(), `INSERT INTO job (group_id, name, glue_type, enabled, next_fire)
		SELECT $1, 'job', 'BEAN', true, date_trunc('second', clock_timestamp()) + CASE WHEN n <= 6000 THEN interval '1 s' ELSE interval '1 d' END
		FROM generate_series(1, 100000) n`, g.ID)
	require.NoError(b, err)
	req := job.PlanRequest{Owner: node, Buckets: 1, Horizon: 12 * time.Hour, Limit: 6000}
	one := func(_ time.Time, due []job.Due) (p job.Plan) {
		for _, d := range due {
			p.Entries = append(p.Entries, entry(d, d.NextFire))
			p.Moves = append(p.Moves, move(d, d.NextFire.Add(time.Second)))
		}
		return p
	}
	for b.Loop() {
		res, err := s.PlanDue(context.Background(), req, one)
		require.NoError(b, err)
		require.Len(b, res.Fires, 6000)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/6000, "µs/fire")
}
