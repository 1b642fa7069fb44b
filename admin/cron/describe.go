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

// dateWords are a language's phrases for days of a month.
type dateWords struct {
	dates       func(shape) string     // of the days in a shape; none says that it is every day
	fromEnd     func(n int) string     // of the day n days before the last
	nearest     func(to string) string // of the weekday nearest to a day
	date        func(d int) string     // of a day, within nearest
	lastWeekday string
}

// days lists the days of a month in a language's words, and reports whether they are all.
func (r *dayRule) days(w dateWords) (parts []string, all bool) {
	if r.dates != 0 {
		s := shapeOf(r.dates, 1, 31)
		if s.kind == shapeAll {
			return nil, true
		}
		parts = append(parts, w.dates(s))
	}
	for _, n := range members(r.last) {
		parts = append(parts, w.fromEnd(n))
	}
	for _, d := range members(r.nearDates) {
		parts = append(parts, w.nearest(w.date(d)))
	}
	for _, n := range members(r.nearLast) {
		if n == 0 {
			parts = append(parts, w.lastWeekday)
		} else {
			parts = append(parts, w.nearest(w.fromEnd(n)))
		}
	}
	return parts, false
}

// byWeekdays reports whether weekdays alone decide, as far as a reader can tell.
func (r *dayRule) byWeekdays() bool {
	return r.combine == byWeekday || r.combine == both && r.weekdays != 1<<7-1
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

// roundest splits a whole number of seconds into the largest unit that fits.
func roundest(d time.Duration) (n int, unit time.Duration) {
	for _, unit := range []time.Duration{time.Hour, time.Minute} {
		if d%unit == 0 {
			return int(d / unit), unit
		}
	}
	return int(d / time.Second), time.Second
}
