//go:build mutant_end

package store

// stillOpen makes a completion without compare-and-set, which the fault suite must notice.
const stillOpen = `c.epoch >= 0`
