// Package chaos tries to make gluewheel lose or double a fire, and tells whether it did.
//
// The suite (build tag "chaos", make chaos) starts a private PostgreSQL, admins and
// executors as processes, with a relay on every connection between them; lets jobs of
// all kinds fire while people edit them; injects faults from a seeded plan; heals;
// waits; and compares three accounts that share no code:
//
//	oracle     which instants there must be, from the history of edits (oracle.go)
//	ledger     what the database says, with every change of every row (ledger.go)
//	witness    what really ran, from files that each run syncs to disk (witness.go)
//
// [Check] names every way in which they differ. It knows the promises of
// docs/reliability.md and nothing of how they are kept: it imports no package of the
// product.
package chaos
