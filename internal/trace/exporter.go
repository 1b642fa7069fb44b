package trace

import (
	"context"
	"log/slog"
	"sync"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// exporter is one whose failures are told once when they begin and once when they end,
// and which can be cut short.
type exporter struct {
	sdktrace.SpanExporter
	log *slog.Logger

	cut    context.Context // ends with the patience for the last spans
	cutOff context.CancelFunc

	mu   sync.Mutex
	lost int // spans, since the failures began
}

func newExporter(e sdktrace.SpanExporter, log *slog.Logger) *exporter {
	cut, cutOff := context.WithCancel(context.Background())
	return &exporter{SpanExporter: e, log: log, cut: cut, cutOff: cutOff}
}

// ExportSpans sends a batch. Its error is handled here: the batch is lost.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(e.cut, cancel)()
	e.note(e.SpanExporter.ExportSpans(ctx, spans), len(spans))
	return nil
}

func (e *exporter) note(err error, spans int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case err != nil && e.lost == 0:
		e.log.Warn("traces are lost: the collector does not take them", "err", err)
		e.lost = spans
	case err != nil:
		e.lost += spans
	case e.lost > 0:
		e.log.Info("the collector takes traces again", "lost", e.lost)
		e.lost = 0
	}
}
