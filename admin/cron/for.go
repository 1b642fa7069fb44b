package cron

import (
	"cmp"
	"fmt"
	"time"

	robfig "github.com/robfig/cron/v3"

	"github.com/gluewheel/gluewheel/admin/job"
)

// For turns a job's timing into robfig's Schedule. def is the zone of a timing without
// one, and a nil def UTC. The caller keeps the result: reading an expression costs some
// microseconds, and a zone a file.
//
// The error is a *job.FieldError naming schedule_type, schedule_conf, time_zone or
// dst_policy.
func For(t job.Timing, def *time.Location) (robfig.Schedule, error) {
	loc, err := Location(t.Zone, def)
	if err != nil {
		return nil, &job.FieldError{Field: "time_zone", Message: err.Error()}
	}
	if err := checkDST(t.DST); err != nil {
		return nil, &job.FieldError{Field: "dst_policy", Message: err.Error()}
	}
	s, err := unbounded(t, loc)
	if err != nil {
		return nil, err
	}
	if t.ValidFrom == nil && t.ValidUntil == nil {
		return s, nil
	}
	return valid{s, t.ValidFrom, t.ValidUntil}, nil
}

// unbounded is the schedule of t without its time of validity.
func unbounded(t job.Timing, loc *time.Location) (s robfig.Schedule, err error) {
	switch t.Type {
	case job.ScheduleNone:
		s = never{}
	case job.ScheduleFixRate, job.ScheduleFixDelay:
		s, err = readSeconds(t.Conf)
	case job.ScheduleOnce:
		s, err = readOnce(t.Conf)
	case job.ScheduleCron:
		s, err = Parse(t.Conf, Options{Location: loc, DST: t.DST})
	default:
		return nil, &job.FieldError{Field: "schedule_type", Message: fmt.Sprintf("%q is unknown; use one of %q", t.Type, job.ScheduleTypes())}
	}
	if err != nil {
		return nil, &job.FieldError{Field: "schedule_conf", Message: err.Error()}
	}
	return s, nil
}

// Location loads the zone of an IANA name; empty means def, and a nil def UTC.
func Location(name string, def *time.Location) (*time.Location, error) {
	switch name {
	case "":
		return cmp.Or(def, time.UTC), nil
	case "Local":
		return nil, fmt.Errorf("%q differs from machine to machine; use a name such as Asia/Shanghai", name)
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("%q is not a known time zone; use a name such as Asia/Shanghai", name)
	}
	return loc, nil
}

// Upcoming returns the next fires of s after from, at most n.
func Upcoming(s robfig.Schedule, from time.Time, n int) []time.Time {
	var fires []time.Time
	for range n {
		from = s.Next(from)
		if from.IsZero() {
			break
		}
		fires = append(fires, from)
	}
	return fires
}
