package cron

import (
	"fmt"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
)

// DST is the policy on wall times that a change of the clock skips.
type DST = job.DSTPolicy

// The policies there are.
const (
	DSTXXL     = job.DSTXXL
	DSTRunOnce = job.DSTRunOnce
)

// checkDST refuses an unknown policy; an empty one means the default.
func checkDST(d DST) error {
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
