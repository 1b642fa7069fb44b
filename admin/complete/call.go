package complete

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// errWaited is why End gave up.
var errWaited = errors.New("storing results took longer than 2 s")

// call is one End: it is done when each of its results was stored or failed.
type call struct {
	done chan struct{}

	mu   sync.Mutex
	left int
	err  error
	gone bool // the caller no longer waits
}

func newCall(n int) *call { return &call{done: make(chan struct{}), left: n} }

// settle counts one result; the first error is kept.
func (w *call) settle(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
	if w.left--; w.left == 0 {
		close(w.done)
	}
}

func (w *call) wait(ctx context.Context) error {
	select {
	case <-w.done:
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.err
	case <-ctx.Done():
		w.mu.Lock()
		w.gone = true
		w.mu.Unlock()
		return fmt.Errorf("store results: %w", context.Cause(ctx))
	}
}

// abandoned reports whether the caller gave up, so that its results need no storing:
// the executor keeps them and sends them again.
func (w *call) abandoned() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.gone
}
