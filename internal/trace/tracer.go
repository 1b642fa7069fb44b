package trace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// lastWait is how long the last spans may take at the end.
const lastWait = 3 * time.Second

// Config says where traces go, and whose they are.
type Config struct {
	// URL takes batches, such as http://127.0.0.1:4318/v1/traces. Required.
	URL string
	// Header goes with each batch, such as what a collector wants to know its senders by.
	Header http.Header
	// Service names the program, unless OTEL_SERVICE_NAME does. Required.
	Service string
	// Version is the program's.
	Version string
	// Ratio is the part of all traces that is kept, from 0 to 1.
	Ratio float64
	// Log takes what an operator should know. Required.
	Log *slog.Logger
}

// Tracer takes spans. Safe for concurrent use.
type Tracer struct {
	ids      ids
	exporter *exporter
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
}

// New makes a tracer. Nothing is sent before there are spans.
func New(ctx context.Context, cfg Config) (*Tracer, error) {
	if cfg.URL == "" || cfg.Service == "" || cfg.Log == nil {
		return nil, errors.New("make tracer: URL, Service and Log are required")
	}
	about, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", cfg.Service), attribute.String("service.version", cfg.Version)),
		resource.WithTelemetrySDK(), resource.WithHost(), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("describe the program to the collector: %w", err)
	}
	otlp, err := otlptrace.New(ctx, newClient(cfg.URL, cfg.Header))
	if err != nil {
		return nil, fmt.Errorf("make exporter of traces to %s: %w", cfg.URL, err)
	}
	t := &Tracer{
		ids:      ids{namespaceOf(about)},
		exporter: newExporter(otlp, cfg.Log.With("component", "trace")),
	}
	t.provider = sdktrace.NewTracerProvider(
		sdktrace.WithResource(about),
		sdktrace.WithIDGenerator(t.ids),
		sdktrace.WithSampler(sdktrace.TraceIDRatioBased(cfg.Ratio)),
		sdktrace.WithBatcher(t.exporter),
	)
	t.tracer = t.provider.Tracer("github.com/gluewheel/gluewheel")
	return t, nil
}

// namespaceOf is the installation's name: service.namespace, which OpenTelemetry has for
// what tells equal services apart.
func namespaceOf(about *resource.Resource) string {
	v, _ := about.Set().Value("service.namespace")
	return cmp.Or(v.AsString(), "gluewheel")
}

// Span is a part of a run's way that is over.
type Span struct {
	RunID int64
	// Name is what it was. Root makes it the one that all others of the run are parts of.
	Name string
	Root bool
	// Kind tells requests (client, server) from the rest.
	Kind       trace.SpanKind
	Begin, End time.Time
	// Failed tells that it went wrong, and Text why, if that is known.
	Failed     bool
	Text       string
	Attributes []attribute.KeyValue
}

// Record takes a span. It does not block: when too many wait for the collector, the span
// is dropped.
func (t *Tracer) Record(s Span) {
	ctx := context.WithValue(context.Background(), runKey{}, s.RunID)
	if !s.Root {
		traceID, root := t.ids.of(s.RunID)
		ctx = trace.ContextWithRemoteSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{
			TraceID: traceID, SpanID: root, TraceFlags: trace.FlagsSampled, Remote: true,
		}))
	}
	_, span := t.tracer.Start(ctx, s.Name,
		trace.WithTimestamp(s.Begin), trace.WithSpanKind(s.Kind), trace.WithAttributes(s.Attributes...))
	if s.Failed {
		span.SetStatus(codes.Error, s.Text)
	}
	span.End(trace.WithTimestamp(s.End))
}

// Close sends what waits, for a bounded time, and drops the rest and whatever comes later.
func (t *Tracer) Close() error {
	defer time.AfterFunc(lastWait, t.exporter.cutOff).Stop()
	// Bounded by the cut: a batch after it fails at once.
	if err := t.provider.Shutdown(context.Background()); err != nil {
		return fmt.Errorf("send the last traces: %w", err)
	}
	return nil
}
