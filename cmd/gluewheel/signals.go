package main

import (
	"context"
	"os/signal"
	"syscall"
)

// untilSignal ends the context at the first SIGINT or SIGTERM. From then on signals act
// as they do without us, so that a second Ctrl-C ends a stop that takes too long.
func untilSignal(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(parent, syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
