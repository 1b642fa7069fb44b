package api

import (
	"context"

	"github.com/gluewheel/gluewheel/admin/job"
)

// TriggerInput may change one run.
type TriggerInput struct {
	Param     *string  `json:"param,omitempty" doc:"In place of the job's parameter."`
	Addresses []string `json:"addresses,omitempty" nullable:"false" doc:"In place of the group's executors, such as http://10.0.0.5:9999."`
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
	}
	if err := checkTrigger(req); err != nil {
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
