package metrics_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gluewheel/gluewheel/executor"
	"github.com/gluewheel/gluewheel/executor/executortest"
	"github.com/gluewheel/gluewheel/executor/metrics"
	"github.com/gluewheel/gluewheel/executor/protocol"
	"github.com/gluewheel/gluewheel/glue"
	"github.com/gluewheel/gluewheel/runtime/worker"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"))
}

func TestWorkers_TellsWhatTheSandboxDoes(t *testing.T) {
	t.Parallel()
	stats := worker.Stats{
		Starts: 7, Warm: 2, Bytes: 1 << 20, Served: 3, Missed: 4,
		Ends: worker.Ends{Timeout: 1, Kill: 2, Memory: 3, Limit: 4, Loading: 5, Crash: 6},
	}
	require.Equal(t, map[string]float64{
		"gluewheel_worker_starts_total":               7,
		"gluewheel_worker_kills_total{cause=timeout}": 1,
		"gluewheel_worker_kills_total{cause=kill}":    2,
		"gluewheel_worker_kills_total{cause=memory}":  3,
		"gluewheel_worker_kills_total{cause=limit}":   4,
		"gluewheel_worker_kills_total{cause=loading}": 5,
		"gluewheel_worker_kills_total{cause=crash}":   6,
		"gluewheel_worker_lookups_total{warm=true}":   3,
		"gluewheel_worker_lookups_total{warm=false}":  4,
		"gluewheel_workers_warm":                      2,
		"gluewheel_workers_warm_bytes":                1 << 20,
	}, gathered(t, metrics.NewWorkers(func() worker.Stats { return stats })))
}

// setup runs an executor that is counted.
func setup(t *testing.T, runs *metrics.Runs, handlers map[string]executor.Handler) (*executor.Executor, *executortest.Admin) {
	t.Helper()
	admin := executortest.NewAdmin(t)
	e, err := executor.New(executor.Config{
		AppName: "app-test", AdminAddresses: []string{admin.URL}, Token: executortest.Token, DataDir: t.TempDir(),
		Listen: "127.0.0.1:0", Ran: runs.Ran, Acked: runs.Acked, Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	for name, h := range handlers {
		require.NoError(t, e.Handle(name, h))
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-done)
	})
	select {
	case <-e.Ready():
	case err := <-done:
		require.NoError(t, err)
	}
	return e, admin
}

func trigger(job int32, id int64, handler string) protocol.Trigger {
	return protocol.Trigger{
		JobID: protocol.Int(job), LogID: protocol.Int(id), ExecutorHandler: handler, GlueType: string(glue.Bean),
		BlockStrategy: protocol.BlockSerial, LogDateTimeMS: protocol.Int(time.Now().UnixMilli()), BroadcastTotal: 1,
	}
}

// gathered is each figure: a counter's or gauge's value, a histogram's number of values.
func gathered(t *testing.T, c prometheus.Collector) map[string]float64 {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(c)
	families, err := registry.Gather()
	require.NoError(t, err)
	got := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			labels := make([]string, len(m.GetLabel()))
			for i, l := range m.GetLabel() {
				labels[i] = l.GetName() + "=" + l.GetValue()
			}
			name := f.GetName()
			if len(labels) > 0 {
				name += "{" + strings.Join(labels, ",") + "}"
			}
			got[name] = m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return got
}

func TestRuns_CountsWhatAnExecutorDoes(t *testing.T) {
	t.Parallel()
	runs := metrics.NewRuns()
	require.Zero(t, gathered(t, runs)["gluewheel_executor_running"], "before it watches an executor")
	begun, goOn := make(chan struct{}), make(chan struct{})
	e, admin := setup(t, runs, map[string]executor.Handler{
		"fail": func(context.Context, *executor.Job) error { return errors.New("no") },
		"wait": func(context.Context, *executor.Job) error { close(begun); <-goOn; return nil },
	})
	runs.Watch(e)
	executortest.Call(t, e.Addr(), protocol.PathRun, trigger(1, 1, "fail"))
	admin.Result(t, 1)
	executortest.Call(t, e.Addr(), protocol.PathRun, trigger(2, 2, "wait"))
	<-begun
	executortest.Call(t, e.Addr(), protocol.PathRun, trigger(2, 3, "fail"))
	const results = "gluewheel_executor_results_waiting"
	require.Eventually(t, func() bool { return gathered(t, runs)[results] == 0 }, patience, tick)
	require.Equal(t, map[string]float64{
		"gluewheel_executor_runs_ended_total{outcome=failed,reason=handler_failed,type=BEAN}": 1,
		"gluewheel_executor_run_seconds{type=BEAN}":                                           1,
		"gluewheel_executor_result_lag_seconds":                                               1,
		"gluewheel_executor_running":                                                          1,
		"gluewheel_executor_waiting":                                                          1,
		results:                                                                               0,
	}, gathered(t, runs))

	admin.SetAway(true)
	close(goOn)
	require.Eventually(t, func() bool { return gathered(t, runs)[results] == 2 }, patience, tick)
	got := gathered(t, runs)
	require.EqualValues(t, 1, got["gluewheel_executor_runs_ended_total{outcome=succeeded,reason=ok,type=BEAN}"])
	require.EqualValues(t, 2, got["gluewheel_executor_runs_ended_total{outcome=failed,reason=handler_failed,type=BEAN}"])
	admin.SetAway(false)
	admin.Result(t, 3)
}

const (
	patience = 20 * time.Second
	tick     = 5 * time.Millisecond
)
