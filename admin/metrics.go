package admin

import (
	"fmt"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/gluewheel/gluewheel/admin/dispatch"
	"github.com/gluewheel/gluewheel/admin/registry"
)

// metrics are this admin's figures for Prometheus; sums over all admins are the
// cluster's.
type metrics struct {
	registry *prometheus.Registry
	flow     *flow
}

// newMetrics makes the counters, beside figures of others. Gauges ask their parts when
// they are read. An error means that two figures have one name.
func newMetrics(others []prometheus.Collector) (*metrics, error) {
	m := &metrics{registry: prometheus.NewRegistry(), flow: newFlow()}
	all := slices.Concat(m.flow.collectors(), others,
		[]prometheus.Collector{collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})})
	for _, c := range all {
		if err := m.registry.Register(c); err != nil {
			return nil, fmt.Errorf("register figures: %w", err)
		}
	}
	return m, nil
}

// watch adds the gauges of the parts.
func (m *metrics) watch(p *parts) {
	gauges := map[string]struct {
		help string
		read func() float64
	}{
		"gluewheel_ready": {"1 when a planning round was completed lately, so that jobs can fire.", func() float64 {
			if p.schedule.Ready() {
				return 1
			}
			return 0
		}},
		"gluewheel_dispatch_free":             {"Fires that the dispatcher takes before it is full.", func() float64 { return float64(p.dispatch.Free()) }},
		"gluewheel_results_waiting":           {"Results that wait to be stored.", func() float64 { return float64(p.complete.Waiting()) }},
		"gluewheel_executors_alive":           {"Registered executors that were heard of lately.", func() float64 { return float64(alive(p.registry)) }},
		"gluewheel_database_connections_used": {"Connections of the pool that are in use.", func() float64 { return float64(p.store.Connections().Used) }},
		"gluewheel_database_connections_max":  {"Connections that the pool has at most.", func() float64 { return float64(p.store.Connections().Max) }},
	}
	m.registry.MustRegister(
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "gluewheel_database_waits_total", Help: "Times that somebody had to wait for a connection of the pool.",
		}, func() float64 { return float64(p.store.Connections().Waits) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "gluewheel_database_wait_seconds_total", Help: "Time spent on getting connections from the pool.",
		}, func() float64 { return p.store.Connections().Waited.Seconds() }),
	)
	m.registry.MustRegister(poolGauges(p.dispatch)...)
	for name, g := range gauges {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: g.help}, g.read))
	}
}

func alive(r *registry.Registry) int {
	n := 0
	for _, e := range r.Executors() {
		if !registry.Dead(&e) {
			n++
		}
	}
	return n
}

// poolGauges tell the load of the dispatcher's pools.
func poolGauges(d *dispatch.Dispatcher) []prometheus.Collector {
	gauge := func(name, help string, slow bool, read func(dispatch.PoolLoad) int) prometheus.Collector {
		opts := prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: prometheus.Labels{"pool": poolName(slow)}}
		return prometheus.NewGaugeFunc(opts, func() float64 {
			load, slowLoad := d.Pools()
			if slow {
				load = slowLoad
			}
			return float64(read(load))
		})
	}
	var all []prometheus.Collector
	for _, slow := range []bool{false, true} {
		all = append(all,
			gauge("gluewheel_pool_waiting", "Fires that wait for a place in a pool of requests.", slow, func(l dispatch.PoolLoad) int { return l.Waiting }),
			gauge("gluewheel_pool_requests", "Requests to executors that a pool has under way.", slow, func(l dispatch.PoolLoad) int { return l.Sending }))
	}
	return all
}
