// Package queue lets each job run one trigger at a time, in order, under XXL-JOB's
// block strategies, and stops what is to be stopped.
//
// It promises that of each job at most one trigger runs here, that an admitted and
// committed trigger is either run once or dropped with a reason, and that it never
// holds more than [Config.Depth] triggers a job. It knows neither HTTP nor files: the
// executor runs, journals and reports.
//
// # States of a job's queue
//
//	         │ admit           │ commit         │ run ends          │ kill              │ 93 s pass
//	─────────┼─────────────────┼────────────────┼───────────────────┼───────────────────┼──────────
//	absent   │ → idle, held    │ –              │ –                 │ – (not found)     │ –
//	idle     │ held            │ → working      │ –                 │ –                 │ → absent¹
//	working  │ held; DISCARD   │ waits; COVER   │ waiting: next one │ run cancelled,    │ –
//	         │ refuses         │ kills the rest │ none: → idle      │ waiting dropped   │
//	closed   │ refused         │ waits          │ as working        │ as working        │ –
//
//	held: counts as busy until it is committed or aborted, so that the strategy's
//	      decision still holds when the trigger has been made durable.
//	¹ unless something is held.
//
// # Differences from XXL-JOB
//
// COVER_EARLY starts the new run when the old one has ended, which its cancellation
// bounds; XXL-JOB starts it beside a handler that ignores the interruption. A changed
// handler or GLUE version does not kill the run in progress; XXL-JOB does.
package queue
