package registry

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

const (
	// idleApart is the least time between the two answers that prove a run forgotten:
	// longer than a trigger is on its way, and than Java waits before it repeats a result.
	idleApart = time.Minute
	// idleProbes bounds the questions of one round. With probesAtOnce under way and every
	// one of them hanging, a round takes 12 s.
	idleProbes = 64
)

// work is a job at an address.
type work struct {
	address string
	jobID   int32 // as the executor knows it
}

// idleness is what a foreign executor said about one job.
type idleness struct {
	asked time.Time
	since time.Time // of the first of idle answers in a row; zero = the last was not idle
}

// loseForgotten ends runs without a result for ten minutes whose executor is there, is
// not one of ours, and has forgotten them: asked twice, idleApart apart, it was idle with
// the job. XXL-JOB leaves them open until somebody kills them. Ours list what they hold.
func (r *Registry) loseForgotten(ctx context.Context, addresses []string) error {
	if len(addresses) == 0 {
		clear(r.idle)
		return nil
	}
	open, err := r.cfg.Store.OpenRuns(ctx, []job.State{job.Running}, addresses, foreignPatience, loseAtOnce)
	if err != nil {
		return err
	}
	runs := map[work][]job.OpenRun{}
	for _, o := range open {
		w := work{job.SameAddress(o.Address), o.JobID}
		if o.IsTest {
			w.jobID = protocol.TestJobID(o.JobID)
		}
		runs[w] = append(runs[w], o)
	}
	now := time.Now()
	asked := r.nextIdle(now, runs)
	idle := r.askIdle(ctx, asked, runs)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var lost []job.Result
	for i, w := range asked {
		was := r.idle[w]
		switch {
		case !idle[i]:
			was.since = time.Time{}
		case was.since.IsZero():
			was.since = now
		default:
			for _, o := range runs[w] {
				lost = append(lost, lostRun(o.RunID, job.ReasonLostResult,
					"No result for ten minutes, and the executor is idle: it does not know the run any more."))
			}
		}
		was.asked = now
		r.idle[w] = was
	}
	return r.lose(ctx, lost)
}

// nextIdle forgets what has no old runs any more, and picks what to ask about: what was
// not asked about for idleApart, the longest first.
func (r *Registry) nextIdle(now time.Time, runs map[work][]job.OpenRun) []work {
	for w := range r.idle {
		if _, ok := runs[w]; !ok {
			delete(r.idle, w)
		}
	}
	var due []work
	for w := range runs {
		if now.Sub(r.idle[w].asked) >= idleApart {
			due = append(due, w)
		}
	}
	slices.SortFunc(due, func(a, b work) int { return r.idle[a].asked.Compare(r.idle[b].asked) })
	return due[:min(len(due), idleProbes)]
}

// askIdle asks in parallel. One that does not answer, or says anything else, is not idle.
func (r *Registry) askIdle(ctx context.Context, asked []work, runs map[work][]job.OpenRun) []bool {
	idle := make([]bool, len(asked))
	limit := make(chan struct{}, probesAtOnce)
	var wg sync.WaitGroup
	for i, w := range asked {
		limit <- struct{}{}
		wg.Go(func() {
			defer func() { <-limit }()
			target := r.Target(runs[w][0].GroupID, w.address)
			idle[i] = r.cfg.Prober.IdleBeat(ctx, target, w.jobID).Verdict == job.Accepted
		})
	}
	wg.Wait()
	return idle
}
