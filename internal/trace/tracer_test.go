package trace_test

import (
	"bytes"
	"encoding/hex"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	oteltrace "go.opentelemetry.io/otel/trace"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"go.uber.org/goleak"

	"github.com/gluewheel/gluewheel/internal/trace"
	"github.com/gluewheel/gluewheel/internal/trace/tracetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newTracer(t *testing.T, s *tracetest.Sink, edit ...func(*trace.Config)) *trace.Tracer {
	t.Helper()
	cfg := trace.Config{URL: s.URL + "/v1/traces", Service: "gluewheel-test", Version: "v1", Ratio: 1, Log: slog.New(slog.DiscardHandler)}
	for _, e := range edit {
		e(&cfg)
	}
	tracer, err := trace.New(t.Context(), cfg)
	require.NoError(t, err)
	return tracer
}

func TestTracer_TellsOfARunAsOneTrace(t *testing.T) {
	t.Parallel()
	s := tracetest.NewSink(t, nil)
	admin := newTracer(t, s, func(c *trace.Config) { c.Header = http.Header{"Api-Key": {"k"}} })
	executor := newTracer(t, s)
	at := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
	admin.Record(trace.Span{
		RunID: 7, Name: "dispatch", Kind: oteltrace.SpanKindClient, Begin: at, End: at.Add(time.Second),
		Attributes: []attribute.KeyValue{attribute.Int64("gluewheel.run_id", 7)},
	})
	executor.Record(trace.Span{RunID: 7, Name: "execute", Begin: at, End: at, Failed: true, Text: "boom"})
	admin.Record(trace.Span{RunID: 7, Name: "run", Root: true, Begin: at.Add(-time.Second), End: at})
	admin.Record(trace.Span{RunID: 8, Name: "another", Root: true, Begin: at, End: at})
	require.NoError(t, executor.Close())
	require.NoError(t, admin.Close())

	require.Equal(t, "application/x-protobuf", s.Header().Get("Content-Type"))
	require.Equal(t, "k", s.Header().Get("Api-Key"))
	spans := s.Named()
	require.Len(t, spans, 4)
	root := spans["run"]
	require.Empty(t, root.GetParentSpanId())
	for _, name := range []string{"dispatch", "execute"} {
		require.Equal(t, root.GetTraceId(), spans[name].GetTraceId(), name)
		require.Equal(t, root.GetSpanId(), spans[name].GetParentSpanId(), name)
		require.NotEqual(t, root.GetSpanId(), spans[name].GetSpanId(), name)
	}
	require.NotEqual(t, root.GetTraceId(), spans["another"].GetTraceId())

	dispatch := spans["dispatch"]
	require.Equal(t, otlp.Span_SPAN_KIND_CLIENT, dispatch.GetKind())
	require.EqualValues(t, at.UnixNano(), dispatch.GetStartTimeUnixNano())
	require.EqualValues(t, at.Add(time.Second).UnixNano(), dispatch.GetEndTimeUnixNano())
	require.Equal(t, "gluewheel.run_id", dispatch.GetAttributes()[0].GetKey())
	require.EqualValues(t, 7, dispatch.GetAttributes()[0].GetValue().GetIntValue())
	require.Equal(t, otlp.Status_STATUS_CODE_UNSET, dispatch.GetStatus().GetCode())
	require.Equal(t, otlp.Status_STATUS_CODE_ERROR, spans["execute"].GetStatus().GetCode())
	require.Equal(t, "boom", spans["execute"].GetStatus().GetMessage())

	about := s.Resource()
	require.Equal(t, "gluewheel-test", about["service.name"])
	require.Equal(t, "v1", about["service.version"])
}

// Whoever runs two installations with one collector names them; else their traces would
// be mixed, because each counts its runs from the beginning.
func TestTracer_KeepsInstallationsApart(t *testing.T) {
	ids := map[string]bool{}
	for _, namespace := range []string{"", "service.namespace=blue", "service.namespace=green", "service.namespace=blue"} {
		t.Setenv("OTEL_RESOURCE_ATTRIBUTES", namespace)
		s := tracetest.NewSink(t, nil)
		tracer := newTracer(t, s)
		tracer.Record(trace.Span{RunID: 7, Name: "run", Root: true, Begin: time.Now(), End: time.Now()})
		require.NoError(t, tracer.Close())
		ids[hex.EncodeToString(s.Named()["run"].GetTraceId())] = true
	}
	require.Len(t, ids, 3)
}

func TestTracer_KeepsTheSameTracesEverywhere(t *testing.T) {
	t.Parallel()
	kept := func() []uint64 {
		s := tracetest.NewSink(t, nil)
		tracer := newTracer(t, s, func(c *trace.Config) { c.Ratio = .25 })
		for id := range int64(400) {
			tracer.Record(trace.Span{RunID: id, Name: "execute", Begin: time.Unix(0, 1+id), End: time.Now()})
			tracer.Record(trace.Span{RunID: id, Name: "run", Root: true, Begin: time.Unix(0, 1+id), End: time.Now()})
		}
		require.NoError(t, tracer.Close())
		byName := map[string][]uint64{}
		for _, span := range s.Spans() {
			byName[span.GetName()] = append(byName[span.GetName()], span.GetStartTimeUnixNano())
		}
		require.Equal(t, byName["run"], byName["execute"], "a trace is kept whole or not at all")
		return byName["run"]
	}
	first := kept()
	require.InDelta(t, 100, len(first), 50)
	require.Equal(t, first, kept())
}

// A collector that takes requests and answers none: recording goes on, since the test
// lets it go only afterwards, and what the queue has no room for is dropped.
func TestTracer_AHangingCollectorDelaysNobody(t *testing.T) {
	t.Parallel()
	asked, letGo := make(chan struct{}, 100), make(chan struct{})
	s := tracetest.NewSink(t, func(int) bool {
		asked <- struct{}{}
		<-letGo
		return false
	})
	tracer := newTracer(t, s)
	const many = 10_000
	for id := range int64(many) {
		tracer.Record(trace.Span{RunID: id, Name: "run", Root: true, Begin: time.Now(), End: time.Now()})
		if id == 1000 {
			<-asked // the first batch hangs now
		}
	}
	close(letGo)
	require.NoError(t, tracer.Close())
	require.NotEmpty(t, s.Spans())
	require.Less(t, len(s.Spans()), many, "the queue is bounded")
}

// The end does not wait for a collector for ever.
func TestTracer_TheEndIsBounded(t *testing.T) {
	t.Parallel()
	letGo := make(chan struct{})
	s := tracetest.NewSink(t, func(int) bool { <-letGo; return false })
	t.Cleanup(func() { close(letGo) })
	tracer := newTracer(t, s)
	tracer.Record(trace.Span{RunID: 1, Name: "run", Root: true, Begin: time.Now(), End: time.Now()})
	closed := make(chan error, 1)
	go func() { closed <- tracer.Close() }()
	select {
	case err := <-closed:
		require.NoError(t, err)
	case <-time.After(30 * time.Second): // the exporter alone would try for longer with every batch
		require.Fail(t, "close hangs")
	}
}

func TestTracer_LogsAnOutageOnceAndItsEnd(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer // written by one goroutine, read after Close
	s := tracetest.NewSink(t, func(n int) bool { return n <= 2 })
	tracer := newTracer(t, s, func(c *trace.Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	for id := range int64(4 * 512) { // four batches, two of which are refused
		tracer.Record(trace.Span{RunID: id, Name: "run", Root: true, Begin: time.Now(), End: time.Now()})
	}
	require.NoError(t, tracer.Close())
	lines := bytes.Split(bytes.TrimSpace(log.Bytes()), []byte("\n"))
	require.Len(t, lines, 2, "%s", log.Bytes())
	require.Contains(t, string(lines[0]), "traces are lost")
	require.Contains(t, string(lines[0]), "component=trace")
	require.Contains(t, string(lines[0]), "422 Unprocessable Entity")
	require.Contains(t, string(lines[1]), "takes traces again")
	require.Contains(t, string(lines[1]), "lost=")
}

func TestNew_NamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	for _, edit := range []func(*trace.Config){
		func(c *trace.Config) { c.URL = "" },
		func(c *trace.Config) { c.Service = "" },
		func(c *trace.Config) { c.Log = nil },
	} {
		cfg := trace.Config{URL: "http://127.0.0.1:4318/v1/traces", Service: "x", Log: slog.New(slog.DiscardHandler)}
		edit(&cfg)
		_, err := trace.New(t.Context(), cfg)
		require.ErrorContains(t, err, "required")
	}
}
