package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"go.yaml.in/yaml/v4"

	"github.com/gluewheel/gluewheel/internal/trace/tracetest"
)

// figures reads /metrics: what each figure adds up to, whatever its labels.
func figures(t *testing.T, url string) map[string]float64 {
	t.Helper()
	resp, err := http.Get(url + "/metrics")
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, http.StatusOK, resp.StatusCode)
	all := map[string]float64{}
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		name, value, ok := strings.Cut(lines.Text(), " ")
		if strings.HasPrefix(name, "#") || !ok {
			continue
		}
		if i := strings.LastIndex(lines.Text(), "} "); i > 0 { // labels may contain spaces
			name, value = lines.Text()[:strings.Index(lines.Text(), "{")], lines.Text()[i+2:]
		}
		v, err := strconv.ParseFloat(value, 64)
		require.NoError(t, err, lines.Text())
		all[name] += v
	}
	return all
}

// moving are the figures that a first minute with the sample jobs moves.
var moving = []string{
	"gluewheel_ready", "gluewheel_executors_alive", "gluewheel_database_connections_max", "gluewheel_dispatch_free",
	"gluewheel_fires_planned_total", "gluewheel_fires_dispatched_total", "gluewheel_fire_lateness_seconds_count",
	"gluewheel_runs_ended_total", "gluewheel_planning_seconds_count", "gluewheel_planning_lock_wait_seconds_sum",
	"gluewheel_planning_lock_hold_seconds_sum", "gluewheel_pool_wait_seconds_count", "gluewheel_callback_seconds_count",
	"gluewheel_database_wait_seconds_total", "gluewheel_executor_runs_ended_total", "gluewheel_executor_run_seconds_count",
	"gluewheel_executor_result_lag_seconds_count", "gluewheel_worker_starts_total", "gluewheel_worker_lookups_total",
	"process_resident_memory_bytes",
}

// shown are the names of figures in the files for Grafana and Prometheus: a name that
// nobody serves stays silent there.
func shown(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, file := range []string{"../../docs/alerts.yml", "../../docs/grafana-dashboard.json"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if strings.HasSuffix(file, ".json") {
			require.True(t, json.Valid(text), file)
		} else {
			require.NoError(t, yaml.Unmarshal(text, &struct{ Groups []any }{}), file)
		}
		names := regexp.MustCompile(`\b(gluewheel_[a-z_]+|process_[a-z_]+)`).FindAllString(string(text), -1)
		require.NotEmpty(t, names)
		all = append(all, names...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// TestStandalone_CanBeWatched starts everything with a collector beside it: each run is
// one trace, and each figure that the dashboard shows is there.
func TestStandalone_CanBeWatched(t *testing.T) {
	t.Parallel()
	collector := tracetest.NewSink(t, nil)
	s := startStandalone(t, openDir(t), "--otlp-endpoint="+collector.URL)
	var still []string
	require.Eventually(t, func() bool {
		got := figures(t, s.url)
		still = slices.DeleteFunc(slices.Clone(moving), func(name string) bool { return got[name] > 0 })
		return len(still) == 0
	}, 5*time.Minute, 200*time.Millisecond, "%v", &still)
	got := figures(t, s.url)
	for _, name := range shown(t) {
		_, there := got[name]
		_, histogram := got[name+"_count"]
		require.True(t, there || histogram, "%s is shown, and not served", name)
	}
	require.Equal(t, exitOK, s.stop())

	require.Equal(t, "gluewheel", collector.Resource()["service.name"])
	whole := wholeTraces(collector.Spans())
	require.NotEmpty(t, whole, "runs that ended, from plan to result")
	for id, steps := range whole {
		root := steps["run"]
		require.Empty(t, root.GetParentSpanId(), id)
		for name, span := range steps {
			require.Equal(t, attributeOf(root, "gluewheel.run_id"), attributeOf(span, "gluewheel.run_id"), "%s of %s", name, id)
			require.LessOrEqual(t, span.GetStartTimeUnixNano(), span.GetEndTimeUnixNano(), "%s of %s", name, id)
			if name != "run" {
				require.Equal(t, root.GetSpanId(), span.GetParentSpanId(), "%s of %s", name, id)
			}
		}
		require.LessOrEqual(t, steps["plan"].GetEndTimeUnixNano(), steps["dispatch"].GetStartTimeUnixNano(), id)
		require.LessOrEqual(t, steps["dispatch"].GetStartTimeUnixNano(), steps["execute"].GetStartTimeUnixNano(), id)
		require.LessOrEqual(t, steps["execute"].GetEndTimeUnixNano(), steps["complete"].GetEndTimeUnixNano(), id)
	}
}

// wholeTraces are the traces that have all steps, by id and name.
func wholeTraces(spans []*otlp.Span) map[string]map[string]*otlp.Span {
	traces := map[string]map[string]*otlp.Span{}
	for _, span := range spans {
		id := hex.EncodeToString(span.GetTraceId())
		if traces[id] == nil {
			traces[id] = map[string]*otlp.Span{}
		}
		traces[id][span.GetName()] = span
	}
	for id, steps := range traces {
		for _, name := range []string{"run", "plan", "dispatch", "execute", "complete"} {
			if steps[name] == nil {
				delete(traces, id)
			}
		}
	}
	return traces
}

func attributeOf(span *otlp.Span, key string) int64 {
	for _, a := range span.GetAttributes() {
		if a.GetKey() == key {
			return a.GetValue().GetIntValue()
		}
	}
	return 0
}

func TestTraceFlags_FollowTheStandardVariables(t *testing.T) {
	for name, c := range map[string]struct {
		variables map[string]string
		flags     []string
		to        string
		refused   string
	}{
		"nothing":             {},
		"the endpoint":        {variables: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318/"}, to: "http://c:4318/v1/traces"},
		"that of traces":      {variables: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://t/x"}, to: "https://t/x"},
		"the flag":            {flags: []string{"--otlp-endpoint=http://f:1"}, to: "http://f:1/v1/traces"},
		"off":                 {variables: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_SDK_DISABLED": "true"}},
		"no exporter":         {variables: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_TRACES_EXPORTER": "none"}},
		"no URL":              {flags: []string{"--otlp-endpoint=c:4318"}, refused: "otlp-endpoint"},
		"no headers":          {variables: map[string]string{"OTEL_EXPORTER_OTLP_HEADERS": "secret"}, refused: "otlp-headers"},
		"gRPC":                {variables: map[string]string{"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, refused: "http/protobuf"},
		"an unknown exporter": {variables: map[string]string{"OTEL_TRACES_EXPORTER": "zipkin"}, refused: "traces-exporter"},
		"more than all":       {flags: []string{"--trace-ratio=1.5"}, refused: "trace-ratio"},
	} {
		t.Run(name, func(t *testing.T) {
			for key, value := range c.variables {
				t.Setenv(key, value)
			}
			var parsed cli
			parser, err := newParser(&parsed, &streams{out: io.Discard, err: io.Discard}, func(int) {})
			require.NoError(t, err)
			for flags, args := range map[*traceFlags][]string{
				&parsed.Admin.traceFlags:      {"admin", "--database-url=postgres://h/d"},
				&parsed.Executor.traceFlags:   {"executor", "--admin-addresses=http://a", "--executor-token=t"},
				&parsed.Standalone.traceFlags: {"standalone"},
			} {
				_, err = parser.Parse(append(args, c.flags...))
				if c.refused != "" {
					require.ErrorContains(t, err, c.refused, args[0])
					continue
				}
				require.NoError(t, err, args[0])
				require.Equal(t, c.to, flags.tracesURL(), args[0])
			}
		})
	}
}

// Without a collector nothing is told to anybody.
func TestTraceFlags_OffMeansNoFunctions(t *testing.T) {
	t.Parallel()
	f := traceFlags{TraceRatio: 1}
	traced, err := f.traces(t.Context(), "gluewheel", slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	require.Nil(t, traced.steps())
	require.Nil(t, traced.runs())
	traced.close()
}

func TestTraceFlags_Header(t *testing.T) {
	t.Parallel()
	f := traceFlags{OTLPHeaders: "api-key=a%20b==, tenant = blue ,"}
	h, err := f.header()
	require.NoError(t, err)
	require.Equal(t, http.Header{"Api-Key": {"a b=="}, "Tenant": {"blue"}}, h)
}
