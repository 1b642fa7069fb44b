package trace

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

const (
	// sendTimeout bounds one request; it is OpenTelemetry's own default.
	sendTimeout = 10 * time.Second
	// maxAnswer is how much of a collector's complaint is read, in bytes.
	maxAnswer = 1 << 10
)

// client sends batches by OTLP/HTTP. It is here, and not otlptracehttp, because that one
// links gRPC, whose packages set themselves up before main: about a fifth more time, and
// this binary starts for each run in the sandbox that finds no warm worker.
type client struct {
	url    string
	header http.Header
	http   *http.Client
}

var _ otlptrace.Client = (*client)(nil)

func newClient(url string, header http.Header) *client {
	// A transport of its own, so that Stop ends its connections and nobody else's.
	return &client{url: url, header: header, http: &http.Client{
		Timeout:   sendTimeout,
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConns: 1, IdleConnTimeout: time.Minute},
	}}
}

// Start implements [otlptrace.Client]. Nothing is sent before there are spans.
func (c *client) Start(context.Context) error { return nil }

// Stop implements [otlptrace.Client].
func (c *client) Stop(context.Context) error {
	c.http.CloseIdleConnections()
	return nil
}

// UploadTraces sends one batch, once: the next one comes soon enough, and a batch that is
// tried again and again keeps others waiting until they are dropped.
func (c *client) UploadTraces(ctx context.Context, batch []*otlp.ResourceSpans) error {
	// TracesData is ExportTraceServiceRequest on the wire, and has no gRPC service with it.
	body, err := proto.Marshal(&otlp.TracesData{ResourceSpans: batch})
	if err != nil {
		return fmt.Errorf("encode traces: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("send traces: %w", err)
	}
	for name, values := range c.header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	resp, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("send traces: %w", err)
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("send traces: the collector answers %s: %q", resp.Status, said)
	}
	return err
}
