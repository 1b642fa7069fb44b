package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/gluewheel/gluewheel/executor"
)

// Runs are the figures of an executor's runs. Give its methods to the executor's Config,
// and the executor to Watch.
type Runs struct {
	ended   *prometheus.CounterVec
	took    *prometheus.HistogramVec
	lag     prometheus.Histogram
	running prometheus.Gauge
	waiting prometheus.Gauge
	results prometheus.Gauge
	load    func() executor.Load
}

// NewRuns makes the figures of an executor that has run nothing yet.
func NewRuns() *Runs {
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
	}
	return &Runs{
		ended: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "gluewheel_executor_runs_ended_total", Help: "Runs that have ended here, by kind of code, outcome and reason.",
		}, []string{"type", "outcome", "reason"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "gluewheel_executor_run_seconds", Help: "How long runs took here, making the code ready included.",
			Buckets: []float64{.005, .025, .1, .5, 1, 5, 15, 60, 300, 1800},
		}, []string{"type"}),
		lag: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "gluewheel_executor_result_lag_seconds", Help: "From the end of a run to the moment when an admin had stored its result.",
			Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 30, 300, 3600},
		}),
		running: gauge("gluewheel_executor_running", "Runs in progress."),
		waiting: gauge("gluewheel_executor_waiting", "Accepted triggers that wait in the queues of their jobs."),
		results: gauge("gluewheel_executor_results_waiting", "Results that no admin has stored yet."),
		load:    func() executor.Load { return executor.Load{} },
	}
}

// Ran counts a run; it is for executor.Config.Ran.
func (r *Runs) Ran(run executor.Ran) {
	r.ended.WithLabelValues(run.GlueType, run.Outcome, run.Reason).Inc()
	r.took.WithLabelValues(run.GlueType).Observe(run.Ended.Sub(run.Began).Seconds())
}

// Acked notes how old a result was when it was stored; it is for executor.Config.Acked.
func (r *Runs) Acked(after time.Duration) { r.lag.Observe(after.Seconds()) }

// Watch has the load of an executor told. It is called before the figures are read.
func (r *Runs) Watch(e *executor.Executor) { r.load = e.Load }

func (r *Runs) parts() []prometheus.Collector {
	return []prometheus.Collector{r.ended, r.took, r.lag, r.running, r.waiting, r.results}
}

// Describe implements [prometheus.Collector].
func (r *Runs) Describe(to chan<- *prometheus.Desc) {
	for _, p := range r.parts() {
		p.Describe(to)
	}
}

// Collect implements [prometheus.Collector].
func (r *Runs) Collect(to chan<- prometheus.Metric) {
	l := r.load()
	r.running.Set(float64(l.Running))
	r.waiting.Set(float64(l.Waiting))
	r.results.Set(float64(l.Results))
	for _, p := range r.parts() {
		p.Collect(to)
	}
}
