package api

import (
	"context"
	"fmt"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
)

// checkSchedule is a job.CheckSchedule.
func (s *server) checkSchedule(t job.ScheduleType, conf, zone string) error {
	if t == job.ScheduleNone {
		return nil
	}
	sched, err := s.deps.Schedule(t, conf, zone)
	if err != nil {
		return err
	}
	if sched.Next(time.Now()).IsZero() {
		return neverAgain(conf)
	}
	return nil
}

func neverAgain(conf string) error {
	return &job.FieldError{Field: "schedule_conf", Message: fmt.Sprintf("%q never fires again. Choose instants to come.", conf)}
}

// next computes the next fire of a job inside the store's transaction.
func (s *server) next(j job.Job) job.NextFunc {
	return func(after time.Time) (time.Time, error) {
		sched, err := s.deps.Schedule(j.ScheduleType, j.ScheduleConf, j.TimeZone)
		if err != nil {
			return time.Time{}, err
		}
		at := sched.Next(after)
		if at.IsZero() {
			return time.Time{}, neverAgain(j.ScheduleConf)
		}
		return at, nil
	}
}

// Instants are in their order in time.
type Instants struct {
	Items []Time `json:"items" nullable:"false"`
}

// fires are the next n instants of a schedule; fewer when it ends.
func (s *server) fires(ctx context.Context, t job.ScheduleType, conf, zone string, after time.Time, n int) ([]time.Time, error) {
	if t == job.ScheduleNone {
		return nil, nil
	}
	sched, err := s.deps.Schedule(t, conf, zone)
	if err != nil {
		return nil, err
	}
	var out []time.Time
	for len(out) < n && ctx.Err() == nil {
		if after = sched.Next(after); after.IsZero() {
			break
		}
		out = append(out, after)
	}
	return out, ctx.Err()
}

type nextFiresInput struct {
	ObjectID
	N int `query:"n" minimum:"1" maximum:"100" default:"5" doc:"How many."`
}

// nextFires of a started job begin with the one that is stored, which for FIX_RATE
// depends on when it was started; of a stopped job they are what a start now would give.
func (s *server) nextFires(ctx context.Context, j job.Job, in *nextFiresInput) (*body[Instants], error) {
	var out []time.Time
	after := time.Now()
	if j.Enabled && j.NextFire != nil {
		out, after = append(out, *j.NextFire), *j.NextFire
	}
	more, err := s.fires(ctx, j.ScheduleType, j.ScheduleConf, j.TimeZone, after, in.N-len(out))
	if err != nil {
		return nil, err
	}
	return answer(Instants{instants(append(out, more...))}), nil
}

// ScheduleInput is a schedule to look at.
type ScheduleInput struct {
	ScheduleType ScheduleType `json:"schedule_type"`
	ScheduleConf string       `json:"schedule_conf,omitempty"`
	TimeZone     string       `json:"time_zone,omitempty" doc:"IANA name; empty for the server's."`
	N            int          `json:"n,omitempty" minimum:"1" maximum:"100" default:"5" doc:"How many."`
}

func (s *server) previewSchedule(ctx context.Context, in *struct{ Body ScheduleInput }) (*body[Instants], error) {
	b := in.Body
	wrong := invalid(job.ValidateSchedule(job.ScheduleType(b.ScheduleType), b.ScheduleConf, b.TimeZone, s.checkSchedule))
	if err := wrong.orNil(); err != nil {
		return nil, err
	}
	out, err := s.fires(ctx, job.ScheduleType(b.ScheduleType), b.ScheduleConf, b.TimeZone, time.Now(), b.N)
	if err != nil {
		return nil, err
	}
	return answer(Instants{instants(out)}), nil
}
