package cron

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSchedule_ProtocolVectors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		expr string
		want []string
	}{
		{"0 0 0 * * ? *", []string{"2026-01-16T00:00:00Z", "2026-01-17T00:00:00Z"}},
		{"*/7 * * * * ?", []string{"2026-01-15T10:20:35Z", "2026-01-15T10:20:42Z"}},
		{"0 15 10 L-3 * ?", []string{"2026-01-28T10:15:00Z", "2026-02-25T10:15:00Z"}},
		{"0 15 10 LW * ?", []string{"2026-01-30T10:15:00Z", "2026-02-27T10:15:00Z"}},
		{"0 0 9 1W * ?", []string{"2026-02-02T09:00:00Z", "2026-03-02T09:00:00Z"}},
		{"0 15 10 ? * 6L", []string{"2026-01-30T10:15:00Z", "2026-02-27T10:15:00Z"}},
		{"0 15 10 ? * 2#5", []string{"2026-03-30T10:15:00Z", "2026-06-29T10:15:00Z"}},
		{"0 0 22-2 * * ?", []string{"2026-01-15T22:00:00Z", "2026-01-15T23:00:00Z"}},
		{"0 0 0 29 2 ?", []string{"2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"}},
		{"0 0 1 1 1 ? 2027", []string{"2027-01-01T01:00:00Z"}},
		{"0 0 1 1 1 ? 2020", []string{}},
	} {
		s := mustParse(t, c.expr, Options{})
		require.Equal(t, c.want, show(Upcoming(s, at(t, "2026-01-15T10:20:30Z"), 2), time.UTC), c.expr)
	}
}

// TestSchedule_ClockChanges holds the policies apart, for both dialects.
func TestSchedule_ClockChanges(t *testing.T) {
	t.Parallel()
	const newYork, saoPaulo, lordHowe, apia = "America/New_York", "America/Sao_Paulo", "Australia/Lord_Howe", "Pacific/Apia"
	for _, c := range []struct {
		name, expr, zone string
		dst              DST
		from             string
		want             []string
	}{
		{
			"gap skipped", "0 30 2 * * ?", newYork, DSTXXL, "2026-03-07T12:00:00Z",
			[]string{"2026-03-09T02:30:00-04:00", "2026-03-10T02:30:00-04:00"},
		},
		{
			"gap run once", "0 30 2 * * ?", newYork, DSTRunOnce, "2026-03-07T12:00:00Z",
			[]string{"2026-03-08T03:00:00-04:00", "2026-03-09T02:30:00-04:00"},
		},
		{
			"crontab gap skipped", "30 2 * * *", newYork, DSTXXL, "2026-03-07T12:00:00Z",
			[]string{"2026-03-09T02:30:00-04:00", "2026-03-10T02:30:00-04:00"},
		},
		{
			"crontab gap run once", "30 2 * * *", newYork, DSTRunOnce, "2026-03-07T12:00:00Z",
			[]string{"2026-03-08T03:00:00-04:00", "2026-03-09T02:30:00-04:00"},
		},
		{
			"many in the gap run once", "0 */20 2 * * ?", newYork, DSTRunOnce, "2026-03-08T06:59:59Z",
			[]string{"2026-03-08T03:00:00-04:00", "2026-03-09T02:00:00-04:00"},
		},
		{
			"gap end counted once", "0 0 2,3 * * ?", newYork, DSTRunOnce, "2026-03-08T06:59:59Z",
			[]string{"2026-03-08T03:00:00-04:00", "2026-03-09T02:00:00-04:00"},
		},
		{
			"overlap at the later instant", "0 30 1 * * ?", newYork, DSTXXL, "2026-10-31T12:00:00Z",
			[]string{"2026-11-01T01:30:00-05:00", "2026-11-02T01:30:00-05:00"},
		},
		{
			"overlap run once", "0 30 1 * * ?", newYork, DSTRunOnce, "2026-10-31T12:00:00Z",
			[]string{"2026-11-01T01:30:00-05:00", "2026-11-02T01:30:00-05:00"},
		},
		{
			"first pass is silent", "* * * * * ?", newYork, DSTXXL, "2026-11-01T04:59:58Z",
			[]string{"2026-11-01T00:59:59-04:00", "2026-11-01T01:00:00-05:00"},
		},
		{
			"crontab fires once in an overlap", "30 1 * * *", newYork, DSTXXL, "2026-10-31T12:00:00Z",
			[]string{"2026-11-01T01:30:00-05:00", "2026-11-02T01:30:00-05:00"},
		},
		{
			"midnight missing", "0 0 0 * * ?", saoPaulo, DSTXXL, "2018-11-03T12:00:00Z",
			[]string{"2018-11-05T00:00:00-02:00", "2018-11-06T00:00:00-02:00"},
		},
		{
			"midnight missing, run once", "0 0 0 * * ?", saoPaulo, DSTRunOnce, "2018-11-03T12:00:00Z",
			[]string{"2018-11-04T01:00:00-02:00", "2018-11-05T00:00:00-02:00"},
		},
		{
			"half an hour", "0 15,45 2 * * ?", lordHowe, DSTXXL, "2026-10-03T12:00:00Z",
			[]string{"2026-10-04T02:45:00+11:00", "2026-10-05T02:15:00+11:00"},
		},
		{
			"a day that never was", "0 0 12 30 * ?", apia, DSTXXL, "2011-12-01T00:00:00Z",
			[]string{"2012-01-30T12:00:00+14:00", "2012-03-30T12:00:00+14:00"},
		},
		{
			"a day that never was, run once", "0 0 12 30 * ?", apia, DSTRunOnce, "2011-12-01T00:00:00Z",
			[]string{"2011-12-31T00:00:00+14:00", "2012-01-30T12:00:00+14:00"},
		},
		{
			"weekday in a gap, run once", "0 30 0 28W * ?", "Asia/Amman", DSTRunOnce, "2014-03-01T00:00:00Z",
			[]string{"2014-03-28T01:00:00+03:00", "2014-04-28T00:30:00+03:00"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			loc := zone(t, c.zone)
			s := mustParse(t, c.expr, Options{Location: loc, DST: c.dst})
			require.Equal(t, c.want, show(Upcoming(s, at(t, c.from), 2), loc))
		})
	}
}

func TestSchedule_CrontabDays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, expr, want string }{
		{"either day", "0 9 20 * MON", "2026-01-19T09:00:00Z"},
		{"star and weekday", "0 9 * * 5", "2026-01-16T09:00:00Z"},
		{"date and star", "0 9 20 * *", "2026-01-20T09:00:00Z"},
		{"weekly", "@weekly", "2026-01-18T00:00:00Z"},
		{"sparse beyond robfig's five years", "0 0 29 2 *", "2028-02-29T00:00:00Z"},
		{"spaces around", "  @hourly ", "2026-01-15T11:00:00Z"},
		{"every", "@every 90s", "2026-01-15T10:22:00Z"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := mustParse(t, c.expr, Options{}).Next(at(t, "2026-01-15T10:20:30Z"))
			require.Equal(t, []string{c.want}, show([]time.Time{got}, time.UTC))
		})
	}
	leap := mustParse(t, "0 0 29 2 *", Options{}).Next(at(t, "2096-03-01T00:00:00Z"))
	require.Equal(t, 2104, leap.Year(), "eight years between leap days")
}

func TestSchedule_NextIsStrict(t *testing.T) {
	t.Parallel()
	loc := zone(t, "Asia/Kolkata")
	s := mustParse(t, "0 0 9 * * ?", Options{Location: loc})
	fire := time.Date(2026, 5, 1, 9, 0, 0, 0, loc)
	require.Equal(t, fire, s.Next(fire.Add(-time.Second)))
	require.Equal(t, fire.AddDate(0, 0, 1), s.Next(fire))
	require.Equal(t, fire.AddDate(0, 0, 1), s.Next(fire.Add(999*time.Millisecond)))
	require.Equal(t, fire, s.Next(fire.Add(-time.Millisecond)), "milliseconds are cut off before the search")
	require.Equal(t, time.UTC, s.Next(fire.UTC()).Location(), "the answer is in the argument's location")
}

func TestSchedule_ExtremeInstants(t *testing.T) {
	t.Parallel()
	loc := zone(t, "Europe/Berlin")
	for _, expr := range []string{"* * * * * ?", "0 0 0 15W * ?", "* * * * *"} {
		s := mustParse(t, expr, Options{Location: loc})
		require.Equal(t, 1970, s.Next(time.Time{}).In(loc).Year(), expr)
		require.Equal(t, 1970, s.Next(time.Unix(math.MinInt64, 0)).In(loc).Year(), expr)
		require.True(t, s.Next(time.Date(2127, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero(), expr)
		require.True(t, s.Next(time.Unix(math.MaxInt64, 0)).IsZero(), expr)
	}
}

// common are expressions whose Next must be cheap.
var common = []string{
	"* * * * * ?", "*/5 * * * * ?", "0 * * * * ?", "0 0/5 9-17 ? * MON-FRI", "0 0 0 * * ?",
	"0 15 10 L * ?", "0 15 10 ? * 6#3", "0 0 9 1 1 ?", "*/5 * * * *", "@daily",
}

func TestSchedule_NextDoesNotAllocate(t *testing.T) {
	from := time.Date(2026, 6, 17, 8, 30, 15, 0, time.UTC)
	for _, name := range []string{"UTC", "America/New_York"} {
		for _, expr := range append([]string{"0 0 9 15W * ?", "@every 90s"}, common...) {
			s := mustParse(t, expr, Options{Location: zone(t, name)})
			require.Zero(t, testing.AllocsPerRun(100, func() { s.Next(from) }), "%s in %s", expr, name)
		}
	}
}

func BenchmarkSchedule_Next(b *testing.B) {
	from := time.Date(2026, 6, 17, 8, 30, 15, 0, time.UTC)
	for _, expr := range common {
		s := mustParse(b, expr, Options{Location: zone(b, "America/New_York")})
		b.Run(expr, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.Next(from)
			}
		})
	}
}
