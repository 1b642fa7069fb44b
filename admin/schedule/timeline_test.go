package schedule

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gluewheel/gluewheel/admin/cron"
	"github.com/gluewheel/gluewheel/admin/job"
)

func TestTimeline_LastAgreesWithWalking(t *testing.T) {
	t.Parallel()
	confs := []job.Due{
		due(job.ScheduleCron, "* * * * * ?", 0), due(job.ScheduleCron, "*/7 * 3-4 * * ?", 0),
		due(job.ScheduleCron, "0 30 1 * * ?", 0), due(job.ScheduleCron, "*/20 * * * *", 0),
		due(job.ScheduleCron, "@every 7s", 0), due(job.ScheduleFixRate, "11", 0),
	}
	newYork, err := time.LoadLocation("America/New_York")
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom(confs).Draw(t, "schedule")
		schedule, err := cron.For(job.Timing{Type: d.ScheduleType, Conf: d.ScheduleConf}, newYork)
		require.NoError(t, err)
		// Around the day on which clocks go back.
		start := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(rapid.IntRange(0, 12*3600).Draw(t, "start")) * time.Second)
		l := timeline{schedule: schedule, first: schedule.Next(start).UTC(), fixed: fixed(&d)}
		if rapid.Bool().Draw(t, "bounded") {
			l.until = new(l.first.Add(time.Duration(rapid.IntRange(0, 3*3600).Draw(t, "until")) * time.Second))
		}
		end := l.first.Add(time.Duration(rapid.IntRange(1, 3*3600).Draw(t, "end")) * time.Second)

		instants, following := l.before(end)
		if len(instants) == maxCounted {
			t.Skip("not walked to its end")
		}
		require.Equal(t, instants[len(instants)-1], l.last(end))
		if following.IsZero() {
			require.NotNil(t, l.until)
		} else {
			require.False(t, following.Before(end))
		}
		n := min(5, len(instants))
		require.Equal(t, instants[len(instants)-n:], l.newest(n, end))
	})
}
