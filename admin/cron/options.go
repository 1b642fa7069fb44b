package cron

import (
	"fmt"
	"time"
)

// DST says what happens to a wall time that does not exist because the clock is set
// forward. A wall time that comes twice fires once, at its later instant, under
// either policy.
type DST string

const (
	// DSTXXL skips it, as XXL-JOB does. It is the default.
	DSTXXL DST = "xxl"
	// DSTRunOnce fires once at the first instant after the gap, however many wall
	// times fell into it.
	DSTRunOnce DST = "run-once"
)

// check refuses an unknown policy; an empty one means the default.
func (d DST) check() error {
	switch d {
	case "", DSTXXL, DSTRunOnce:
		return nil
	}
	return fmt.Errorf("%q is not a known DST policy; use %s or %s", string(d), DSTXXL, DSTRunOnce)
}

// Options says how an expression is evaluated.
type Options struct {
	Location *time.Location // zone of the wall clock; default UTC
	DST      DST            // default DSTXXL
}

// Language is that of a sentence for people.
type Language string

// Languages of Describe and Warning. Anything else is treated as English.
const (
	English Language = "en"
	Chinese Language = "zh-CN"
)
