package cron

import (
	"strings"
	"time"
)

// once fires at one instant.
type once time.Time

// readOnce reads an RFC 3339 instant on a whole second, as all fires are, within the
// years that schedules know.
func readOnce(conf string) (once, error) {
	at, err := time.Parse(time.RFC3339, strings.TrimSpace(conf))
	if err != nil {
		return once{}, &Error{Value: conf, Message: "write the instant as 2026-01-02T15:04:05+08:00, or with Z for UTC"}
	}
	if at.Nanosecond() != 0 {
		return once{}, &Error{Value: conf, Message: "the instant must be on a whole second; leave the fraction out"}
	}
	if y := at.UTC().Year(); y < firstYear || y > lastYear {
		return once{}, &Error{Value: conf, Message: "the instant must be in the years 1970 to 2126"}
	}
	return once(at), nil
}

// Next is the instant, as long as it is after t.
func (o once) Next(t time.Time) time.Time {
	if at := time.Time(o); at.After(t) {
		return at.In(t.Location())
	}
	return time.Time{}
}
