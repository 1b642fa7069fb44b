package schedule

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

func TestSkipLate(t *testing.T) {
	t.Parallel()
	instant := func(d time.Duration) *time.Time { at := at(d); return &at }
	// Rows 1, 2, 3 of job 1 were planned for 42, 41 and 40 s ago.
	rows := func(s job.MisfireStrategy, last, next *time.Time) []job.Late {
		late := make([]job.Late, 3)
		for i := range late {
			late[i] = job.Late{
				RunID: int64(i + 1), JobID: 1, FireAt: at(time.Duration(i-42) * time.Second), MisfireStrategy: s,
				CatchUpLimit: 2, LastFire: last, NextFire: next,
			}
		}
		return late
	}
	cases := []struct {
		name string
		late []job.Late
		want []int64
	}{
		{"DO_NOTHING drops all", rows(job.MisfireDoNothing, nil, nil), []int64{1, 2, 3}},
		{"CATCH_UP keeps the newest", rows(job.MisfireCatchUp, nil, nil), []int64{1}},
		{
			"FIRE_ONCE_NOW keeps the newest when nothing comes after it",
			rows(job.MisfireFireOnce, instant(-40*time.Second), instant(time.Minute)),
			[]int64{1, 2},
		},
		{"FIRE_ONCE_NOW of a job that is over", rows(job.MisfireFireOnce, instant(-40*time.Second), nil), []int64{1, 2}},
		{
			"FIRE_ONCE_NOW leaves it to later instants that planning has made up for",
			rows(job.MisfireFireOnce, instant(-10*time.Second), instant(time.Second)),
			[]int64{1, 2, 3},
		},
		{
			"FIRE_ONCE_NOW leaves it to later instants that planning will make up for",
			rows(job.MisfireFireOnce, instant(-40*time.Second), instant(-39*time.Second)),
			[]int64{1, 2, 3},
		},
		{"no rows", nil, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, skipLate(noon, c.late))
		})
	}

	t.Run("each job for itself", func(t *testing.T) {
		t.Parallel()
		late := rows(job.MisfireCatchUp, nil, nil)
		other := rows(job.MisfireDoNothing, nil, nil)
		for i := range other {
			other[i].JobID, other[i].RunID = 2, int64(i+11)
		}
		require.Equal(t, []int64{1, 11, 12, 13}, skipLate(noon, append(late, other...)))
	})
}
