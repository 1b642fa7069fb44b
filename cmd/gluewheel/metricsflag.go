package main

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/gluewheel/gluewheel/executor/metrics"
	"github.com/gluewheel/gluewheel/internal/scrape"
)

// metricsFlag is who may read the figures.
type metricsFlag struct {
	MetricsToken string `placeholder:"TOKEN" env:"GLUEWHEEL_METRICS_TOKEN" help:"Bearer token that lets programs on other machines read /metrics; none may by default."`
}

// handler serves an executor's figures. Two of one name are a mistake of this program.
func (f *metricsFlag) handler(runs *metrics.Runs, e *engines) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(runs, metrics.NewWorkers(e.sandbox.Stats),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return scrape.Handler(registry, f.MetricsToken)
}
