// Package route chooses one executor address for a run, by XXL-JOB's strategies.
//
// It is called by dispatch for each run, calls nobody itself (probes come in as
// functions), and never changes the list it is given. SHARDING_BROADCAST has no
// choice to make and stays with dispatch. An unknown strategy is an error, as in
// XXL-JOB; falling back to FIRST would hide the mistake on one executor.
//
// # What is remembered
//
// ROUND, LEAST_FREQUENTLY_USED and LEAST_RECENTLY_USED remember their last choices
// by job, in the memory of one Router, for a bounded number of jobs; those that were
// not routed for long are forgotten first. The other strategies remember nothing
// that changes the outcome, so every admin chooses alike.
//
// # Fairness with several admins
//
// An admin that meets a job for the first time, after a start, a takeover or because
// it was forgotten, begins at a random place, never at the head of the list. From
// there on what one admin hands out differs by at most one between any two
// addresses. So however the runs of a job are spread over admins, the totals differ
// by at most one for each admin memory that took part, and nothing favours the
// first address even if each run meets an empty memory. A shared counter would make
// the order exact too, at the price of a write for each run; what these strategies
// are chosen for is the balance.
//
// # Where it differs from XXL-JOB
//
//   - Memories are not cleared every 24 hours; the balance would start anew.
//   - LEAST_FREQUENTLY_USED begins with equal counts and breaks ties at random,
//     where XXL-JOB begins with random counts and breaks ties by hash order; an
//     address that joins later begins at the smallest count in use, where XXL-JOB
//     begins near zero and sends it everything until it has caught up.
//   - LEAST_RECENTLY_USED takes addresses that it does not know yet in random
//     order, not in that of the list.
//   - FAILOVER and BUSYOVER ask executors in parallel; the choice is the same, the
//     first of the list that answers well.
package route
