package api

import (
	"github.com/gluewheel/gluewheel/admin/job"
)

// RunRoute says why a run went to its executor.
type RunRoute struct {
	Code            RouteCode     `json:"code" doc:"only: there was one executor. first, last, random: of the list. round: its turn. least_used: it had got the fewest runs. longest_unused: it had waited longest. hash: the job's id leads to it. failover: the first that answered. busyover: the first that was not busy. shard: the place of the shard's index. shard_gone: that place is gone since, so the first."`
	Strategy        RouteStrategy `json:"strategy" doc:"The job's, as it was then."`
	Candidates      int32         `json:"candidates" doc:"Executors to choose from."`
	Place           int32         `json:"place" doc:"Of the chosen one among them, from 1 on."`
	Given           bool          `json:"given" doc:"The run came with its own addresses; the group's executors were not looked at."`
	Uses            int64         `json:"uses" doc:"least_used: how many runs it had got before, as far as the admin remembered."`
	PassedOver      []PassedOver  `json:"passed_over" nullable:"false" doc:"failover, busyover: the first that were asked before it and not taken."`
	PassedOverTotal int32         `json:"passed_over_total" doc:"How many these were."`
}

// PassedOver is an executor that was asked and not taken.
type PassedOver struct {
	Address string `json:"address"`
	Answer  string `json:"answer"`
}

func routeOf(r job.Run) *RunRoute {
	if r.Route == nil {
		return nil
	}
	return &RunRoute{
		Code: RouteCode(r.Route.Code()), Strategy: RouteStrategy(r.Route.Strategy),
		Candidates: r.Route.Candidates, Place: r.Route.Place, Given: len(r.Addresses) > 0, Uses: r.Route.Uses,
		PassedOver:      mapped(r.Route.Passed, func(p job.Passed) PassedOver { return PassedOver(p) }),
		PassedOverTotal: r.Route.PassedTotal,
	}
}
