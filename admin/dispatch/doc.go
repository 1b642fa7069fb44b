// Package dispatch sends planned runs to executors, each at its instant, and finds out
// what became of requests that were not answered.
//
// The schedule hands over whatever is due within the next second. A tick is routed in
// memory and claimed in one statement; then nothing in the database stands between a
// run's instant and its request:
//
//	inbox ─► route, claim ─► pacer ─► fast pool ─┬─► accepted     complete.Accepted
//	             │    ▲        (instant)  slow pool  ├─► refused      complete.Report
//	             │    └ version changed             └─► no answer ─► unknown ─► resolver
//	             ├ no address: claimed and ended with a reason           │          │
//	             └ no executor yet: waits some seconds, planned          └ slow pool ◄┘
//
// What is claimed is held by a lease, renewed while it waits. Just before a request is
// written the lease must last longer than the request can take, by this process's
// monotonic clock; a process that slept through its lease sends nothing. Nothing is
// dropped because a pool is full: it waits, and the inbox tells the ring how much more
// it takes.
//
// A request of which a byte left and no answer came makes its run unknown, at its
// address. Our executors are asked again, since they answer a repeated run
// idempotently. Others run a repeated id again; so their log is looked for, and only
// where it is certainly absent the request is sent once more. What cannot be told is
// left to the callback or the lost rule.
//
// What happens on failure: with the database away, claims wait in the inbox; an admin
// that dies leaves leases that end, and its runs are taken over as unknown.
package dispatch
