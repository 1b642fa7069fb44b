package cron

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gluewheel/gluewheel/admin/job"
)

func TestFor_FiresWithinTheTimeOfValidity(t *testing.T) {
	t.Parallel()
	noon := at(t, "2026-01-15T12:00:00Z")
	half := noon.Add(500 * time.Millisecond)
	for _, c := range []struct {
		name        string
		kind        job.ScheduleType
		conf        string
		from, until *time.Time
		want        []string
	}{
		{"both ends are inside", job.ScheduleCron, "0 0 * * * ?", &noon, new(noon.Add(2 * time.Hour)), []string{
			"2026-01-15T12:00:00Z", "2026-01-15T13:00:00Z", "2026-01-15T14:00:00Z",
		}},
		{"not yet", job.ScheduleCron, "0 0 * * * ?", &half, new(noon.Add(time.Hour)), []string{"2026-01-15T13:00:00Z"}},
		{"a rate counts from the beginning", job.ScheduleFixRate, "60", &noon, new(noon.Add(2 * time.Minute)), []string{
			"2026-01-15T12:01:00Z", "2026-01-15T12:02:00Z",
		}},
		{"never inside", job.ScheduleCron, "0 30 * * * ?", &noon, &noon, []string{}},
		{"once, before", job.ScheduleOnce, "2026-01-15T11:59:59Z", &noon, nil, []string{}},
		{"once, at the end", job.ScheduleOnce, "2026-01-15T12:00:00Z", nil, &noon, []string{"2026-01-15T12:00:00Z"}},
		{"once, after", job.ScheduleOnce, "2026-01-15T12:00:01Z", nil, &noon, []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, err := For(job.Timing{Type: c.kind, Conf: c.conf, ValidFrom: c.from, ValidUntil: c.until}, nil)
			require.NoError(t, err)
			require.Equal(t, c.want, show(Upcoming(s, noon.Add(-24*time.Hour), 10), time.UTC))
		})
	}
}

// Validity takes instants away from an expression's, and changes nothing else.
func TestFor_ValidityOnlyTakesAway(t *testing.T) {
	t.Parallel()
	start := at(t, "2026-03-28T00:00:00Z") // a day before Berlin's clocks go forward
	rapid.Check(t, func(t *rapid.T) {
		moment := func(name string) time.Time {
			return start.Add(time.Duration(rapid.Int64Range(0, int64(48*time.Hour)).Draw(t, name)))
		}
		timing := job.Timing{
			Type: job.ScheduleCron, Conf: rapid.SampledFrom([]string{"0 */10 * * * ?", "0 30 2 * * ?", "*/7 * 1-3 * * ?"}).Draw(t, "conf"),
			Zone: "Europe/Berlin", DST: rapid.SampledFrom(job.DSTPolicies()).Draw(t, "dst"),
		}
		whole, err := For(timing, nil)
		require.NoError(t, err)
		timing.ValidFrom, timing.ValidUntil = new(moment("from")), new(moment("until"))
		cut, err := For(timing, nil)
		require.NoError(t, err)

		at := moment("at")
		want := whole.Next(at)
		for !want.IsZero() && want.Before(*timing.ValidFrom) {
			want = whole.Next(want)
		}
		if want.After(*timing.ValidUntil) {
			want = time.Time{}
		}
		require.Equal(t, want, cut.Next(at))
	})
}
