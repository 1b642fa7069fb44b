package cron

import (
	"fmt"
	"math/bits"
	"strings"
	"time"
)

// Describe says in a sentence when an expression fires. It tells what the
// expression does, not how it is written: ignored characters leave no trace. Lists
// that are too long to be read are cut, with the number of their values.
func Describe(expr string, lang Language) (string, error) {
	p, err := read(expr)
	if err != nil {
		return "", err
	}
	if lang == Chinese {
		return p.chinese(), nil
	}
	return p.english(), nil
}

// Limits of what a sentence lists: values of a field, and clock times.
const (
	maxListed = 8
	maxTimes  = 6
)

// shape is the simplest way to speak of a set of values.
type shape struct {
	kind        shapeKind
	values      []int
	first, last int
	step        int
}

type shapeKind int

const (
	shapeAll   shapeKind = iota // every value of the unit
	shapeOne                    // first
	shapeSpan                   // first to last, three or more
	shapeSteps                  // first, first+step, … as far as the unit goes, three or more
	shapeList                   // values
)

// shapeOf looks at set as values of a unit from low to high.
func shapeOf(set uint64, low, high int) shape {
	s := shape{kind: shapeList, values: members(set)}
	n := len(s.values)
	if n == 0 {
		return s
	}
	s.first, s.last = s.values[0], s.values[n-1]
	switch {
	case n == high-low+1:
		s.kind = shapeAll
	case n == 1:
		s.kind = shapeOne
	case n > 2:
		step := s.values[1] - s.first
		for i := range n - 1 {
			if s.values[i+1]-s.values[i] != step {
				return s
			}
		}
		switch {
		case step == 1:
			s.kind = shapeSpan
		case s.last+step > high:
			s.kind, s.step = shapeSteps, step
		}
	}
	return s
}

// even reports whether the steps go on evenly into the next round of the unit.
func (s shape) even(length int) bool { return s.first < s.step && length%s.step == 0 }

func members(set uint64) []int {
	values := make([]int, 0, bits.OnesCount64(set))
	for v := next(set, 0); v >= 0; v = next(set, v+1) {
		values = append(values, v)
	}
	return values
}

// times lists the clock times of a spec, or nothing if they are too many.
func (s *spec) times() []string {
	n := bits.OnesCount64(s.hour) * bits.OnesCount64(s.minute) * bits.OnesCount64(s.second)
	if n > maxTimes {
		return nil
	}
	var times []string
	for _, h := range members(s.hour) {
		for _, m := range members(s.minute) {
			for _, sec := range members(s.second) {
				times = append(times, clock(h, m, sec))
			}
		}
	}
	return times
}

// clock leaves out seconds that are zero.
func clock(hour, minute, second int) string {
	if second == 0 {
		return fmt.Sprintf("%02d:%02d", hour, minute)
	}
	return fmt.Sprintf("%02d:%02d:%02d", hour, minute, second)
}

// allDays reports whether each day of each month matches.
func (r *dayRule) allDays() bool {
	full := dayRule{dates: 1<<32 - 2}
	return !r.nearest() && r.table() == full.table()
}

// words turns values into text and joins them; a long list is cut.
func words(values []int, word func(int) string, comma, and string, cut func(n int) string) string {
	texts := make([]string, 0, len(values))
	for _, v := range values {
		texts = append(texts, word(v))
	}
	if n := len(texts); n > maxListed {
		return strings.Join(texts[:3], comma) + comma + "…" + comma + texts[n-1] + cut(n)
	}
	return join(texts, comma, and)
}

func join(texts []string, comma, and string) string {
	if n := len(texts); n > 1 {
		return strings.Join(texts[:n-1], comma) + and + texts[n-1]
	}
	return strings.Join(texts, "")
}

// members lists the matching years.
func (s *yearSet) members() []int {
	var years []int
	for y := s.next(firstYear); y >= 0; y = s.next(y + 1) {
		years = append(years, y)
	}
	return years
}

// roundest splits a whole number of seconds into the largest unit that fits.
func roundest(d time.Duration) (n int, unit time.Duration) {
	for _, unit := range []time.Duration{time.Hour, time.Minute} {
		if d%unit == 0 {
			return int(d / unit), unit
		}
	}
	return int(d / time.Second), time.Second
}
