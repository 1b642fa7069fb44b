package report

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
)

const (
	// MaxMinutes is the farthest that a forecast looks ahead.
	MaxMinutes = 24 * 60
	// maxJobs is of how many jobs the fires are counted.
	maxJobs = 20_000
	// maxSteps bounds how many instants are computed for one forecast: some 100 ms.
	maxSteps = 50_000
	// fresh is how long a forecast is given to others.
	fresh = 10 * time.Second
)

// upcomer reads jobs; *store.Store does.
type upcomer interface {
	Upcoming(ctx context.Context, before time.Time, limit int) ([]job.Upcoming, error)
}

// Schedule computes instants.
type Schedule interface {
	// Next is the first fire strictly after t, or the zero time if there is none.
	Next(t time.Time) time.Time
}

// Minute is how many fires there are in a minute.
type Minute struct {
	At    time.Time
	Count int
}

// Outlook is a forecast.
type Outlook struct {
	Minutes []Minute // each of them, those without fires too
	Partial bool     // there are more jobs or fires than were counted
}

// Forecast tells what fires soon. Safe for concurrent use.
type Forecast struct {
	store upcomer
	parse func(job.Timing) (Schedule, error)

	mu   sync.Mutex
	last *plan
}

// NewForecast makes one; parse compiles a schedule.
func NewForecast(store upcomer, parse func(job.Timing) (Schedule, error)) *Forecast {
	return &Forecast{store: store, parse: parse}
}

// plan is what was computed last, of all groups.
type plan struct {
	made    time.Time
	begin   time.Time // a whole minute
	minutes int
	counts  map[int32][]int // by group
	partial bool
	steps   int
}

// Next tells how many fires each minute from now on has, in groups; nil = all groups.
func (f *Forecast) Next(ctx context.Context, groups []int32, now time.Time, minutes int) (Outlook, error) {
	p, err := f.plan(ctx, now, minutes)
	if err != nil {
		return Outlook{}, err
	}
	out := Outlook{Minutes: make([]Minute, minutes), Partial: p.partial}
	for i := range out.Minutes {
		out.Minutes[i].At = p.begin.Add(time.Duration(i) * time.Minute)
	}
	for group, counts := range p.counts {
		if groups != nil && !slices.Contains(groups, group) {
			continue
		}
		for i := range out.Minutes {
			out.Minutes[i].Count += counts[i]
		}
	}
	return out, nil
}

// plan gives the last forecast again while it is fresh. Those who ask meanwhile wait for
// the one that is being made.
func (f *Forecast) plan(ctx context.Context, now time.Time, minutes int) (*plan, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	begin := now.Truncate(time.Minute)
	if p := f.last; p != nil && p.begin.Equal(begin) && p.minutes >= minutes && now.Sub(p.made) < fresh {
		return p, nil
	}
	p := &plan{made: now, begin: begin, minutes: minutes, counts: map[int32][]int{}}
	jobs, err := f.store.Upcoming(ctx, p.end(), maxJobs+1)
	if err != nil {
		return nil, fmt.Errorf("forecast fires: %w", err)
	}
	if len(jobs) > maxJobs {
		jobs, p.partial = jobs[:maxJobs], true
	}
	f.count(p, jobs)
	f.last = p
	return p, nil
}

func (p *plan) end() time.Time { return p.begin.Add(time.Duration(p.minutes) * time.Minute) }

// alike are jobs that fire at the same instants: they are computed once.
type alike struct {
	timing job.Timing
	from   time.Time
	until  time.Time
	next   time.Time
}

func (f *Forecast) count(p *plan, jobs []job.Upcoming) {
	same := map[alike][]job.Upcoming{}
	var order []alike // the first to fire first, so that what a bound leaves out comes last
	for _, j := range jobs {
		key := alike{timing: j.Timing(), next: j.NextFire}
		if j.ValidFrom != nil {
			key.from = *j.ValidFrom
		}
		if j.ValidUntil != nil {
			key.until = *j.ValidUntil
		}
		key.timing.ValidFrom, key.timing.ValidUntil = nil, nil
		if same[key] == nil {
			order = append(order, key)
		}
		same[key] = append(same[key], j)
	}
	for _, key := range order {
		f.walk(p, same[key])
	}
}

// walk counts the fires of jobs that are alike. A schedule that cannot be read fires
// once, and planning then says what is wrong; FIX_DELAY fires again when the run has
// ended, which nobody knows yet.
func (f *Forecast) walk(p *plan, jobs []job.Upcoming) {
	at := jobs[0].NextFire
	var s Schedule
	if jobs[0].ScheduleType != job.ScheduleFixDelay {
		if parsed, err := f.parse(jobs[0].Timing()); err == nil {
			s = parsed
		}
	}
	for !at.IsZero() && at.Before(p.end()) {
		minute := max(int(at.Sub(p.begin)/time.Minute), 0) // what is overdue fires now
		for _, j := range jobs {
			if p.counts[j.GroupID] == nil {
				p.counts[j.GroupID] = make([]int, p.minutes)
			}
			p.counts[j.GroupID][minute]++
		}
		if s == nil {
			return
		}
		if p.steps++; p.steps > maxSteps {
			p.partial = true
			return
		}
		at = s.Next(at)
	}
}
