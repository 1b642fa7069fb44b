// Package tracetest gives tests a collector of OpenTelemetry traces.
package tracetest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Sink takes OTLP/HTTP at its URL.
type Sink struct {
	*httptest.Server
	before func(request int) (refuse bool)

	mu       sync.Mutex
	requests int
	header   http.Header
	taken    []*otlp.ResourceSpans
}

// NewSink makes a collector that ends with the test. before, if not nil, is called with
// the number of each request, from 1, and may refuse it or let it wait.
func NewSink(t testing.TB, before func(request int) (refuse bool)) *Sink {
	t.Helper()
	s := &Sink{before: before}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *Sink) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var batch otlp.TracesData // an ExportTraceServiceRequest, on the wire
	if err != nil || proto.Unmarshal(body, &batch) != nil || r.URL.Path != "/v1/traces" {
		http.Error(w, "no OTLP", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.requests++
	n := s.requests
	s.header = r.Header.Clone()
	s.mu.Unlock()
	if s.before != nil && s.before(n) {
		http.Error(w, "not this one", http.StatusUnprocessableEntity) // it is not tried again
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken = append(s.taken, batch.GetResourceSpans()...)
}

// Header is what came with the last request.
func (s *Sink) Header() http.Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.header
}

// Spans are all that came, in their order.
func (s *Sink) Spans() []*otlp.Span {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []*otlp.Span
	for _, r := range s.taken {
		for _, scope := range r.GetScopeSpans() {
			all = append(all, scope.GetSpans()...)
		}
	}
	return all
}

// Named are the spans by their names; of several of one name the last.
func (s *Sink) Named() map[string]*otlp.Span {
	named := map[string]*otlp.Span{}
	for _, span := range s.Spans() {
		named[span.GetName()] = span
	}
	return named
}

// Resource is what the first sender said of itself; nil before there is one.
func (s *Sink) Resource() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.taken) == 0 {
		return nil
	}
	about := map[string]string{}
	for _, a := range s.taken[0].GetResource().GetAttributes() {
		about[a.GetKey()] = a.GetValue().GetStringValue()
	}
	return about
}
