// Package report makes the figures that people look at.
//
// [Counter] keeps counts of ended runs by minute, hour, day, job and version, so that a
// dashboard answers at once however long the ledger is. The store counts each run once,
// under a lock that one admin holds at a time; what ended since then is read from the
// ledger itself, so that no figure waits for the counter. With the database away it
// waits; an admin that dies in a count has counted nothing.
//
// [Forecast] tells how many fires are coming, from the schedules of started jobs: it
// plans in memory, within a bound, and writes nothing.
//
// The package never decides about runs.
package report
