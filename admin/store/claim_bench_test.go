package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/store/storetest"
)

// BenchmarkClaim claims a tick of 2,000 runs, with the reason of each route.
func BenchmarkClaim(b *testing.B) {
	url := storetest.URL(b)
	s := storetest.Open(b, url)
	require.NoError(b, s.KeepPartitions(b.Context()))
	g, err := s.CreateGroup(b.Context(), job.Group{AppName: "app", Title: "App"})
	require.NoError(b, err)
	conn := connect(b, url)
	var jobID int32
	require.NoError(b, conn.QueryRow(b.Context(), `INSERT INTO job (group_id, name, glue_type) VALUES ($1, 'job', 'BEAN') RETURNING id`, g.ID).Scan(&jobID))
	const tick = 2000
	claims := make([]job.Claim, tick)
	for b.Loop() {
		b.StopTimer()
		at := time.Now().UTC().Truncate(time.Millisecond)
		instants := make([]time.Time, tick)
		for i := range instants {
			instants[i] = at
		}
		ids, err := s.NextIDs(b.Context(), instants)
		require.NoError(b, err)
		_, err = conn.Exec(b.Context(), `INSERT INTO run (id, fire_at, due_at, job_id, group_id, cause, state)
			SELECT id, $2, $2, $3, $4, 2, 1 FROM unnest($1::bigint[]) AS n (id)`, ids, at, jobID, g.ID)
		require.NoError(b, err)
		for i, id := range ids {
			claims[i] = job.Claim{
				RunID: id, JobID: jobID, JobVersion: 1, Address: "http://10.20.30.40:9999/",
				Route: &job.Route{Strategy: job.RouteRound, Candidates: 3, Place: 2},
			}
		}
		b.StartTimer()
		won, err := s.Claim(b.Context(), 1, time.Minute, claims)
		require.NoError(b, err)
		require.Len(b, won, tick)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/tick, "µs/run")
}
