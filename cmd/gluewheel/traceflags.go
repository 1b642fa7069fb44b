package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor"
	"github.com/gluewheel/gluewheel/executor/protocol"
	"github.com/gluewheel/gluewheel/internal/trace"
)

// traceFlags ask for OpenTelemetry traces, by the variables that all programs have for it.
type traceFlags struct {
	OTLPEndpoint string  `name:"otlp-endpoint" placeholder:"URL" env:"OTEL_EXPORTER_OTLP_ENDPOINT" help:"Send OpenTelemetry traces of runs to the collector at this URL, by OTLP/HTTP, such as http://127.0.0.1:4318; none are made by default."`
	TraceRatio   float64 `name:"trace-ratio" default:"1" placeholder:"RATIO" env:"GLUEWHEEL_TRACE_RATIO" help:"Part of the runs that are traced, from 0 to 1, the same ones by all admins and executors with one ratio (${default})."`

	OTLPTracesEndpoint string `name:"otlp-traces-endpoint" hidden:"" env:"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"`
	OTLPHeaders        string `name:"otlp-headers" hidden:"" env:"OTEL_EXPORTER_OTLP_HEADERS"`
	OTLPProtocol       string `name:"otlp-protocol" hidden:"" env:"OTEL_EXPORTER_OTLP_PROTOCOL" enum:"http/protobuf" default:"http/protobuf"`
	TracesExporter     string `name:"traces-exporter" hidden:"" env:"OTEL_TRACES_EXPORTER" enum:"otlp,none" default:"otlp"`
	OTelDisabled       bool   `name:"otel-sdk-disabled" hidden:"" env:"OTEL_SDK_DISABLED"`
}

func (f *traceFlags) validateTraces() error {
	if f.TraceRatio < 0 || f.TraceRatio > 1 {
		return fmt.Errorf("trace-ratio: %v is not from 0 to 1", f.TraceRatio)
	}
	to := f.tracesURL()
	if u, err := url.Parse(to); err != nil || to != "" && (u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		return fmt.Errorf("otlp-endpoint: %q is not an address such as http://127.0.0.1:4318", to)
	}
	_, err := f.header()
	return err
}

// header reads what goes with each batch: key=value pairs, separated by commas, with
// values as in URLs. Its error does not repeat them, because they are mostly secret.
func (f *traceFlags) header() (http.Header, error) {
	h := http.Header{}
	for pair := range strings.SplitSeq(f.OTLPHeaders, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		key, value, ok := strings.Cut(pair, "=")
		text, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || err != nil || strings.TrimSpace(key) == "" {
			return nil, errors.New("otlp-headers: this is no list such as api-key=secret,tenant=blue")
		}
		h.Set(strings.TrimSpace(key), text)
	}
	return h, nil
}

// tracesURL is where traces go; empty for nowhere.
func (f *traceFlags) tracesURL() string {
	switch {
	case f.OTelDisabled || f.TracesExporter == "none":
		return ""
	case f.OTLPTracesEndpoint != "":
		return f.OTLPTracesEndpoint
	case f.OTLPEndpoint != "":
		return strings.TrimSuffix(f.OTLPEndpoint, "/") + "/v1/traces"
	default:
		return ""
	}
}

// traces makes what takes the steps of runs; nil when nobody asked for traces.
func (f *traceFlags) traces(ctx context.Context, service string, log *slog.Logger) (*traces, error) {
	to := f.tracesURL()
	if to == "" {
		return nil, nil
	}
	header, err := f.header()
	if err != nil {
		return nil, err
	}
	t, err := trace.New(ctx, trace.Config{
		URL: to, Header: header, Service: service, Version: version, Ratio: f.TraceRatio, Log: log,
	})
	if err != nil {
		return nil, err
	}
	log.Info("traces are sent", "component", "trace", "to", to, "ratio", f.TraceRatio)
	return &traces{tracer: t, log: log}, nil
}

// traces turns what admins and executors tell of runs into spans. A nil one gives no
// functions, so that nobody tells it anything.
type traces struct {
	tracer *trace.Tracer
	log    *slog.Logger
}

// close sends what waits.
func (t *traces) close() {
	if t == nil {
		return
	}
	if err := t.tracer.Close(); err != nil {
		t.log.Warn("traces are lost", "component", "trace", "err", err)
	}
}

// steps is for admin.Options.Trace.
func (t *traces) steps() func(job.Step) {
	if t == nil {
		return nil
	}
	return func(s job.Step) { t.tracer.Record(spanOfStep(s)) }
}

// runs is for executor.Config.Ran.
func (t *traces) runs() func(executor.Ran) {
	if t == nil {
		return nil
	}
	return func(r executor.Ran) { t.tracer.Record(spanOfRun(r)) }
}

// spanOfStep is a step at an admin as the collector gets it.
func spanOfStep(s job.Step) trace.Span {
	attributes := append(aboutRun(s.RunID, s.JobID), attribute.Int("gluewheel.attempt", s.Attempt))
	if s.Address != "" {
		attributes = append(attributes, attribute.String("server.address", s.Address))
	}
	if s.Result != "" {
		attributes = append(attributes, attribute.String("gluewheel.result", s.Result))
	}
	kind := oteltrace.SpanKindInternal
	if s.Name == job.StepDispatch {
		kind = oteltrace.SpanKindClient
	}
	return trace.Span{
		RunID: s.RunID, Name: string(s.Name), Root: s.Name == job.StepRun, Kind: kind,
		Begin: s.Begin, End: s.End, Failed: s.Failed, Text: s.Text, Attributes: attributes,
	}
}

// spanOfRun is what an executor did as the collector gets it.
func spanOfRun(r executor.Ran) trace.Span {
	failed := r.Outcome != protocol.OutcomeSucceeded
	s := trace.Span{
		RunID: r.RunID, Name: "execute", Kind: oteltrace.SpanKindServer, Begin: r.Began, End: r.Ended, Failed: failed,
		Attributes: append(aboutRun(r.RunID, r.JobID),
			attribute.Int("gluewheel.attempt", r.Attempt),
			attribute.String("gluewheel.type", r.GlueType),
			attribute.String("gluewheel.result", r.Outcome),
			attribute.Int64("gluewheel.cpu_ms", r.Usage.CPU.Milliseconds()),
			attribute.Int64("gluewheel.peak_bytes", r.Usage.PeakBytes)),
	}
	if failed {
		s.Text = r.Reason
	}
	return s
}

// aboutRun is by what people find a run's trace.
func aboutRun(runID int64, jobID int32) []attribute.KeyValue {
	return []attribute.KeyValue{attribute.Int64("gluewheel.run_id", runID), attribute.Int("gluewheel.job_id", int(jobID))}
}
