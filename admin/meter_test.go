package admin

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

// moved is what a flow has counted: values of counters, and of histograms how many.
func moved(t *testing.T, f *flow) map[string]float64 {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(f.collectors()...)
	families, err := registry.Gather()
	require.NoError(t, err)
	got := map[string]float64{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			name := family.GetName()
			for _, l := range m.GetLabel() {
				name += "/" + l.GetValue()
			}
			if v := m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount()); v != 0 {
				got[name] = v
			}
		}
	}
	return got
}

func TestFlow_CountsLateFirstAttemptsAndSuppressedDoubles(t *testing.T) {
	t.Parallel()
	f := newFlow()
	now := time.UnixMilli(1_800_000_000_000)
	s := meteredSender{flow: f, now: func() time.Time { return now }}
	at := func(late time.Duration, attempt int) *protocol.Trigger {
		return &protocol.Trigger{
			LogDateTimeMS: protocol.Int(now.Add(-late).UnixMilli()), Gluewheel: &protocol.TriggerX{Attempt: attempt},
		}
	}
	s.leave(at(5*time.Millisecond, 0))
	s.leave(at(3*time.Second, 0))
	s.leave(at(time.Hour, 1)) // a retry is not late
	f.answered(job.Outcome{Verdict: job.Accepted, Repeat: true})
	f.answered(job.Outcome{Verdict: job.Unreachable})
	require.Equal(t, map[string]float64{
		"gluewheel_fires_late_total": 1, "gluewheel_fire_lateness_seconds": 2, "gluewheel_fires_doubled_suppressed_total": 1,
		"gluewheel_fires_dispatched_total/accepted": 1, "gluewheel_fires_dispatched_total/unreachable": 1,
	}, moved(t, f))
}

func TestFlow_CountsPlanning(t *testing.T) {
	t.Parallel()
	f := newFlow()
	f.round(job.PlanResult{}, time.Second)
	require.Equal(t, map[string]float64{"gluewheel_planning_without_lock_total": 1}, moved(t, f), "others had the locks")

	f.round(job.PlanResult{
		Buckets: []int32{0}, Fires: make([]job.Fire, 3), Skipped: 2, Missed: 5000, LockWait: time.Millisecond, LockHold: 2 * time.Millisecond,
	}, 4*time.Millisecond)
	f.skippedFires(5, 5) // by the sweeper
	require.Equal(t, map[string]float64{
		"gluewheel_planning_without_lock_total": 1, "gluewheel_planning_seconds": 1,
		"gluewheel_planning_lock_wait_seconds": 1, "gluewheel_planning_lock_hold_seconds": 1,
		"gluewheel_fires_planned_total": 3, "gluewheel_fires_missed_total": 5005, "gluewheel_runs_ended_total/misfired": 7,
	}, moved(t, f))
}

func TestFlow_CountsEndsByStateAndWaitsByPool(t *testing.T) {
	t.Parallel()
	f := newFlow()
	f.endedRuns([]job.Ended{{State: job.Succeeded}, {State: job.Succeeded}, {State: job.TimedOut}})
	f.waited(false, time.Millisecond)
	f.waited(true, time.Second)
	f.waited(true, time.Second)
	require.Equal(t, map[string]float64{
		"gluewheel_runs_ended_total/succeeded": 2, "gluewheel_runs_ended_total/timed_out": 1,
		"gluewheel_pool_wait_seconds/fast": 1, "gluewheel_pool_wait_seconds/slow": 2,
	}, moved(t, f))
}

func TestNewMetrics_RefusesTwoFiguresOfOneName(t *testing.T) {
	t.Parallel()
	same := prometheus.NewGauge(prometheus.GaugeOpts{Name: "gluewheel_fires_planned_total", Help: "Another one."})
	_, err := newMetrics([]prometheus.Collector{same})
	require.ErrorContains(t, err, "register figures")
}
