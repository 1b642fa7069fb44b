package cron

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	robfig "github.com/robfig/cron/v3"
)

// seconds fires a fixed number of seconds after an instant: the last planned fire for
// FIX_RATE, the end of the last run for FIX_DELAY.
type seconds int64

var _ robfig.Schedule = seconds(0)

// readSeconds reads whole seconds, at least one. XXL-JOB's number is an int, so the
// longest interval is 68 years; its 2.x overflow above 24 days, ours does not.
func readSeconds(conf string) (seconds, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(conf), 10, 32)
	if err != nil || n < 1 {
		return 0, &Error{Value: conf, Message: fmt.Sprintf("the interval must be a whole number of seconds from 1 to %d", math.MaxInt32)}
	}
	return seconds(n), nil
}

// Next is t plus the interval, rounded up to the whole second.
func (r seconds) Next(t time.Time) time.Time {
	u := t.Unix()
	if t.Nanosecond() > 0 {
		u++
	}
	if u > maxInstant {
		return time.Time{}
	}
	return time.Unix(u+int64(r), 0).In(t.Location())
}

// never is the schedule of a job that is started by hand or by others only.
type never struct{}

// Next is always the zero time.
func (never) Next(time.Time) time.Time { return time.Time{} }
