// Package complete ends runs: results of executors (callbacks), refusals and routing
// errors of the dispatcher, lost runs of the registry, kills by people.
//
// Results meet here in memory and go into the ledger in batches, one transaction every
// 20 ms or 2,000 rows, together with the retries and children that they cause. A run
// ends once, by compare-and-set; whatever comes later never overwrites it. That an
// executor accepted a run is written only when its result does not follow at once,
// which saves an update for every short run.
//
//	End        waits for the commit, at most 2 s    callbacks: acknowledged when durable
//	Report     does not wait, is tried until stored what the dispatcher found
//	Accepted   does not wait, may be forgotten      a takeover asks the executor again
//
// A batch that the database refuses for its content is halved until the offender
// stands alone; that run ends with the reason invalid_result, and the others as they
// should. With the database away End fails, so that executors keep their results.
package complete
