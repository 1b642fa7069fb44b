// Package trace sends what happens to runs to an OpenTelemetry collector, by OTLP/HTTP.
//
// A run is one trace. Its id follows from the run's id, so that any number of admins and
// an executor, which speak XXL-JOB's protocol and nothing else with each other, tell of
// the same trace without a word about it:
//
//	run ─┬─ plan       admin    its row was written
//	     ├─ dispatch   admin    a request to an executor; there may be several
//	     ├─ execute    executor its code
//	     └─ complete   admin    its result was stored
//
// Spans are told once they are over, with their instants, so that nothing is kept while a
// run goes its way. They are sent in batches, in the background. A collector that is slow
// or away costs spans, and never delays a run: the queue is bounded and drops what does
// not fit. At the end what waits is sent, for a bounded time.
//
// Whether a trace is kept follows from its id, too: all processes with one Ratio keep the
// same ones, whole.
//
// The OpenTelemetry SDK reads its own variables besides: OTEL_BSP_MAX_QUEUE_SIZE and its
// like, OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES.
package trace
