// Package job is the vocabulary of the scheduling centre: jobs, groups, fires,
// runs, their states and reason codes, and pure functions on them.
//
// It imports nothing of the admin and does no I/O. Every part of the admin speaks
// in these types, so that the parts need not know each other.
//
// # States of a run
//
//	             claim                accepted              callback
//	planned ───────────► dispatching ───────────► running ───────────► succeeded
//	   │                    │     │                  │                  failed
//	   │ stop, edit,        │     │ no answer,       │                  timed_out
//	   │ delete             │     ▼ takeover         │                  killed
//	   ├──► cancelled       │   unknown ─────────────┤                  lost
//	   ├──► misfired        │     │                  │
//	   │                    ▼     ▼                  ▼
//	   └──► discarded    any terminal state, by compare-and-set, once
//
// A run leaves an open state for a terminal one exactly once. The only change after
// that is an executor's own late result for a lost run that was not retried.
package job
