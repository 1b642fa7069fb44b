package trace

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"

	"go.opentelemetry.io/otel/trace"
)

// ids derives the ids of traces and of their roots, and makes up those of other spans.
type ids struct {
	// namespace keeps installations that share a collector apart: each counts its runs
	// from the beginning.
	namespace string
}

// of derives the id of a run's trace and the id of its root span.
func (g ids) of(runID int64) (trace.TraceID, trace.SpanID) {
	text := append([]byte(g.namespace), 0)
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(text, uint64(runID)))
	var traceID trace.TraceID
	var root trace.SpanID
	copy(root[:], sum[copy(traceID[:], sum[:]):])
	return traceID, root
}

// runKey carries the run whose root is begun to NewIDs.
type runKey struct{}

// NewIDs gives the root of a run its ids.
func (g ids) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	runID, _ := ctx.Value(runKey{}).(int64)
	return g.of(runID)
}

// NewSpanID gives any other span an id of its own.
func (ids) NewSpanID(context.Context, trace.TraceID) (id trace.SpanID) {
	_, _ = rand.Read(id[:]) // it never fails
	return id
}
