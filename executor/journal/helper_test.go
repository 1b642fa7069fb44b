package journal

import (
	"context"
	"testing"
)

// cancelable is the test's context, to be ended by it.
func cancelable(t *testing.T) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	return ctx, cancel
}
