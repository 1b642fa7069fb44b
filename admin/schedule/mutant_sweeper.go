//go:build mutant_sweeper

package schedule

// sweepLimit makes a scheduler without a sweeper, which the fault suite must notice.
const sweepLimit = 0
