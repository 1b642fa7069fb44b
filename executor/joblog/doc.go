// Package joblog keeps what runs print, for as long as the operator wants, without a
// file a run: at full speed that would use up a machine's inodes within the hour.
//
// It promises that the lines of a run keep their order and their numbers, that a reader
// sees a line as soon as it was written, and that no path is made from anything but
// numbers. It never takes part in the outcome of a run: a log that cannot be written is
// dropped with a warning.
//
// # On disk
//
//	<dir>/2026-01-02T15-0001.log   segment: frames of many runs, in order of writing
//	<dir>/2026-01-02T15-0001.idx   its index, sorted by log id: written when it is sealed
//	<dir>/2026-01-02T15-<id>.run   a run beyond 1 MiB goes on in a file of its own
//
// A segment covers at most an hour (UTC), 64 MiB and 100,000 frames. Its index is in
// memory while it is written; after a crash it is rebuilt from the whole frames. Lines wait at most 250 ms in memory, less when somebody reads.
//
// Files leave when they are older than the retention, or the oldest first when all
// together outgrow the bound.
package joblog
