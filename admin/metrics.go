package admin

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/adaptor"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/registry"
)

// metrics are this admin's figures for Prometheus; sums over all admins are the
// cluster's.
type metrics struct {
	registry *prometheus.Registry
	ended    *prometheus.CounterVec
	flow     *flow
}

// newMetrics makes the counters. Gauges ask their parts when they are read.
func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		flow:     newFlow(),
		ended: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "gluewheel_runs_ended_total", Help: "Runs whose end this admin stored, by the state in which they ended.",
		}, []string{"state"}),
	}
	m.registry.MustRegister(m.flow.collectors()...)
	m.registry.MustRegister(m.ended, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// endedRuns counts what a commit ended.
func (m *metrics) endedRuns(runs []job.Ended) {
	for i := range runs {
		m.ended.WithLabelValues(runs[i].State.String()).Inc()
	}
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

// handler serves the figures to programs on this machine, and to those that bring the
// token. A request that came through a proxy does not count as from this machine.
func (m *metrics) handler(token string) fiber.Handler {
	serve := adaptor.HTTPHandler(promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	want := sha256.Sum256([]byte(token))
	return func(c *fiber.Ctx) error {
		given := sha256.Sum256([]byte(strings.TrimPrefix(c.Get(fiber.HeaderAuthorization), "Bearer ")))
		knows := token != "" && subtle.ConstantTimeCompare(given[:], want[:]) == 1
		forwarded := c.Get(fiber.HeaderXForwardedFor) != "" || c.Get(fiber.HeaderForwarded) != ""
		if !knows && (forwarded || !c.Context().RemoteIP().IsLoopback()) {
			return c.Status(http.StatusUnauthorized).SendString("Send the metrics token as a bearer token, or ask from the admin's own machine.\n")
		}
		return serve(c)
	}
}
