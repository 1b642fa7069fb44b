// Package admin is the scheduling centre: it builds every part below it, wires them,
// and owns their lifetime. It has no rules of its own.
//
// How the parts are wired, arrows pointing at what is called:
//
//	schedule ──fires──► dispatch ──► execclient ──► executors
//	    ▲                  │ accepted, refused, unknown      │
//	    │ retries,         ▼                                 ▼ results, beats
//	    └─ children ─── complete ◄──────────────────────── wire ──► registry ──► complete (lost)
//
// Stopping goes the way of a fire: no new plans, what is due is handed over, requests
// end, the HTTP server takes the last callbacks, results are stored, the pool closes.
// What is left over is a row in the ledger that another admin takes over.
package admin
