package job

import (
	"math/rand/v2"
	"time"
)

// RetryBackoff says how the delay before a retry grows.
type RetryBackoff string

const (
	RetryFixed       RetryBackoff = "FIXED"       // the same before each retry
	RetryExponential RetryBackoff = "EXPONENTIAL" // doubled with each retry
)

// RetryPause is how long a job waits before it retries a run. XXL-JOB retries at once,
// which the zero value does too.
type RetryPause struct {
	DelayS    int32        `db:"retry_delay_s"` // seconds
	Backoff   RetryBackoff `db:"retry_backoff"`
	MaxDelayS int32        `db:"retry_max_delay_s"` // seconds; 0 = MaxRetryDelayS
	JitterPct int32        `db:"retry_jitter_pct"`  // percent of the delay, either way
}

// After is the pause after the run runID, which was attempt 0, 1, … of its fire. The
// jitter is drawn from the run's id, so that the same run always gets the same pause
// and neighbours get different ones. The cap holds with jitter, too.
func (p RetryPause) After(runID int64, attempt int16) time.Duration {
	most := MaxRetryDelayS * time.Second
	if p.MaxDelayS > 0 {
		most = min(most, time.Duration(p.MaxDelayS)*time.Second)
	}
	pause := min(time.Duration(max(p.DelayS, 0))*time.Second, most)
	for range attempt {
		if p.Backoff != RetryExponential || pause == 0 || pause == most {
			break
		}
		pause = min(2*pause, most)
	}
	if p.JitterPct <= 0 {
		return pause
	}
	draw := rand.New(rand.NewPCG(uint64(runID), 0)).Float64() // 0 ≤ draw < 1
	spread := float64(pause) * float64(min(p.JitterPct, 100)) / 100
	return min(pause+time.Duration((2*draw-1)*spread), most).Truncate(time.Millisecond)
}
