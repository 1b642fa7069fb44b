package cron

import "math/bits"

// spec is what an expression means, whatever its dialect. Bit n of a set stands
// for the value n.
type spec struct {
	second, minute, hour, month uint64
	days                        dayRule
	years                       yearSet
}

// dayRule says which days of a month match.
type dayRule struct {
	combine combination

	dates     uint64 // days of the month
	last      uint64 // bit n: n days before the last of the month
	nearDates uint64 // the Monday-to-Friday day nearest to a day of the month
	nearLast  uint64 // the same for n days before the last

	weekdays uint64 // 0 = Sunday
	nth      int    // 1 to 5: only the nth of the month; 0: every one
	lastWeek bool   // only the last of the month
}

// combination says how days of the month and weekdays go together.
type combination int

const (
	byDate    combination = iota // the day of the month alone
	byWeekday                    // the weekday alone
	both                         // a crontab where one of the two is a star
	either                       // a crontab where none is
)

// nearest reports whether the rule moves days off the weekend.
func (r *dayRule) nearest() bool {
	return r.combine == byDate && r.nearDates|r.nearLast != 0
}

// dayTable has the matching days of every shape of month: by length less 28, by
// weekday of the first.
type dayTable [4][7]uint32

// table compiles the rule. Days moved off a weekend are not in it: which of them
// match depends on where the search comes from, see walk.
func (r *dayRule) table() dayTable {
	var t dayTable
	for length := 28; length <= 31; length++ {
		for first := range 7 {
			dates, weekdays := r.dateBits(length), r.weekdayBits(length, first)
			var days uint64
			switch r.combine {
			case byDate:
				days = dates
			case byWeekday:
				days = weekdays
			case both:
				days = dates & weekdays
			case either:
				days = dates | weekdays
			}
			t[length-28][first] = uint32(days)
		}
	}
	return t
}

func (r *dayRule) dateBits(length int) uint64 {
	var days uint64
	for d := 1; d <= length; d++ {
		if nextDate(r.dates, r.last, d, length) == d {
			days |= 1 << d
		}
	}
	return days
}

// nextDate returns the first day from day on that is in dates, or n days before the
// last for a bit n of last; -1 if there is none in a month of that length.
//
// XXL-JOB compares the two as if the month had 31 days, so that in February a date
// can win over an earlier L-n, which then never fires: 28 over L-1.
func nextDate(dates, last uint64, day, length int) int {
	date := next(dates, day)
	if date > length {
		date = -1
	}
	// The largest offset that is not before day gives the earliest such day.
	offset := bits.Len64(last&(1<<(length-day+1)-1)) - 1
	if offset < 0 || date >= 0 && date < 31-offset {
		return date
	}
	return length - offset
}

func (r *dayRule) weekdayBits(length, first int) uint64 {
	var days uint64
	for d := 1; d <= length; d++ {
		switch {
		case r.weekdays>>((first+d-1)%7)&1 == 0:
		case r.nth > 0 && (d-1)/7+1 != r.nth:
		case r.lastWeek && d+7 <= length:
		default:
			days |= 1 << d
		}
	}
	return days
}
