package cron

import (
	"time"

	robfig "github.com/robfig/cron/v3"
)

// valid cuts a schedule to a time of validity. A schedule that counts from its last
// instant, such as FIX_RATE, begins to count when it becomes valid.
type valid struct {
	inner       robfig.Schedule
	from, until *time.Time // both inclusive; nil = no bound
}

// Next is the first fire of the inner schedule after t that is valid.
func (v valid) Next(t time.Time) time.Time {
	if v.from != nil && t.Before(*v.from) {
		t = v.from.Add(-1).In(t.Location())
	}
	next := v.inner.Next(t)
	if v.until != nil && next.After(*v.until) {
		return time.Time{}
	}
	return next
}
