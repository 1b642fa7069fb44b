package schedule

import (
	"fmt"
	"testing"
	"time"

	robfig "github.com/robfig/cron/v3"
	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/cron"
	"github.com/gluewheel/gluewheel/admin/job"
)

// noon is the present of these tests.
var noon = time.Date(2026, 3, 5, 12, 0, 0, 0, time.UTC)

func at(offset time.Duration) time.Time { return noon.Add(offset) }

func newPlanner() *planner {
	return &planner{
		schedules: parsed{parse: cron.For, zone: time.UTC, limit: 100},
		horizon:   5 * time.Second,
		limit:     6000,
	}
}

// due is a job whose next fire is at an offset from noon.
func due(kind job.ScheduleType, conf string, next time.Duration, edit ...func(*job.Due)) job.Due {
	d := job.Due{
		ID: 1, GroupID: 2, ScheduleType: kind, ScheduleConf: conf, MisfireStrategy: job.MisfireDoNothing,
		CatchUpLimit: 3, RouteStrategy: job.RouteFirst, RetryCount: 1, NextFire: at(next), Version: 7,
	}
	for _, e := range edit {
		e(&d)
	}
	return d
}

func strategy(s job.MisfireStrategy) func(*job.Due) {
	return func(d *job.Due) { d.MisfireStrategy = s }
}

func until(end time.Duration) func(*job.Due) {
	return func(d *job.Due) { d.ValidUntil = new(at(end)) }
}

// line is an entry as a test writes it down: its instant and when it is due, in seconds
// from noon.
func line(e job.Entry) string {
	switch {
	case e.RangeTo != nil:
		return fmt.Sprintf("skip %v..%v n=%d", e.FireAt.Sub(noon), e.RangeTo.Sub(noon), e.RangeCount)
	case e.State == job.Misfired:
		return fmt.Sprintf("skip %v", e.FireAt.Sub(noon))
	case e.Cause == job.CauseMisfire:
		return fmt.Sprintf("make up %v at %v", e.FireAt.Sub(noon), e.DueAt.Sub(noon))
	default:
		return fmt.Sprintf("fire %v at %v", e.FireAt.Sub(noon), e.DueAt.Sub(noon))
	}
}

func lines(entries []job.Entry) (out []string) {
	for _, e := range entries {
		out = append(out, line(e))
	}
	return out
}

func TestPlanner_Plan(t *testing.T) {
	t.Parallel()
	s := time.Second
	cases := []struct {
		name string
		due  job.Due
		want []string
		next time.Duration
		last time.Duration
	}{
		{
			"all instants inside the window in one pass", due(job.ScheduleFixRate, "2", 1*s),
			[]string{"fire 1s at 1s", "fire 3s at 3s", "fire 5s at 5s"},
			7 * s, 5 * s,
		},
		{
			"one instant of a rare cron", due(job.ScheduleCron, "0 0 12 * * ?", 0),
			[]string{"fire 0s at 0s"},
			24 * time.Hour, 0,
		},
		{
			"late by five seconds at most: each fires", due(job.ScheduleFixRate, "2", -5*s),
			[]string{"fire -5s at -5s", "fire -3s at -3s", "fire -1s at -1s", "fire 1s at 1s", "fire 3s at 3s", "fire 5s at 5s"},
			7 * s, 5 * s,
		},
		{
			"DO_NOTHING skips what is later than that", due(job.ScheduleFixRate, "4", -14*s),
			[]string{"skip -14s", "skip -10s", "skip -6s", "fire -2s at -2s", "fire 2s at 2s"},
			6 * s, 2 * s,
		},
		{
			"an unknown strategy does nothing", due(job.ScheduleFixRate, "10", -6*s, strategy("WHAT")),
			[]string{"skip -6s", "fire 4s at 4s"},
			14 * s, 4 * s,
		},
		{
			"FIRE_ONCE_NOW makes up for the newest", due(job.ScheduleFixRate, "4", -14*s, strategy(job.MisfireFireOnce)),
			[]string{"skip -14s", "skip -10s", "make up -6s at 0s", "fire -2s at -2s", "fire 2s at 2s"},
			6 * s, 2 * s,
		},
		{
			"FIRE_ONCE_NOW of a cron", due(job.ScheduleCron, "0 0 10 * * ?", -26*time.Hour, strategy(job.MisfireFireOnce)),
			[]string{"skip -26h0m0s", "make up -2h0m0s at 0s"},
			22 * time.Hour, -2 * time.Hour,
		},
		{
			"CATCH_UP below its limit makes up for all", due(job.ScheduleFixRate, "10", -26*s, strategy(job.MisfireCatchUp)),
			[]string{"make up -26s at 0s", "make up -16s at 0s", "make up -6s at 0s", "fire 4s at 4s"},
			14 * s, 4 * s,
		},
		{
			"CATCH_UP above its limit keeps the newest", due(job.ScheduleFixRate, "10", -46*s, strategy(job.MisfireCatchUp)),
			[]string{"skip -46s", "skip -36s", "make up -26s at 0s", "make up -16s at 0s", "make up -6s at 0s", "fire 4s at 4s"},
			14 * s, 4 * s,
		},
		{
			"the last fire that there is", due(job.ScheduleCron, "3 0 12 5 3 ? 2026", 3*s),
			[]string{"fire 3s at 3s"},
			0, 3 * s,
		},
		{
			"the last fire was missed", due(job.ScheduleCron, "0 0 10 5 3 ? 2026", -2*time.Hour),
			[]string{"skip -2h0m0s"},
			0, -2 * time.Hour,
		},
		{
			"once", due(job.ScheduleOnce, "2026-03-05T12:00:03Z", 3*s),
			[]string{"fire 3s at 3s"},
			0, 3 * s,
		},
		{
			"once, too late", due(job.ScheduleOnce, "2026-03-05T11:59:50Z", -10*s),
			[]string{"skip -10s"},
			0, -10 * s,
		},
		{
			"once, made up for", due(job.ScheduleOnce, "2026-03-05T11:59:50Z", -10*s, strategy(job.MisfireFireOnce)),
			[]string{"make up -10s at 0s"},
			0, -10 * s,
		},
		{
			"the end of validity is valid", due(job.ScheduleFixRate, "2", 1*s, until(3*s)),
			[]string{"fire 1s at 1s", "fire 3s at 3s"},
			0, 3 * s,
		},
		{
			"nothing is made up for after the end of validity", due(job.ScheduleFixRate, "2", -10*s, strategy(job.MisfireCatchUp), until(-1*s)),
			[]string{"skip -10s", "skip -8s", "skip -6s", "fire -4s at -4s", "fire -2s at -2s"},
			0, -2 * s,
		},
		{
			"a gap of DST under run-once", due(job.ScheduleCron, "0 30 2 * * ?", 0, func(d *job.Due) {
				d.TimeZone, d.DSTPolicy = "America/New_York", job.DSTRunOnce
			}),
			[]string{"fire 0s at 0s"},
			// 2026-03-06 02:30 in New York; 2026-03-08 02:30 does not exist.
			19*time.Hour + 30*time.Minute, 0,
		},
		{
			"@every keeps its phase", due(job.ScheduleCron, "@every 4s", -14*s),
			[]string{"skip -14s", "skip -10s", "skip -6s", "fire -2s at -2s", "fire 2s at 2s"},
			6 * s, 2 * s,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPlanner()
			plan := p.plan(noon, []job.Due{c.due})
			require.Equal(t, c.want, lines(plan.Entries))
			require.False(t, plan.Cut)
			require.Len(t, plan.Moves, 1)
			m := plan.Moves[0]
			require.Equal(t, []any{int32(1), int64(7), c.due.NextFire}, []any{m.JobID, m.Version, m.ReadFire})
			require.Equal(t, at(c.last), m.LastFire)
			if c.next == 0 {
				require.Nil(t, m.Next)
				require.ErrorIs(t, p.why[1], errNoMoreFires)
				return
			}
			require.Equal(t, at(c.next), *m.Next)
			require.Empty(t, p.why)
		})
	}
}

func TestPlanner_EntriesCarryTheJobsSettings(t *testing.T) {
	t.Parallel()
	plan := newPlanner().plan(noon, []job.Due{
		due(job.ScheduleFixRate, "60", -10*time.Second, func(d *job.Due) {
			d.RouteStrategy, d.MisfireStrategy, d.RetryCount = job.RouteBroadcast, job.MisfireFireOnce, 1_000_000
		}),
		due(job.ScheduleFixRate, "60", -10*time.Second),
	})
	require.Equal(t, job.Entry{
		JobID: 1, GroupID: 2, Cause: job.CauseMisfire, Shard: job.BroadcastParent, FireAt: at(-10 * time.Second), DueAt: noon,
		RetriesLeft: 32767, State: job.Planned,
	}, plan.Entries[0])
	require.Equal(t, job.Entry{
		JobID: 1, GroupID: 2, Cause: job.CauseSchedule, FireAt: at(-10 * time.Second), DueAt: at(-10 * time.Second),
		State: job.Misfired, Reason: job.ReasonMisfire, Message: "Skipped by the misfire strategy DO_NOTHING: 10s late.",
	}, plan.Entries[1])
}

func TestPlanner_AFixedDelayHasOneFireAtATime(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		due  job.Due
		want []string
	}{
		{"on time", due(job.ScheduleFixDelay, "1", time.Second), []string{"fire 1s at 1s"}},
		{"too late", due(job.ScheduleFixDelay, "1", -time.Hour), []string{"skip -1h0m0s"}},
		{"made up for", due(job.ScheduleFixDelay, "1", -time.Hour, strategy(job.MisfireCatchUp)), []string{"make up -1h0m0s at 0s"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPlanner()
			plan := p.plan(noon, []job.Due{c.due})
			require.Equal(t, c.want, lines(plan.Entries))
			require.Nil(t, plan.Moves[0].Next)
			require.True(t, plan.Moves[0].Waits, "for the end of the run")
			require.Equal(t, c.due.NextFire, plan.Moves[0].LastFire)
			require.Empty(t, p.why, "and is not over")
		})
	}
}

func TestPlanner_LongOutageEndsWithValidity(t *testing.T) {
	t.Parallel()
	day := 24 * time.Hour
	for name, kind := range map[string][2]string{"rate": {"FIX_RATE", "1"}, "cron": {"CRON", "* * * * * ?"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := due(job.ScheduleType(kind[0]), kind[1], -21*day, strategy(job.MisfireFireOnce), until(-7*day))
			p := newPlanner()
			plan := p.plan(noon, []job.Due{d})
			last := plan.Entries[len(plan.Entries)-1]
			require.Equal(t, at(-7*day), *last.RangeTo)
			require.Contains(t, last.Message, "the end of the job's validity")
			require.Equal(t, at(-7*day), plan.Moves[0].LastFire)
			require.ErrorIs(t, p.why[1], errNoMoreFires)
		})
	}
}

func TestPlanner_StopsWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	p := newPlanner()
	for _, d := range []job.Due{due(job.ScheduleCron, "never ever", 0), due(job.ScheduleFixDelay, "soon", 0)} {
		plan := p.plan(noon, []job.Due{d})
		require.Empty(t, plan.Entries)
		require.Nil(t, plan.Moves[0].Next)
		require.False(t, plan.Moves[0].Waits)
		require.ErrorContains(t, p.why[1], "read schedule")
	}
}

func TestPlanner_LongOutageIsOneRangeRow(t *testing.T) {
	t.Parallel()
	// Skipped: 99 single rows, and one for the rest.
	cases := []struct {
		name    string
		due     job.Due
		from    time.Duration // of the range
		to      time.Duration
		count   int32
		more    bool
		madeUp  int
		onTime  int
		nextFor time.Duration
	}{
		{"counted", due(job.ScheduleFixRate, "1", -200*time.Second), -101 * time.Second, -6 * time.Second, 96, false, 0, 11, 6 * time.Second},
		{
			"a fixed rate for three weeks", due(job.ScheduleFixRate, "1", -21*24*time.Hour),
			-21*24*time.Hour + 99*time.Second, -6 * time.Second, 21*24*3600 - 99 - 5, false, 0, 11, 6 * time.Second,
		},
		{
			"a cron for three weeks", due(job.ScheduleCron, "* * * * * ?", -21*24*time.Hour),
			-21*24*time.Hour + 99*time.Second, -6 * time.Second, maxCounted - 99, true, 0, 11, 6 * time.Second,
		},
		{
			"with the newest made up", due(job.ScheduleCron, "* * * * * ?", -21*24*time.Hour, strategy(job.MisfireFireOnce)),
			-21*24*time.Hour + 99*time.Second, -7 * time.Second, maxCounted - 99, true, 1, 11, 6 * time.Second,
		},
		{
			"with some caught up", due(job.ScheduleCron, "* * * * * ?", -21*24*time.Hour, strategy(job.MisfireCatchUp)),
			-21*24*time.Hour + 99*time.Second, -9 * time.Second, maxCounted - 99, true, 3, 11, 6 * time.Second,
		},
		{
			"a cron with long pauses", due(job.ScheduleCron, "* * 2 * * ?", -21*24*time.Hour-10*time.Hour),
			-21*24*time.Hour - 10*time.Hour + 99*time.Second, -9*time.Hour - time.Second, maxCounted - 99, true, 0, 0, 14 * time.Hour,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			plan := newPlanner().plan(noon, []job.Due{c.due})
			byKind := map[string][]job.Entry{}
			for _, e := range plan.Entries {
				kind := "single"
				switch {
				case e.RangeTo != nil:
					kind = "range"
				case e.Cause == job.CauseMisfire:
					kind = "made up"
				case e.State == job.Planned:
					kind = "on time"
				}
				byKind[kind] = append(byKind[kind], e)
			}
			require.Len(t, byKind["single"], maxSkipRows-1)
			require.Len(t, byKind["range"], 1)
			require.Len(t, byKind["made up"], c.madeUp)
			require.Len(t, byKind["on time"], c.onTime)
			r := byKind["range"][0]
			require.Equal(t, fmt.Sprintf("skip %v..%v n=%d", c.from, c.to, c.count), line(r))
			require.Equal(t, job.ReasonMisfireRange, r.Reason)
			if c.more {
				require.Contains(t, r.Message, "at least")
			} else {
				require.NotContains(t, r.Message, "at least")
			}
			require.Equal(t, at(c.nextFor), *plan.Moves[0].Next)
		})
	}
}

func TestPlanner_IsCutAtItsLimits(t *testing.T) {
	t.Parallel()
	everySecond := due(job.ScheduleFixRate, "1", time.Second)
	p := newPlanner()
	p.limit = 7
	plan := p.plan(noon, []job.Due{everySecond, everySecond, everySecond})
	require.True(t, plan.Cut)
	require.Len(t, plan.Moves, 2)
	require.Len(t, plan.Entries, 10, "a job is planned whole")

	longMissed := make([]job.Due, 100)
	for i := range longMissed {
		longMissed[i] = due(job.ScheduleCron, "* * * * * ?", -24*time.Hour)
	}
	p = newPlanner()
	plan = p.plan(noon, longMissed)
	require.True(t, plan.Cut, "one transaction's work is bounded")
	require.InDelta(t, maxSteps/maxCounted, len(plan.Moves), 1)
}

func TestParsed_RemembersWithinItsBound(t *testing.T) {
	t.Parallel()
	calls := 0
	p := newPlanner().schedules
	parse := p.parse
	p.limit = 2
	p.parse = func(t job.Timing, def *time.Location) (robfig.Schedule, error) {
		calls++
		return parse(t, def)
	}
	get := func(conf string) {
		d := due(job.ScheduleFixRate, conf, 0)
		_, _ = p.get(&d)
	}
	for range 3 {
		get("1")
		get("bad")
	}
	require.Equal(t, 2, calls, "also what cannot be read")
	for i := range 100 {
		get(fmt.Sprint(10 + i))
		get("1")
	}
	require.Equal(t, 102, calls, "what is in use stays")
	require.LessOrEqual(t, len(p.young)+len(p.old), 4)
}
