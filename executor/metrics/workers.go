package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/gluewheel/gluewheel/runtime/worker"
)

// Workers are the figures of a sandbox's workers. It asks the sandbox when it is read.
type Workers struct {
	stats                               func() worker.Stats
	starts, ends, warm, memory, lookups *prometheus.Desc
}

// NewWorkers makes the figures of a sandbox, told by its Stats.
func NewWorkers(stats func() worker.Stats) *Workers {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, labels, nil)
	}
	return &Workers{
		stats:   stats,
		starts:  desc("gluewheel_worker_starts_total", "Sandbox workers that were started, for runs, for the warm pool and for checks."),
		ends:    desc("gluewheel_worker_kills_total", "Sandbox workers that ended before their program did, by why: timeout, kill, memory (outgrown), limit (another one), loading (took too long, or was not wanted any more), crash.", "cause"),
		warm:    desc("gluewheel_workers_warm", "Sandbox workers that wait for a run."),
		memory:  desc("gluewheel_workers_warm_bytes", "Memory of the workers that wait for a run."),
		lookups: desc("gluewheel_worker_lookups_total", "Runs in the sandbox, by whether a warm worker was there.", "warm"),
	}
}

// Describe implements [prometheus.Collector].
func (w *Workers) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{w.starts, w.ends, w.warm, w.memory, w.lookups} {
		to <- d
	}
}

// Collect implements [prometheus.Collector].
func (w *Workers) Collect(to chan<- prometheus.Metric) {
	s := w.stats()
	counter := func(d *prometheus.Desc, n int64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), labels...)
	}
	counter(w.starts, s.Starts)
	counter(w.ends, s.Ends.Timeout, "timeout")
	counter(w.ends, s.Ends.Kill, "kill")
	counter(w.ends, s.Ends.Memory, "memory")
	counter(w.ends, s.Ends.Limit, "limit")
	counter(w.ends, s.Ends.Loading, "loading")
	counter(w.ends, s.Ends.Crash, "crash")
	counter(w.lookups, s.Served, "true")
	counter(w.lookups, s.Missed, "false")
	to <- prometheus.MustNewConstMetric(w.warm, prometheus.GaugeValue, float64(s.Warm))
	to <- prometheus.MustNewConstMetric(w.memory, prometheus.GaugeValue, float64(s.Bytes))
}
