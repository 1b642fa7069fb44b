package api

import (
	"context"
	"fmt"
	"time"

	"github.com/gluewheel/gluewheel/admin/cron"
	"github.com/gluewheel/gluewheel/admin/job"
)

// checkSchedule is a job.CheckSchedule.
func (s *server) checkSchedule(t job.Timing) error {
	if t.Type == job.ScheduleNone {
		return nil
	}
	sched, err := s.deps.Schedule(t)
	if err != nil {
		return err
	}
	if sched.Next(time.Now()).IsZero() {
		return neverAgain(t)
	}
	return nil
}

func neverAgain(t job.Timing) error {
	if t.ValidUntil != nil {
		return &job.FieldError{Field: "valid_until", Message: fmt.Sprintf("%q never fires again before it. Choose a later end, or other instants.", t.Conf)}
	}
	return &job.FieldError{Field: "schedule_conf", Message: fmt.Sprintf("%q never fires again. Choose instants to come.", t.Conf)}
}

// next computes the next fire of a job inside the store's transaction.
func (s *server) next(j job.Job) job.NextFunc {
	return func(after time.Time) (time.Time, error) {
		sched, err := s.deps.Schedule(j.Timing())
		if err != nil {
			return time.Time{}, err
		}
		at := sched.Next(after)
		if at.IsZero() {
			return time.Time{}, neverAgain(j.Timing())
		}
		return at, nil
	}
}

// Instants are in their order in time.
type Instants struct {
	Items []Time `json:"items" nullable:"false"`
}

// fires are the next n instants of a schedule; fewer when it ends. How a FIX_DELAY goes
// on after its first fire, only its run will tell.
func (s *server) fires(ctx context.Context, t job.Timing, after time.Time, n int) ([]time.Time, error) {
	if t.Type == job.ScheduleNone {
		return nil, nil
	}
	sched, err := s.deps.Schedule(t)
	if err != nil {
		return nil, err
	}
	if t.Type == job.ScheduleFixDelay {
		n = min(n, 1)
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
	N int `query:"n" minimum:"1" maximum:"2000" default:"5" doc:"How many."`
}

// nextFires of a started job begin with the one that is stored, which for FIX_RATE
// depends on when it was started; of a stopped job they are what a start now would give.
func (s *server) nextFires(ctx context.Context, j job.Job, in *nextFiresInput) (*body[Instants], error) {
	var out []time.Time
	after := time.Now()
	if j.Enabled && j.NextFire != nil {
		out, after = append(out, *j.NextFire), *j.NextFire
	}
	if j.Enabled && j.ScheduleType == job.ScheduleFixDelay {
		return answer(Instants{instants(out)}), nil // the rest depends on how long its runs take
	}
	more, err := s.fires(ctx, j.Timing(), after, in.N-len(out))
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
	DSTPolicy    DSTPolicy    `json:"dst_policy,omitempty" default:"xxl"`
	ValidFrom    *Time        `json:"valid_from,omitempty" nullable:"true"`
	ValidUntil   *Time        `json:"valid_until,omitempty" nullable:"true"`
	N            int          `json:"n,omitempty" minimum:"1" maximum:"100" default:"5" doc:"How many."`
}

// SchedulePreview is what a schedule does.
type SchedulePreview struct {
	Instants
	Description Sentence          `json:"description" doc:"When it fires."`
	Warnings    []ScheduleWarning `json:"warnings" nullable:"false" doc:"What its author should know."`
}

// ScheduleWarning is something odd about a valid expression.
type ScheduleWarning struct {
	Code string `json:"code" doc:"Stable, for programs."`
	Sentence
}

// Sentence is a text for people.
type Sentence struct {
	English string `json:"en"`
	Chinese string `json:"zh_cn"`
}

func (s *server) previewSchedule(ctx context.Context, in *struct{ Body ScheduleInput }) (*body[SchedulePreview], error) {
	b := in.Body
	t := job.Timing{
		Type: job.ScheduleType(b.ScheduleType), Conf: b.ScheduleConf, Zone: b.TimeZone, DST: job.DSTPolicy(b.DSTPolicy),
		ValidFrom: timeOf(b.ValidFrom), ValidUntil: timeOf(b.ValidUntil),
	}
	wrong := invalid(job.ValidateSchedule(t, s.checkSchedule))
	if err := wrong.orNil(); err != nil {
		return nil, err
	}
	out, err := s.fires(ctx, t, time.Now(), b.N)
	if err != nil {
		return nil, err
	}
	words, err := s.explain(t)
	if err != nil {
		return nil, err
	}
	words.Instants = Instants{instants(out)}
	return answer(words), nil
}

// explain puts a schedule into words, in every language there is: the preview is asked
// for while someone types, and the page's language may change meanwhile.
func (s *server) explain(t job.Timing) (p SchedulePreview, err error) {
	zone, err := cron.Location(s.deps.System.TimeZone, nil)
	if err != nil { // the server's zone has no name
		zone = time.Local
	}
	if p.Description.English, err = cron.DescribeTiming(t, zone, cron.English); err != nil {
		return p, err
	}
	if p.Description.Chinese, err = cron.DescribeTiming(t, zone, cron.Chinese); err != nil {
		return p, err
	}
	warnings, err := cron.Warnings(t)
	p.Warnings = mapped(warnings, func(w cron.Warning) ScheduleWarning {
		return ScheduleWarning{Code: string(w.Code), Sentence: Sentence{w.Text(cron.English), w.Text(cron.Chinese)}}
	})
	return p, err
}
