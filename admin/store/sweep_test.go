package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

func sweepRequest() job.SweepRequest {
	return job.SweepRequest{After: 2 * time.Second, MisfireAfter: 30 * time.Second, Limit: 100}
}

// none is a misfire policy that must not be asked.
func none(t *testing.T) func([]job.Late) []int64 {
	return func(late []job.Late) []int64 {
		t.Errorf("asked about %d rows", len(late))
		return nil
	}
}

func TestSweep_FindsLatePlannedRowsOfAnyOwner(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.started(t)
	fires := f.plan(t, 5*time.Second).Fires
	f.age(t, j.ID, -time.Hour)
	res, err := f.store.Sweep(t.Context(), sweepRequest(), none(t))
	require.NoError(t, err)
	require.Empty(t, res.Fires, "nothing is late yet")

	f.age(t, j.ID, time.Hour+12*time.Second)
	f.exec(t, `UPDATE run SET owner = 4711, epoch = 3 WHERE id = $1`, fires[0].RunID)
	f.exec(t, `UPDATE run SET state = 2 WHERE id = $1`, fires[1].RunID)
	res, err = f.store.Sweep(t.Context(), sweepRequest(), none(t))
	require.NoError(t, err)
	require.Len(t, res.Fires, len(fires)-1, "the claimed one is not planned any more")
	require.Equal(t, fires[0].RunID, res.Fires[0].RunID, "the oldest first")
	require.Equal(t, int32(3), res.Fires[0].Epoch)
	require.True(t, res.Fires[0].DueAt.Before(res.Fires[1].DueAt))

	req := sweepRequest()
	req.Limit = 2
	res, err = f.store.Sweep(t.Context(), req, none(t))
	require.NoError(t, err)
	require.Len(t, res.Fires, 2)
}

func TestSweep_LetsTheStrategyDecideAfterAnOutage(t *testing.T) {
	t.Parallel()
	outages := map[string]string{
		"that a heartbeat has ended":      `UPDATE cluster SET outage_ended_at = clock_timestamp()`,
		"that no heartbeat has ended yet": `UPDATE cluster SET last_alive_at = clock_timestamp() - interval '40 s', outage_ended_at = 'epoch'`,
	}
	for name, outage := range outages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			late, other := f.started(t, named(1)), f.started(t, named(2))
			fires := f.plan(t, 5*time.Second).Fires
			manual, err := f.store.Trigger(t.Context(), job.TriggerRequest{JobID: late.ID, Cause: job.CauseManual})
			require.NoError(t, err)
			f.age(t, late.ID, time.Minute)
			f.age(t, other.ID, 15*time.Second)
			f.exec(t, outage)

			var asked []job.Late
			res, err := f.store.Sweep(t.Context(), sweepRequest(), func(rows []job.Late) []int64 {
				asked = rows
				return []int64{rows[0].RunID}
			})

			require.NoError(t, err)
			require.Len(t, asked, f.count(t, `job_id = $1 AND cause = $2`, late.ID, job.CauseSchedule), "the rows of one job, without the manual run")
			for _, row := range asked {
				require.Equal(t, late.ID, row.JobID)
				require.Equal(t, job.MisfireDoNothing, row.MisfireStrategy)
				require.NotNil(t, row.LastFire)
			}
			require.Equal(t, 1, res.Misfired)
			require.Equal(t, 1, f.count(t, `id = $1 AND state = 15 AND outcome = 15 AND reason = 'misfire' AND ended_at IS NOT NULL`, asked[0].RunID))
			require.Len(t, res.Fires, len(fires), "all others and the manual run")
			require.Contains(t, runIDs(res.Fires), manual.RunID)
		})
	}
}

func TestSweep_BackPressureIsNoMisfire(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.started(t)
	fires := f.plan(t, 5*time.Second).Fires
	f.age(t, j.ID, time.Hour)
	f.exec(t, `UPDATE cluster SET outage_ended_at = clock_timestamp() - interval '1 d', last_alive_at = clock_timestamp()`)
	res, err := f.store.Sweep(t.Context(), sweepRequest(), none(t))
	require.NoError(t, err)
	require.Len(t, res.Fires, len(fires))
}

func runIDs(fires []job.Fire) (ids []int64) {
	for _, f := range fires {
		ids = append(ids, f.RunID)
	}
	return ids
}
