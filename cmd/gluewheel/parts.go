package main

import (
	"context"
	"errors"
	"fmt"
)

// part is a long-lived piece of the process. run returns after its context has ended
// and all that it started has ended too.
type part struct {
	name string
	run  func(context.Context) error
}

// errEnded says that a part returned although nobody asked it to.
var errEnded = errors.New("ended by itself")

// runParts starts the parts in order, waits until ctx ends or one of them does, and
// stops them in the opposite order, each wholly before the next: a part can rely on
// those before it to its end.
func runParts(ctx context.Context, parts ...part) error {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var stops []func() error
	for _, p := range parts {
		stops = append(stops, startPart(ctx, p, fail))
	}
	<-ctx.Done()
	errs := []error{failureOf(ctx)}
	for i := len(stops) - 1; i >= 0; i-- {
		errs = append(errs, stops[i]())
	}
	return errors.Join(errs...)
}

// startPart returns the function that stops the part and waits for it.
func startPart(ctx context.Context, p part, fail context.CancelCauseFunc) (stop func() error) {
	// Not ended by ctx: the order of stopping is runParts's to keep.
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan error, 1)
	go func() {
		err := p.run(own)
		if own.Err() == nil {
			if err == nil {
				err = errEnded
			}
			fail(partError{p.name, err})
			err = nil // reported once
		}
		done <- err
	}()
	return func() error {
		cancel()
		if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
			return fmt.Errorf("stop %s: %w", p.name, err)
		}
		return nil
	}
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
