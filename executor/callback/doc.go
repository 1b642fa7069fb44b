// Package callback brings results to the admin: in batches, to the first admin that
// takes them, again and again until one does.
//
// It promises that a result added is sent until it was acknowledged or the process
// ends. It keeps nothing on disk: a result is journalled before it is added, and after
// a restart the journal's unacknowledged results are added again. An admin ignores what
// it has already.
//
// # A result's way
//
//	Add ─► waiting ─► in a batch ─► acknowledged ─► Acked (journal)
//	          ▲           │
//	          └───────────┤ no admin reachable, or all refuse: backoff 250 ms … 5 s
//	                      │ refused as unreadable, in both dialects:
//	                      └─► halved until the offender is alone; it goes to the end
package callback
