package cron

import (
	"math"
	"time"
)

// offsetSpan is more than two offsets of one zone ever differ by, in seconds.
const offsetSpan = 26 * 60 * 60

// stretch is a time during which a zone's offset does not change.
type stretch struct {
	start, end int64 // instants, in Unix seconds; end is exclusive
	offset     int64 // seconds east of UTC
}

func stretchAt(loc *time.Location, instant int64) stretch {
	if loc == time.UTC {
		return stretch{start: math.MinInt64, end: math.MaxInt64}
	}
	t := time.Unix(instant, 0).In(loc)
	_, offset := t.Zone()
	s := stretch{start: math.MinInt64, end: math.MaxInt64, offset: int64(offset)}
	start, end := t.ZoneBounds()
	if !start.IsZero() {
		s.start = start.Unix()
	}
	if !end.IsZero() {
		s.end = end.Unix()
	}
	return s
}

// landing is what a wall time means in a zone.
type landing struct {
	// instant has the wall time; where it does not exist, the first instant after
	// the gap. In Unix seconds.
	instant int64
	gap     bool
	wall    int64 // the wall time at instant
}

// land finds the last instant at which loc's clock shows wall. near is any stretch
// of loc; the answer is found faster when it lies well inside.
func land(loc *time.Location, wall int64, near stretch) landing {
	if u := wall - near.offset; u >= near.start && (near.end == math.MaxInt64 || u < near.end-offsetSpan) {
		return landing{instant: u, wall: wall}
	}
	for s, after := stretchAt(loc, wall+offsetSpan), int64(0); ; {
		u := wall - s.offset
		if u >= s.end { // past s, but before all that came later
			return landing{instant: s.end, gap: true, wall: s.end + after}
		}
		if u >= s.start {
			return landing{instant: u, wall: wall}
		}
		// ZoneBounds says a day too little for the end of some years (Go 1.26, leap
		// years behind the end of the zone's table), hence the end is set here.
		earlier := stretchAt(loc, s.start-1)
		earlier.end = s.start
		s, after = earlier, s.offset
	}
}
