package schedule

import (
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/gluewheel/gluewheel/admin/job"
)

// ParseFunc compiles a job's timing; def is the zone of those that name none.
type ParseFunc func(t job.Timing, def *time.Location) (cron.Schedule, error)

// parsed caches compiled schedules. It keeps the entries of two generations: when the
// younger is full the older goes, which bounds memory and keeps what is in use. Not
// safe for concurrent use; planning is one goroutine.
type parsed struct {
	parse ParseFunc
	zone  *time.Location
	limit int // entries a generation

	young, old map[job.Timing]compiled // by timings without validity
}

type compiled struct {
	schedule cron.Schedule
	err      error
}

// get returns the schedule of a due job, of which the planner keeps the bounds. A
// schedule that cannot be read is remembered
// as well.
func (p *parsed) get(d *job.Due) (cron.Schedule, error) {
	key := job.Timing{Type: d.ScheduleType, Conf: d.ScheduleConf, Zone: d.TimeZone, DST: d.DSTPolicy}
	c, ok := p.young[key]
	if ok {
		return c.schedule, c.err
	}
	if c, ok = p.old[key]; !ok {
		c.schedule, c.err = p.parse(key, p.zone)
	}
	if p.young == nil || len(p.young) >= p.limit {
		p.old, p.young = p.young, make(map[job.Timing]compiled)
	}
	p.young[key] = c
	return c.schedule, c.err
}

// fixed reports whether a schedule counts from its last instant on and knows no
// calendar, so that its instants depend on where it began.
func fixed(d *job.Due) bool {
	return d.ScheduleType == job.ScheduleFixRate || strings.HasPrefix(strings.TrimSpace(d.ScheduleConf), "@every")
}
