package admin

import (
	"github.com/gluewheel/gluewheel/admin/cron"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/wire"
)

// jobAPI is what programs of 3.5 manage jobs with.
func (p *parts) jobAPI() wire.JobAPI {
	return wire.JobAPI{
		Store:       p.store,
		Schedule:    func(t job.Timing) (wire.Schedule, error) { return cron.For(t, p.opts.Zone) },
		Fired:       p.fired,
		CheckSource: p.checkSource,
		Addresses:   p.registry.Addresses,
	}
}
