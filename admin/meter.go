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

// flow counts fires on their way, beside the parts that move them: each stands between
// a part and what it calls, and changes nothing.
type flow struct {
	planned    prometheus.Counter
	missed     prometheus.Counter
	dispatched *prometheus.CounterVec
	late       prometheus.Counter
	lateness   prometheus.Histogram
	suppressed prometheus.Counter
	planning   prometheus.Histogram
	skipped    prometheus.Counter
	sending    prometheus.Gauge
	callback   prometheus.Histogram
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
	return &flow{
		planned: counter("gluewheel_fires_planned_total", "Fires that this admin has planned from schedules."),
		missed:  counter("gluewheel_fires_missed_total", "Ledger rows of fires that were too late and were skipped by their jobs' misfire strategy."),
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
		callback: histogram("gluewheel_callback_seconds", "From a batch of results coming in to its commit."),
	}
}

func (f *flow) collectors() []prometheus.Collector {
	return []prometheus.Collector{
		f.planned, f.missed, f.dispatched, f.late, f.lateness, f.suppressed, f.planning, f.skipped, f.sending, f.callback,
	}
}

// meteredLedger counts what planning commits.
type meteredLedger struct {
	*store.Store
	flow *flow
}

// PlanDue is the store's.
func (l meteredLedger) PlanDue(ctx context.Context, req job.PlanRequest, plan func(time.Time, []job.Due) job.Plan) (job.PlanResult, error) {
	begin := time.Now()
	res, err := l.Store.PlanDue(ctx, req, plan)
	if err != nil {
		return res, err
	}
	if len(res.Buckets) == 0 {
		l.flow.skipped.Inc()
		return res, nil
	}
	l.flow.planning.Observe(time.Since(begin).Seconds())
	l.flow.planned.Add(float64(len(res.Fires)))
	l.flow.missed.Add(float64(res.Skipped))
	return res, nil
}

// meteredSender counts what goes to executors.
type meteredSender struct {
	*execclient.Client
	flow *flow
	now  func() time.Time
}

// Run is the client's.
func (s meteredSender) Run(ctx context.Context, t job.Target, trigger *protocol.Trigger) job.Outcome {
	s.leave(trigger)
	s.flow.sending.Inc()
	defer s.flow.sending.Dec()
	out := s.Client.Run(ctx, t, trigger)
	s.flow.answered(out)
	return out
}

// RunBatch is the client's.
func (s meteredSender) RunBatch(ctx context.Context, t job.Target, triggers []protocol.Trigger) []job.Outcome {
	for i := range triggers {
		s.leave(&triggers[i])
	}
	s.flow.sending.Inc()
	defer s.flow.sending.Dec()
	out := s.Client.RunBatch(ctx, t, triggers)
	for _, o := range out {
		s.flow.answered(o)
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

var verdicts = map[job.Verdict]string{
	job.NoAnswer: "no_answer", job.Accepted: "accepted", job.Refused: "refused", job.Unreachable: "unreachable",
}

func (f *flow) answered(o job.Outcome) {
	f.dispatched.WithLabelValues(verdicts[o.Verdict]).Inc()
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
