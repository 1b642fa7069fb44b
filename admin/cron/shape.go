package cron

import "math/bits"

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
	shapeFrom                   // first and all after it, three or more
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

// shapeOfYears is shapeOf for years, which are told by where they begin and end.
func shapeOfYears(set *yearSet) shape {
	if set.all() {
		return shape{kind: shapeAll}
	}
	s := shape{kind: shapeList, values: set.members()}
	n := len(s.values)
	if n == 0 {
		return s
	}
	s.first, s.last = s.values[0], s.values[n-1]
	switch {
	case n < 3 || s.last-s.first != n-1:
	case s.last == lastYear:
		s.kind = shapeFrom
	default:
		s.kind = shapeSpan
	}
	return s
}

// empty reports whether nothing is in the set.
func (s shape) empty() bool { return s.kind == shapeList && len(s.values) == 0 }

// even reports whether the steps go on evenly into the next round of the unit.
func (s shape) even(length int) bool { return s.first < s.step && length%s.step == 0 }

func members(set uint64) []int {
	values := make([]int, 0, bits.OnesCount64(set))
	for v := next(set, 0); v >= 0; v = next(set, v+1) {
		values = append(values, v)
	}
	return values
}

// members lists the matching years.
func (s *yearSet) members() []int {
	var years []int
	for y := s.next(firstYear); y >= 0; y = s.next(y + 1) {
		years = append(years, y)
	}
	return years
}

// clockShapes are the fields of the time of day.
type clockShapes struct {
	second, minute, hour   shape
	onTheMinute, onTheHour bool // seconds are 0; minutes and seconds are
}

func (s *spec) clockShapes() clockShapes {
	c := clockShapes{second: shapeOf(s.second, 0, 59), minute: shapeOf(s.minute, 0, 59), hour: shapeOf(s.hour, 0, 23)}
	c.onTheMinute = c.second.kind == shapeOne && c.second.first == 0
	c.onTheHour = c.onTheMinute && c.minute.kind == shapeOne && c.minute.first == 0
	return c
}
