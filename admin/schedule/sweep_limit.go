//go:build !mutant_sweeper

package schedule

// sweepLimit is the most rows a sweep brings.
const sweepLimit = 2000
