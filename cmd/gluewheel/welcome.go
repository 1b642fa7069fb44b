package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/gluewheel/gluewheel/executor"
)

// readyWithin bounds the wait for admin and executor at start.
const readyWithin = time.Minute

// welcome makes the samples once everything runs, and tells the person at the terminal.
type welcome struct {
	executor *executor.Executor
	dir      dataDir
	app      string
	password string
	banner   banner
	log      *slog.Logger
}

// run returns when ctx ends.
func (w welcome) run(ctx context.Context) error {
	if err := w.greet(ctx); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

func (w welcome) greet(ctx context.Context) error {
	api, err := newClient(w.banner.url)
	if err != nil {
		return err
	}
	defer api.close()
	if err := w.waitReady(ctx, api); err != nil {
		return err
	}
	if w.dir.samplesMarked() {
		if w.banner.samples, err = w.makeSamples(ctx, api); err != nil {
			if ctx.Err() != nil {
				return err
			}
			// What runs is worth more than its samples.
			w.log.Warn("samples are missing; the next start makes them", "error", err)
		}
	}
	w.banner.executor = w.app + " at " + w.executor.Address()
	return w.banner.print()
}

func (w welcome) makeSamples(ctx context.Context, api *client) (int, error) {
	password := w.password
	if password == "" {
		// The account was made by a first start that was cut off.
		var err error
		if password, _, err = secret(w.dir.passwordFile(), newPassword); err != nil {
			return 0, err
		}
	}
	if err := api.login(ctx, "admin", password); err != nil {
		return 0, err
	}
	n, err := installSamples(ctx, api, w.app)
	if err != nil {
		return n, err
	}
	return n, w.dir.unmarkSamples()
}

// waitReady returns once jobs can fire.
func (w welcome) waitReady(ctx context.Context, api *client) error {
	ctx, cancel := context.WithTimeoutCause(ctx, readyWithin, fmt.Errorf("not ready within %s", readyWithin))
	defer cancel()
	select {
	case <-w.executor.Ready():
	case <-ctx.Done():
		return fmt.Errorf("wait for the executor: %w", context.Cause(ctx))
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if api.ready(ctx) {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("wait for the admin: %w", context.Cause(ctx))
		}
	}
}

// ready asks the admin whether jobs can fire.
func (c *client) ready(ctx context.Context) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.server+"/readyz", nil)
	if err != nil {
		return false
	}
	answer, err := c.http.Do(req)
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}
