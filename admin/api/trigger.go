package api

import (
	"context"

	"github.com/gluewheel/gluewheel/admin/auth"
	"github.com/gluewheel/gluewheel/admin/job"
)

// TriggerInput may change one run.
type TriggerInput struct {
	Param     *string  `json:"param,omitempty" doc:"In place of the job's parameter."`
	Addresses []string `json:"addresses,omitempty" nullable:"false" doc:"In place of the group's executors, such as http://10.0.0.5:9999."`
	Version   int32    `json:"version,omitempty" minimum:"1" doc:"Number of the version that the run and its retries run, whatever is live: one that was live once. Needs the right glue.publish, too. The live one when it is left out."`
}

// Triggered names the new run.
type Triggered struct {
	RunID int64 `json:"run_id"`
}

type triggerJobInput struct {
	ObjectID
	Trial
	Body *TriggerInput
}

func (s *server) triggerJob(ctx context.Context, j job.Job, in *triggerJobInput) (*body[Triggered], error) {
	req := job.TriggerRequest{JobID: j.ID, Cause: job.CauseManual}
	if in.Body != nil {
		req.Param = in.Body.Param
		if len(in.Body.Addresses) > 0 { // an empty list is none: the run would have nowhere to go
			req.Addresses = in.Body.Addresses
		}
		req.Version = in.Body.Version
	}
	if err := checkTrigger(req); err != nil {
		return nil, err
	}
	if err := checkChosen(ctx, j, req.Version); err != nil {
		return nil, err
	}
	if len(req.Addresses) > 0 {
		g, err := s.deps.Store.Group(ctx, j.GroupID)
		if err != nil {
			return nil, err
		}
		if err := s.checkAddresses(ctx, "addresses", g, req.Addresses); err != nil {
			return nil, err
		}
	}
	fire, err := s.deps.Store.Trigger(ctx, req)
	if err != nil {
		return nil, err
	}
	s.fired(ctx, fire)
	return answer(Triggered{fire.RunID}), nil
}

func checkTrigger(req job.TriggerRequest) error {
	wrong := invalid(job.ValidateAddresses("addresses", req.Addresses))
	if req.Param != nil {
		wrong = append(wrong, job.ValidateParam(*req.Param)...)
	}
	return wrong.orNil()
}

// checkChosen wants a publisher where a version is chosen: to run code that somebody has
// taken out of use is to decide which code runs.
func checkChosen(ctx context.Context, j job.Job, version int32) error {
	switch {
	case version == 0:
		return nil
	case !callerOf(ctx).May(auth.GluePublish, j.GroupID):
		return auth.ErrForbidden
	case !j.GlueType.Live():
		return &job.FieldError{Field: "version", Message: "A BEAN job has no versions: its code is the handler in the executor. Leave the version out."}
	}
	return nil
}
