// Package stack runs the long-lived parts of a program on top of each other: each may
// rely on those below it from its start to its end.
package stack

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// Part is a long-lived piece of the program. Run returns after its context has ended and
// all that it started has ended too.
type Part struct {
	Name string
	Run  func(context.Context) error
}

// ErrEnded says that a part returned although nobody asked it to.
var ErrEnded = errors.New("ended by itself")

// Stack says how parts are stopped. The zero value waits for each as long as it takes.
type Stack struct {
	// Patience bounds the wait for one part; what has not stopped by then is left behind
	// with a warning. 0 is no bound.
	Patience time.Duration
	Log      *slog.Logger // for that warning; needed with Patience
}

// Run starts the parts in order, waits until ctx ends or one of them does, and stops
// them in the opposite order, each wholly before the next.
func (s Stack) Run(ctx context.Context, parts ...Part) error {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var all []running
	for _, p := range parts {
		all = append(all, start(ctx, p, fail))
	}
	<-ctx.Done()
	errs := []error{failureOf(ctx)}
	for i := len(all) - 1; i >= 0; i-- {
		errs = append(errs, s.stop(ctx, all[i]))
	}
	return errors.Join(errs...)
}

type running struct {
	name   string
	cancel context.CancelFunc
	done   chan error // capacity 1: nobody may be left to listen
}

func start(ctx context.Context, p Part, fail context.CancelCauseFunc) running {
	// Not ended by ctx: the order of stopping is Run's to keep.
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r := running{p.Name, cancel, make(chan error, 1)}
	go func() {
		err := p.Run(own)
		if own.Err() == nil {
			if err == nil {
				err = ErrEnded
			}
			fail(partError{p.Name, err})
			err = nil // reported once
		}
		r.done <- err
	}()
	return r
}

// stop asks the part to end, and waits for that.
func (s Stack) stop(ctx context.Context, r running) error {
	r.cancel()
	var late <-chan time.Time
	if s.Patience > 0 {
		late = time.After(s.Patience)
	}
	select {
	case err := <-r.done:
		if err != nil && !errors.Is(err, context.Canceled) {
			return fmt.Errorf("stop %s: %w", r.name, err)
		}
	case <-late:
		s.Log.WarnContext(ctx, "part does not stop, going on without it", "part", r.name)
	}
	return nil
}

// failureOf is why ctx ended, unless it was asked to.
func failureOf(ctx context.Context) error {
	if err, ok := errors.AsType[partError](context.Cause(ctx)); ok {
		return err
	}
	return nil
}

type partError struct {
	name string
	err  error
}

func (e partError) Error() string { return e.name + ": " + e.err.Error() }
func (e partError) Unwrap() error { return e.err }
