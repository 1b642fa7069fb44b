package admin

import (
	"context"
	"errors"

	"github.com/gluewheel/gluewheel/admin/execclient"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/registry"
	"github.com/gluewheel/gluewheel/admin/route"
)

// newRouter gives the strategies their probes.
func newRouter(calls *execclient.Client, executors *registry.Registry) (*route.Router, error) {
	return route.New(route.Config{
		Beat: func(ctx context.Context, address string, j *job.Job) error {
			return probed(calls.Beat(ctx, executors.Target(j.GroupID, address)))
		},
		IdleBeat: func(ctx context.Context, address string, j *job.Job) error {
			return probed(calls.IdleBeat(ctx, executors.Target(j.GroupID, address), j.ID))
		},
	})
}

func probed(o job.Outcome) error {
	if o.Verdict == job.Accepted {
		return nil
	}
	return errors.New(o.Text)
}
