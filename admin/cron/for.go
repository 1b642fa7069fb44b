package cron

import (
	"cmp"
	"fmt"
	"time"

	robfig "github.com/robfig/cron/v3"

	"github.com/gluewheel/gluewheel/admin/job"
)

// For turns a job's schedule into robfig's Schedule, under the default DST policy.
// zone is an IANA name; empty means def, and a nil def UTC. The caller keeps the
// result: reading an expression costs some microseconds, and a zone a file.
//
// The error is a *job.FieldError naming schedule_type, schedule_conf or time_zone.
func For(t job.ScheduleType, conf, zone string, def *time.Location) (robfig.Schedule, error) {
	return ForDST(t, conf, zone, def, DSTXXL)
}

// ForDST is For under a given DST policy. An unknown one is an error naming dst.
func ForDST(t job.ScheduleType, conf, zone string, def *time.Location, dst DST) (robfig.Schedule, error) {
	loc, err := Location(zone, def)
	if err != nil {
		return nil, &job.FieldError{Field: "time_zone", Message: err.Error()}
	}
	if err := dst.check(); err != nil {
		return nil, &job.FieldError{Field: "dst", Message: err.Error()}
	}
	var s robfig.Schedule
	switch t {
	case job.ScheduleNone:
		s = never{}
	case job.ScheduleFixRate:
		s, err = readFixRate(conf)
	case job.ScheduleCron:
		s, err = Parse(conf, Options{Location: loc, DST: dst})
	default:
		return nil, &job.FieldError{Field: "schedule_type", Message: fmt.Sprintf("%q is unknown; use %s, %s or %s",
			t, job.ScheduleNone, job.ScheduleCron, job.ScheduleFixRate)}
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
