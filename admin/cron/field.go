package cron

import (
	"fmt"
	"math"
	"strings"
)

// unit is the place of a field in a Quartz expression.
type unit int

const (
	second unit = iota
	minute
	hour
	dayOfMonth
	month
	dayOfWeek
	year
)

// unitRules are what differs between the units.
type unitRules struct {
	name     string
	min, max int
	maxStep  int
	names    string // three letters each, the first standing for min
}

var rules = [...]unitRules{
	second:     {name: "second", max: 59, maxStep: 59},
	minute:     {name: "minute", max: 59, maxStep: 59},
	hour:       {name: "hour", max: 23, maxStep: 23},
	dayOfMonth: {name: "day of month", min: 1, max: 31, maxStep: 31},
	month:      {name: "month", min: 1, max: 12, maxStep: 12, names: "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC"},
	dayOfWeek:  {name: "day of week", min: 1, max: 7, maxStep: 7, names: "SUNMONTUEWEDTHUFRISAT"},
	year:       {name: "year", min: firstYear, max: lastYear, maxStep: math.MaxInt32},
}

// Upstream's internal marks. A user who writes these numbers gets their meaning.
const (
	allMark   = 99 // *
	unsetMark = 98 // ?, in the two day fields
)

// maxNumber is Java's largest int.
const maxNumber = math.MaxInt32

// maxLastOffset is the largest n of L-n.
const maxLastOffset = 30

// field collects what the items of one field say. Values outside the unit's range
// that upstream lets pass are dropped, since no time has them.
type field struct {
	unit  unit
	set   uint64  // bit n: the value n, of all units but the year
	years yearSet // of the year

	unset bool // ?

	last                uint64 // of the day of month: bit n for L-n
	nearDates, nearLast uint64 // of the day of month: nW, L-nW

	lowest   int // of the day of week: the smallest value named, -1 if none
	nth      int // of the day of week: k of n#k
	lastWeek bool

	warnings []Warning
}

// read takes the whole field, in upper case.
func (f *field) read(text string) error {
	f.lowest = -1
	if f.unit == dayOfWeek {
		if strings.Contains(text, "L") && strings.Contains(text, ",") {
			return f.fail(text, "L cannot be part of a list; use one weekday, such as 6L")
		}
		if strings.Count(text, "#") > 1 {
			return f.fail(text, "only one # is possible; use one weekday, such as 6#3")
		}
	}
	for item := range strings.SplitSeq(text, ",") {
		if item == "" {
			continue
		}
		if err := f.item(item); err != nil {
			return err
		}
	}
	f.warn(text)
	return nil
}

// warn adds what concerns the field as a whole.
func (f *field) warn(text string) {
	if f.nearDates|f.nearLast != 0 {
		f.warning(NearestWeekday, text, "")
	}
	if (f.nth > 0 || f.lastWeek) && f.set&(f.set-1) != 0 {
		f.warning(SmallestWeekday, text, "")
	}
	if f.hides(f.set, f.last) || f.hides(f.nearDates, f.nearLast) {
		f.warning(HiddenInFebruary, text, "")
	}
}

// hides reports whether in some February a date of set wins over an earlier L-n.
func (f *field) hides(dates, last uint64) bool {
	for length := 28; length <= 29; length++ {
		for n := range length {
			if day := length - n; last>>n&1 != 0 && nextDate(dates, last, day, length) != day {
				return true
			}
		}
	}
	return false
}

// single adds one value, or what upstream's marks stand for.
func (f *field) single(item string, value int) error {
	if err := f.check(item, value, -1); err != nil {
		return err
	}
	switch {
	case value == allMark:
		f.warning(ReadAs, item, "*")
		f.addRange(rules[f.unit].min, rules[f.unit].max, 1)
	case value == unsetMark && f.isDay():
		f.warning(ReadAs, item, "?")
		f.unset = true
	default:
		f.add(value)
	}
	return nil
}

// check refuses values outside the unit's range, and ends above it. The marks pass
// with any end.
func (f *field) check(item string, value, end int) error {
	r := rules[f.unit]
	if f.unit == year || value == allMark || value == unsetMark && f.isDay() {
		return nil
	}
	if value < r.min || value > r.max || end > r.max {
		return f.fail(item, fmt.Sprintf("must be %d to %d", r.min, r.max))
	}
	return nil
}

func (f *field) checkStep(item string, step int) error {
	if limit := rules[f.unit].maxStep; step > limit {
		return f.fail(item, fmt.Sprintf("the step must be at most %d", limit))
	}
	return nil
}

// addRange adds from, from+step, … up to to. With to before from it runs over the
// maximum and goes on from the minimum, without starting the step anew.
func (f *field) addRange(from, to, step int) {
	r := rules[f.unit]
	modulus := 0
	if to < from {
		modulus = r.max
		if r.min == 0 {
			modulus++
		}
		to += modulus
	}
	to = min(to, lastYear) // no larger value means anything
	for v := from; v <= to; v += step {
		value := v
		if modulus > 0 {
			if value = v % modulus; value == 0 {
				value = modulus * r.min
			}
		}
		f.add(value)
	}
}

// add puts one value into the set.
func (f *field) add(value int) {
	if value == unsetMark && f.isDay() {
		f.unset = true
	}
	if f.unit == dayOfWeek && (f.lowest < 0 || value < f.lowest) {
		f.lowest = value
	}
	r := rules[f.unit]
	switch {
	case f.unit == year:
		f.years.add(value)
	case value >= r.min && value <= r.max:
		f.set |= 1 << value
	}
}

func (f *field) isDay() bool { return f.unit == dayOfMonth || f.unit == dayOfWeek }

func (f *field) fail(value, message string) error {
	return &Error{Field: rules[f.unit].name, Value: value, Message: message}
}

// ignored warns of the characters rest of item, of which only meaning counts.
func (f *field) ignored(item, meaning, rest string) {
	if rest != "" {
		f.warning(IgnoredCharacters, item, meaning)
	}
}

func (f *field) warning(code WarningCode, value, meaning string) {
	f.warnings = append(f.warnings, Warning{Code: code, Field: rules[f.unit].name, Value: value, Meaning: meaning})
}
