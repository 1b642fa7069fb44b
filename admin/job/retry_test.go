package job_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gluewheel/gluewheel/admin/job"
)

func TestRetryPause_After(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		pause   job.RetryPause
		attempt int16
		want    time.Duration
	}{
		{"at once, as in XXL-JOB", job.RetryPause{}, 3, 0},
		{"exponential of nothing", job.RetryPause{Backoff: job.RetryExponential, JitterPct: 50}, 3, 0},
		{"fixed", job.RetryPause{DelayS: 10, Backoff: job.RetryFixed}, 5, 10 * time.Second},
		{"no word means fixed", job.RetryPause{DelayS: 10}, 5, 10 * time.Second},
		{"exponential, first retry", job.RetryPause{DelayS: 10, Backoff: job.RetryExponential}, 0, 10 * time.Second},
		{"exponential, fourth retry", job.RetryPause{DelayS: 10, Backoff: job.RetryExponential}, 3, 80 * time.Second},
		{"exponential, capped", job.RetryPause{DelayS: 10, Backoff: job.RetryExponential, MaxDelayS: 60}, 3, time.Minute},
		{"exponential, a day at most", job.RetryPause{DelayS: 10, Backoff: job.RetryExponential}, 99, 24 * time.Hour},
		{"largest attempt", job.RetryPause{DelayS: 1, Backoff: job.RetryExponential}, 32767, 24 * time.Hour},
		{"fixed, capped", job.RetryPause{DelayS: 90, MaxDelayS: 60}, 0, time.Minute},
		{"negative", job.RetryPause{DelayS: -1, MaxDelayS: -1, JitterPct: -1}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, c.pause.After(7, c.attempt))
		})
	}
}

func TestRetryPause_JitterStaysWithinItsBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := job.RetryPause{
			DelayS:    rapid.Int32Range(0, job.MaxRetryDelayS).Draw(t, "delay"),
			Backoff:   rapid.SampledFrom(job.RetryBackoffs()).Draw(t, "backoff"),
			MaxDelayS: rapid.Int32Range(0, job.MaxRetryDelayS).Draw(t, "most"),
			JitterPct: rapid.Int32Range(0, 100).Draw(t, "jitter"),
		}
		run, attempt := rapid.Int64Min(1).Draw(t, "run"), rapid.Int16Range(0, job.MaxRetryCount).Draw(t, "attempt")
		plain := p
		plain.JitterPct = 0
		middle, got := plain.After(run, attempt), p.After(run, attempt)
		spread := middle*time.Duration(p.JitterPct)/100 + time.Millisecond

		require.Equal(t, got, p.After(run, attempt), "the same run always gets the same")
		require.GreaterOrEqual(t, got, max(0, middle-spread))
		require.LessOrEqual(t, got, middle+spread)
		if p.MaxDelayS > 0 {
			require.LessOrEqual(t, got, time.Duration(p.MaxDelayS)*time.Second)
		}
	})
}

func TestRetryPause_JitterSpreadsNeighbours(t *testing.T) {
	t.Parallel()
	p := job.RetryPause{DelayS: 100, JitterPct: 50}
	low, high := 0, 0
	for run := range int64(1000) {
		if p.After(run, 0) < 100*time.Second {
			low++
		} else {
			high++
		}
	}
	require.InDelta(t, 500, low, 100)
	require.InDelta(t, 500, high, 100)
}
