// Package schedule turns due jobs into fires and hands them to dispatch in time.
//
// A fire exists once its ledger row is committed together with the job's next time.
// All else here is a cache: the ring in memory only decides when a committed fire is
// handed over, and losing it loses nothing, because every admin sweeps up planned rows
// that are late, whoever planned them. The claim decides who runs such a row.
//
//	job rows ── planner, each second ──► ledger rows ── commit ──► ring ──► dispatch
//	                                         ▲                      ▲
//	  retries, children, manual runs ────────┘──────────── Add ─────┤
//	  rows left behind by an admin or a lost commit ─── sweeper ────┘
//
// A FIX_DELAY job has no next time while its run, retries included, is open; the first
// round after the end sets it, counted from the end.
//
// What happens on each failure:
//
//	planning fails or its commit is uncertain   nothing enters the ring; the next round
//	                                            plans again, the sweeper finds the rest
//	the database is away                        every loop goes on trying, one line is
//	                                            logged, rounds resume within a second
//	this process stands still                   PostgreSQL ends its transaction; what it
//	                                            planned is swept up by the others
//	dispatch is full                            fires wait in the ring, then in the ledger;
//	                                            none is dropped
//	all admins were away                        misfire strategies decide, and what they
//	                                            skip is recorded
//
// It never chooses executors, sends requests or contains SQL.
package schedule
