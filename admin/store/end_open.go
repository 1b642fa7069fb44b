//go:build !mutant_end

package store

// stillOpen is the compare of endRuns' compare-and-set: the executor itself ends any open
// run that was claimed; an admin ends one that it holds, and that nobody was seen to run.
const stillOpen = `(r.state IN (2, 4) AND c.epoch IN (0, r.epoch) OR r.state = 3 AND c.epoch = 0)`
