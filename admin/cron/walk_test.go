package cron

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSchedule_NearestWeekdayOddities holds what XXL-JOB's search does where days are
// moved off a weekend.
func TestSchedule_NearestWeekdayOddities(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, expr, from string
		want             []string
	}{
		{
			"the time of day is kept", "0 30 9,16 15W * ?", "2026-04-03T15:20:00Z",
			[]string{"2026-04-15T16:30:00Z", "2026-05-15T09:30:00Z", "2026-05-15T16:30:00Z"},
		},
		{
			"once a day when moved forward", "0 0 9,16 15W * ?", "2026-02-01T00:00:00Z",
			[]string{"2026-02-16T09:00:00Z", "2026-03-16T09:00:00Z", "2026-04-15T09:00:00Z"},
		},
		{
			"not found from the day it was moved to", "0 0 9 15W * ?", "2026-02-16T00:00:00Z",
			[]string{"2026-03-16T09:00:00Z"},
		},
		{
			"a day moved back hides later W days", "0 0 9 5W,20W,LW * ?", "2026-09-01T00:00:00Z",
			[]string{"2026-09-04T09:00:00Z", "2026-10-05T09:00:00Z"},
		},
		{
			"unless a plain day comes first", "0 0 9 5W,9,20W * ?", "2026-09-01T00:00:00Z",
			[]string{"2026-09-04T09:00:00Z", "2026-09-09T09:00:00Z", "2026-09-21T09:00:00Z"},
		},
		{
			"a plain day starts at midnight", "0 0 9,16 10,15W * ?", "2026-04-03T15:20:00Z",
			[]string{"2026-04-10T09:00:00Z", "2026-04-10T16:00:00Z", "2026-04-15T09:00:00Z"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := mustParse(t, c.expr, Options{})
			require.Equal(t, c.want, show(Upcoming(s, at(t, c.from), len(c.want)), time.UTC))
		})
	}
}

// TestSchedule_NearestWeekday compares with the plain meaning of nW, which XXL-JOB's
// search keeps as long as each month has one fire.
func TestSchedule_NearestWeekday(t *testing.T) {
	t.Parallel()
	for day := 1; day <= 31; day++ {
		rule := dayRule{nearDates: 1 << day}
		s := compile(&spec{second: 1, minute: 1, hour: 1 << 9, month: 1<<13 - 2, days: rule, years: allYears()}, time.UTC, DSTXXL)
		from := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
		for m := range 120 {
			first := from.AddDate(0, m, 0)
			if first.AddDate(0, 0, day-1).Month() != first.Month() {
				continue
			}
			want := plainNearest(first, day).Add(9 * time.Hour)
			require.Equal(t, want, s.Next(first), "%dW in %s", day, first.Format("2006-01"))
		}
	}
}

func plainNearest(first time.Time, day int) time.Time {
	exact := first.AddDate(0, 0, day-1)
	for distance := range 3 {
		for _, d := range []time.Time{exact.AddDate(0, 0, -distance), exact.AddDate(0, 0, distance)} {
			if d.Month() == first.Month() && d.Weekday() != time.Saturday && d.Weekday() != time.Sunday {
				return d
			}
		}
	}
	return time.Time{}
}
