package admin

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/gluewheel/gluewheel/admin/complete"
	"github.com/gluewheel/gluewheel/admin/execclient"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/store"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

// flow counts fires on their way, beside the parts that move them. What is metered stands
// between a part and what it calls, and changes nothing.
type flow struct {
	planned    prometheus.Counter
	missed     prometheus.Counter
	dispatched *prometheus.CounterVec
	late       prometheus.Counter
	lateness   prometheus.Histogram
	suppressed prometheus.Counter
	planning   prometheus.Histogram
	lockWait   prometheus.Histogram
	lockHold   prometheus.Histogram
	skipped    prometheus.Counter
	sending    prometheus.Gauge
	poolWait   *prometheus.HistogramVec
	callback   prometheus.Histogram
	ended      *prometheus.CounterVec
}

// lateAfter is the lateness from which a fire counts as late.
const lateAfter = time.Second

func newFlow() *flow {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	seconds := []float64{.001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}
	histogram := func(name, help string) prometheus.Histogram {
		return prometheus.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: seconds})
	}
	f := &flow{
		planned: counter("gluewheel_fires_planned_total", "Fires that this admin has planned from schedules."),
		missed:  counter("gluewheel_fires_missed_total", "Fires that were too late and were skipped by their jobs' misfire strategy."),
		dispatched: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "gluewheel_fires_dispatched_total", Help: "Requests to run something, by what the executor made of them.",
		}, []string{"verdict"}),
		late:       counter("gluewheel_fires_late_total", "First attempts that were sent more than a second after their instant."),
		lateness:   histogram("gluewheel_fire_lateness_seconds", "From the planned instant of a first attempt to the request."),
		suppressed: counter("gluewheel_fires_doubled_suppressed_total", "Requests that executors had taken before, and did not run a second time."),
		planning:   histogram("gluewheel_planning_seconds", "Planning rounds, from asking for a bucket's lock to its release by the commit."),
		skipped:    counter("gluewheel_planning_without_lock_total", "Planning rounds that found all buckets locked by other admins."),
		sending: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "gluewheel_requests_in_flight", Help: "Requests to executors that are being answered.",
		}),
		lockWait: histogram("gluewheel_planning_lock_wait_seconds", "From asking for the locks of buckets to having them; those that other admins hold are passed over."),
		lockHold: histogram("gluewheel_planning_lock_hold_seconds", "How long the locks of buckets were held, to the end of the commit."),
		poolWait: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "gluewheel_pool_wait_seconds", Help: "How long requests to executors waited for a place in their pool.", Buckets: seconds,
		}, []string{"pool"}),
		callback: histogram("gluewheel_callback_seconds", "From a batch of results coming in to its commit."),
		ended: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "gluewheel_runs_ended_total", Help: "Runs whose end this admin stored, by the state in which they ended. Cancelled ones have none.",
		}, []string{"state"}),
	}
	f.begin()
	return f
}

// begin has figures with labels told before they move: only then their first step shows.
func (f *flow) begin() {
	for s := job.Succeeded; s <= job.Discarded; s++ {
		f.ended.WithLabelValues(s.String())
	}
	for v := job.NoAnswer; v <= job.Unreachable; v++ {
		f.dispatched.WithLabelValues(v.String())
	}
	for _, slow := range []bool{false, true} {
		f.poolWait.WithLabelValues(poolName(slow))
	}
}

// endedRuns counts what a commit ended.
func (f *flow) endedRuns(runs []job.Ended) {
	for i := range runs {
		f.ended.WithLabelValues(runs[i].State.String()).Inc()
	}
}

// skippedFires counts fires that a misfire strategy passed over, and the rows of the ledger
// that stand for them.
func (f *flow) skippedFires(fires, rows int) {
	f.missed.Add(float64(fires))
	f.ended.WithLabelValues(job.Misfired.String()).Add(float64(rows))
}

// waited notes how long a request waited in a pool.
func (f *flow) waited(slow bool, wait time.Duration) {
	f.poolWait.WithLabelValues(poolName(slow)).Observe(wait.Seconds())
}

// poolName is the label of one of the dispatcher's pools.
func poolName(slow bool) string {
	if slow {
		return "slow"
	}
	return "fast"
}

func (f *flow) collectors() []prometheus.Collector {
	return []prometheus.Collector{
		f.planned, f.missed, f.dispatched, f.late, f.lateness, f.suppressed, f.planning, f.lockWait, f.lockHold,
		f.skipped, f.sending, f.poolWait, f.callback, f.ended,
	}
}

// meteredLedger counts what planning commits, and tells of it.
type meteredLedger struct {
	*store.Store
	flow  *flow
	trace tracer
}

// PlanDue is the store's.
func (l meteredLedger) PlanDue(ctx context.Context, req job.PlanRequest, plan func(time.Time, []job.Due) job.Plan) (job.PlanResult, error) {
	begin := time.Now()
	res, err := l.Store.PlanDue(ctx, req, plan)
	if err != nil {
		return res, err
	}
	l.trace.planned(begin, res.Fires)
	l.flow.round(res, time.Since(begin))
	return res, nil
}

// round counts a planning round.
func (f *flow) round(res job.PlanResult, took time.Duration) {
	if len(res.Buckets) == 0 {
		f.skipped.Inc()
		return
	}
	f.planning.Observe(took.Seconds())
	f.lockWait.Observe(res.LockWait.Seconds())
	f.lockHold.Observe(res.LockHold.Seconds())
	f.planned.Add(float64(len(res.Fires)))
	f.skippedFires(res.Missed, res.Skipped)
}

// Sweep is the store's.
func (l meteredLedger) Sweep(ctx context.Context, req job.SweepRequest, misfire func([]job.Late) []int64) (job.SweepResult, error) {
	res, err := l.Store.Sweep(ctx, req, misfire)
	if err == nil {
		l.flow.skippedFires(res.Misfired, res.Misfired) // each is a fire of its own
	}
	return res, err
}

// meteredSender counts what goes to executors, and tells of it.
type meteredSender struct {
	*execclient.Client
	flow  *flow
	trace tracer
	now   func() time.Time
}

// Run is the client's.
func (s meteredSender) Run(ctx context.Context, t job.Target, trigger *protocol.Trigger) job.Outcome {
	s.leave(trigger)
	begin := time.Now()
	s.flow.sending.Inc()
	defer s.flow.sending.Dec()
	out := s.Client.Run(ctx, t, trigger)
	s.flow.answered(out)
	s.trace.sent(begin, t.Address, trigger, out)
	return out
}

// RunBatch is the client's.
func (s meteredSender) RunBatch(ctx context.Context, t job.Target, triggers []protocol.Trigger) []job.Outcome {
	for i := range triggers {
		s.leave(&triggers[i])
	}
	begin := time.Now()
	s.flow.sending.Inc()
	defer s.flow.sending.Dec()
	out := s.Client.RunBatch(ctx, t, triggers)
	for i := range out {
		s.flow.answered(out[i])
		s.trace.sent(begin, t.Address, &triggers[i], out[i])
	}
	return out
}

// leave notes how late a first attempt leaves. Foreign executors are not told which
// attempt it is, so that their retries count, too.
func (s meteredSender) leave(t *protocol.Trigger) {
	if t.Gluewheel != nil && t.Gluewheel.Attempt > 0 {
		return
	}
	late := max(s.now().Sub(time.UnixMilli(int64(t.LogDateTimeMS))), 0)
	s.flow.lateness.Observe(late.Seconds())
	if late > lateAfter {
		s.flow.late.Inc()
	}
}

func (f *flow) answered(o job.Outcome) {
	f.dispatched.WithLabelValues(o.Verdict.String()).Inc()
	if o.Repeat {
		f.suppressed.Inc()
	}
}

// meteredCallbacks times how long results wait for their commit.
type meteredCallbacks struct {
	*complete.Completer
	flow *flow
}

// EndStarted is the completer's.
func (c meteredCallbacks) EndStarted(ctx context.Context, endings []job.Ending) error {
	begin := time.Now()
	err := c.Completer.EndStarted(ctx, endings)
	if err == nil {
		c.flow.callback.Observe(time.Since(begin).Seconds())
	}
	return err
}
