package admin

import (
	"encoding/json"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

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
	registry := prometheus.NewRegistry()
	registry.MustRegister(f.late, f.suppressed, f.lateness)
	families, err := registry.Gather()
	require.NoError(t, err)
	got := map[string]float64{}
	for _, family := range families {
		m := family.GetMetric()[0]
		got[family.GetName()] = m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount())
	}
	require.Equal(t, map[string]float64{
		"gluewheel_fires_late_total": 1, "gluewheel_fires_doubled_suppressed_total": 1, "gluewheel_fire_lateness_seconds": 2,
	}, got)
}

// What is shown and alerted about must be told: a name that nobody counts stays silent.
func TestMetrics_AreThoseOfTheDashboardAndTheAlerts(t *testing.T) {
	t.Parallel()
	source := ""
	for _, file := range []string{"meter.go", "metrics.go"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		source += string(text)
	}
	for _, file := range []string{"../docs/alerts.yml", "../docs/grafana-dashboard.json"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		names := regexp.MustCompile(`gluewheel_[a-z_]+`).FindAllString(string(text), -1)
		require.NotEmpty(t, names)
		for _, name := range names {
			name = regexp.MustCompile(`_bucket$`).ReplaceAllString(name, "")
			require.Contains(t, source, `"`+name+`"`, file)
		}
	}
	text, err := os.ReadFile("../docs/grafana-dashboard.json")
	require.NoError(t, err)
	require.True(t, json.Valid(text))
}
