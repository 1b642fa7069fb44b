//go:build !chaos

package chaos

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/cron"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/schedule"
)

// calendar stands for the database and the dispatcher of a scheduler whose hours pass in
// milliseconds. The database's clock is far from the bubble's, as an admin's may be: only
// the former decides.
type calendar struct {
	mu     sync.Mutex
	ahead  time.Duration // of the database's clock
	asleep bool          // the machine: nothing is answered
	jobs   []job.Due
	rows   map[int32][]job.Entry
	fires  map[int64]job.Fire
	handed map[int64]time.Time // by the database's clock
}

func (c *calendar) now() time.Time { return time.Now().Add(c.ahead) }

func (c *calendar) PlanDue(ctx context.Context, req job.PlanRequest, plan func(time.Time, []job.Due) job.Plan) (job.PlanResult, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asleep {
		return job.PlanResult{}, context.DeadlineExceeded
	}
	res := job.PlanResult{Now: c.now(), Buckets: []int32{0}}
	var due []job.Due
	for _, j := range c.jobs {
		if j.NextFire.Before(res.Now.Add(req.Horizon)) {
			due = append(due, j)
		}
	}
	p := plan(res.Now, due)
	for _, m := range p.Moves {
		for i := range c.jobs {
			if c.jobs[i].ID == m.JobID && m.Next != nil {
				c.jobs[i].NextFire = *m.Next
			}
		}
	}
	for _, e := range p.Entries {
		c.rows[e.JobID] = append(c.rows[e.JobID], e)
		if e.State == job.Planned {
			f := job.Fire{RunID: int64(len(c.fires) + 1), JobID: e.JobID, FireAt: e.FireAt, DueAt: e.DueAt}
			c.fires[f.RunID] = f
			res.Fires = append(res.Fires, f)
		}
	}
	res.More = p.Cut
	return res, nil
}

func (c *calendar) Sweep(context.Context, job.SweepRequest, func([]job.Late) []int64) (job.SweepResult, error) {
	return job.SweepResult{}, nil
}
func (c *calendar) KeepPartitions(context.Context) error { return nil }
func (c *calendar) DropPartitions(context.Context, time.Time) ([]string, error) {
	return nil, nil
}

func (c *calendar) Heartbeat(context.Context, int32, string, *job.ClockReading) (job.Pulse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return job.Pulse{Now: c.now(), Live: 1}, nil
}
func (c *calendar) RemoveNode(context.Context, int32) error { return nil }
func (c *calendar) Watch(ctx context.Context, fn func(job.Change)) error {
	fn(job.Change{Kind: job.ChangeAll})
	<-ctx.Done()
	return ctx.Err()
}
func (c *calendar) Free() int { return 10_000 }
func (c *calendar) Dispatch(fires []job.Fire) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range fires {
		c.handed[f.RunID] = c.now()
	}
}

// schedules of the calendar's jobs; the oracle knows them by what they match.
var calendarJobs = []struct {
	conf    string
	matches func(wall time.Time) bool
}{
	{"0 */15 * * * ?", func(t time.Time) bool { return t.Minute()%15 == 0 }},
	{"0 30 2 * * ?", func(t time.Time) bool { return t.Hour() == 2 && t.Minute() == 30 }},
	{"0 15 1 * * ?", func(t time.Time) bool { return t.Hour() == 1 && t.Minute() == 15 }},
	{"0 0 0 * * ?", func(t time.Time) bool { return t.Hour() == 0 && t.Minute() == 0 }},
	{"0 0 0 29 2 ?", func(t time.Time) bool {
		return t.Month() == 2 && t.Day() == 29 && t.Hour() == 0 && t.Minute() == 0
	}},
	{"0 59 23 L * ?", func(t time.Time) bool {
		return t.AddDate(0, 0, 1).Day() == 1 && t.Hour() == 23 && t.Minute() == 59
	}},
	{"0 0 0 1 1 ?", func(t time.Time) bool { return t.YearDay() == 1 && t.Hour() == 0 && t.Minute() == 0 }},
}

// wanted are the instants after from and before to: the minutes whose wall time matches,
// but for those whose wall time comes again.
func wanted(matches func(time.Time) bool, zone *time.Location, from, to time.Time) []time.Time {
	var out []time.Time
	wall := func(t time.Time) string { return t.In(zone).Format(time.DateTime) }
	for t := from.Truncate(time.Minute).Add(time.Minute); t.Before(to); t = t.Add(time.Minute) {
		if matches(t.In(zone)) && wall(t) != wall(t.Add(30*time.Minute)) && wall(t) != wall(t.Add(time.Hour)) {
			out = append(out, t.UTC())
		}
	}
	return out
}

// spend lets a scheduler run from one instant to another, with what happens in between.
func spend(t *testing.T, zone *time.Location, from, to time.Time, jobs []job.Due, meanwhile func(*calendar)) *calendar {
	t.Helper()
	c := &calendar{jobs: jobs, rows: map[int32][]job.Entry{}, fires: map[int64]job.Fire{}, handed: map[int64]time.Time{}}
	synctest.Test(t, func(t *testing.T) {
		c.ahead = time.Until(from)
		s, err := schedule.New(schedule.Config{
			Ledger: c, Cluster: c, Dispatcher: c, Parse: cron.For, Node: 1, Zone: zone, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		})
		require.NoError(t, err)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- s.Run(ctx) }()
		if meanwhile != nil {
			meanwhile(c)
		}
		time.Sleep(to.Sub(c.now()))
		stop()
		require.NoError(t, <-ended)
	})
	return c
}

func calendarDues(t *testing.T, zone *time.Location, from time.Time) []job.Due {
	t.Helper()
	var dues []job.Due
	for i, x := range calendarJobs {
		s, err := cron.For(job.Timing{Type: job.ScheduleCron, Conf: x.conf}, zone)
		require.NoError(t, err)
		dues = append(dues, job.Due{
			ID: int32(i + 1), ScheduleType: job.ScheduleCron, ScheduleConf: x.conf, NextFire: s.Next(from).UTC(), Version: 1,
			MisfireStrategy: job.MisfireDoNothing,
		})
	}
	return dues
}

// check compares what was planned and handed over with the oracle.
func (c *calendar) check(t *testing.T, zone *time.Location, from, to time.Time) {
	t.Helper()
	for i, x := range calendarJobs {
		var planned []time.Time
		for _, e := range c.rows[int32(i+1)] {
			require.Equal(t, job.Planned, e.State, "%s of %s", e.FireAt, x.conf)
			if e.FireAt.Before(to) {
				planned = append(planned, e.FireAt.UTC())
			}
		}
		require.Equal(t, wanted(x.matches, zone, from, to), planned, "%s in %s", x.conf, zone)
	}
	for id, f := range c.fires {
		if !f.DueAt.Before(to) {
			continue
		}
		at, ok := c.handed[id]
		require.True(t, ok, "%s was not handed over", f.FireAt)
		ahead := f.DueAt.Sub(at)
		require.True(t, ahead >= 0 && ahead <= 1100*time.Millisecond, "%s was handed over %v ahead", f.FireAt, ahead)
	}
}

// turns are the instants of 2026 at which a zone's clock is set, forward and back.
func turns(zone *time.Location) []time.Time {
	var out []time.Time
	offset := func(t time.Time) int {
		_, o := t.In(zone).Zone()
		return o
	}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for t := start; t.Before(start.AddDate(1, 0, 0)); t = t.Add(15 * time.Minute) {
		if offset(t) != offset(t.Add(-15*time.Minute)) {
			out = append(out, t)
		}
	}
	return out
}

func TestTime_ClocksAreSetForwardAndBack(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"America/New_York", "Europe/Berlin", "Europe/London", "Australia/Lord_Howe", "America/Santiago", "Pacific/Chatham",
	} {
		zone, err := time.LoadLocation(name)
		require.NoError(t, err)
		at := turns(zone)
		require.Len(t, at, 2, "%s is set forward once and back once", name)
		for _, turn := range at {
			t.Run(fmt.Sprintf("%s %s", strings.ReplaceAll(name, "/", " "), turn.Format(time.DateOnly)), func(t *testing.T) {
				t.Parallel()
				// Before the hour that comes twice: who starts in it goes by its second time.
				from, to := turn.Add(-90*time.Minute), turn.Add(2*time.Hour)
				spend(t, zone, from, to, calendarDues(t, zone, from), nil).check(t, zone, from, to)
			})
		}
	}
}

func TestTime_LeapDayAndYearEnd(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"UTC", "Asia/Shanghai", "America/St_Johns"} {
		zone, err := time.LoadLocation(name)
		require.NoError(t, err)
		for _, midnight := range []time.Time{
			time.Date(2028, 2, 29, 0, 0, 0, 0, zone), time.Date(2028, 3, 1, 0, 0, 0, 0, zone),
			time.Date(2027, 3, 1, 0, 0, 0, 0, zone), time.Date(2027, 1, 1, 0, 0, 0, 0, zone),
		} {
			t.Run(fmt.Sprintf("%s %s", strings.ReplaceAll(name, "/", " "), midnight.Format(time.DateOnly)), func(t *testing.T) {
				t.Parallel()
				from, to := midnight.Add(-5*time.Minute), midnight.Add(40*time.Minute)
				spend(t, zone, from, to, calendarDues(t, zone, from), nil).check(t, zone, from, to)
			})
		}
	}
}

// A machine that sleeps for 90 s leaves out what is too late, by each job's strategy, and
// every instant keeps its row.
func TestTime_PausedMachine(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	asleep, awake, to := from.Add(60*time.Second), from.Add(150*time.Second), from.Add(10*time.Minute)
	var jobs []job.Due
	for i, s := range []job.MisfireStrategy{job.MisfireDoNothing, job.MisfireFireOnce, job.MisfireCatchUp} {
		jobs = append(jobs, job.Due{
			ID: int32(i + 1), ScheduleType: job.ScheduleFixRate, ScheduleConf: "7", NextFire: from.Add(7 * time.Second), Version: 1,
			MisfireStrategy: s, CatchUpLimit: 1000,
		})
	}
	c := spend(t, time.UTC, from, to, jobs, func(c *calendar) {
		time.Sleep(asleep.Sub(c.now()))
		c.mu.Lock()
		c.asleep = true
		c.mu.Unlock()
		time.Sleep(awake.Sub(c.now()))
		c.mu.Lock()
		c.asleep = false
		c.mu.Unlock()
	})
	madeUp := map[int32]int{}
	for id := int32(1); id <= 3; id++ {
		rows := c.rows[id]
		slices.SortFunc(rows, func(a, b job.Entry) int { return cmp.Compare(a.FireAt.UnixNano(), b.FireAt.UnixNano()) })
		for i, e := range rows {
			require.Equal(t, from.Add(time.Duration(i+1)*7*time.Second), e.FireAt.UTC(), "job %d", id)
			if e.Cause == job.CauseMisfire && e.State == job.Planned {
				madeUp[id]++
			}
		}
		require.True(t, rows[len(rows)-1].FireAt.After(to.Add(-10*time.Second)), "job %d goes on", id)
	}
	require.Zero(t, madeUp[1])
	require.Equal(t, 1, madeUp[2])
	require.Greater(t, madeUp[3], 8)
}
