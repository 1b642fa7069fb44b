package executor

import (
	"sync"
	"time"

	"github.com/gluewheel/gluewheel/executor/joblog"
)

// progressEvery is how often a run's progress is logged at most.
const progressEvery = time.Second

// progressTo writes progress into the run's log, but not every step of a fast loop.
func progressTo(log *joblog.Writer) func(percent float64, note string) {
	var mu sync.Mutex
	var last time.Time
	return func(percent float64, note string) {
		mu.Lock()
		defer mu.Unlock()
		if percent < 100 && time.Since(last) < progressEvery {
			return
		}
		last = time.Now()
		log.Printf("progress %.0f%% %s", percent, note)
	}
}
