package samples

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/gluewheel/gluewheel/executor"
)

// Register adds the handlers that the BEAN samples name.
func Register(e *executor.Executor) error {
	return e.Handle("countdownJobHandler", countdown)
}

// countdown counts the parameter down to zero, a step each half second.
func countdown(ctx context.Context, job *executor.Job) error {
	from, err := strconv.Atoi(job.Param())
	if err != nil || from < 1 || from > 100 {
		return fmt.Errorf("the parameter must be a number from 1 to 100, not %q", job.Param())
	}
	for n := from; n > 0; n-- {
		job.Logf("%d …", n)
		job.Progress(100*float64(from-n)/float64(from), fmt.Sprintf("%d to go", n))
		select {
		case <-time.After(500 * time.Millisecond):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	job.SetResult(fmt.Sprintf("counted down from %d", from))
	return nil
}
