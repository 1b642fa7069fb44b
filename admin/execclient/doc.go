// Package execclient makes the admin's calls to executors: run, batch, kill, log,
// beat and idleBeat, in every dialect of the protocol.
//
// It promises to tell apart what the ledger must tell apart: the executor accepted;
// it refused, or not one byte was written; or a request went out, at least in part,
// and no complete answer came back. It never sends a request again by itself once a
// byte of it may have left: fasthttp's own retries are off, and a kept connection
// that the peer has closed meanwhile is noticed before anything is written to it.
//
// Callers pass addresses that are registered or were entered by someone with the
// right; anything but http and https is refused. What a failure means for a run, and
// whether it is tried again, is the caller's business.
package execclient
