package cron

import "math/bits"

// Years outside this range never match. The last is XXL-JOB's "build year plus 100"
// in the release that we measured; some bound is needed, because many expressions
// (30 February) never match at all.
const (
	firstYear = 1970
	lastYear  = 2126
)

const secondsPerDay = 24 * 60 * 60

// Wall times are counted as if the zone were UTC: seconds since 1970-01-01 00:00:00
// of the wall clock.

// dayNumber is the number of days from 1970-01-01 to the given date. The month may
// be 13, for January of the next year.
func dayNumber(year, month, day int) int64 {
	// Years start in March here, so that the leap day is the last of its year.
	if month <= 2 {
		year--
		month += 12
	}
	leapDays := year/4 - year/100 + year/400
	return int64(365*year+leapDays+(153*(month-3)+2)/5+day) - 719469
}

// dateOf is the inverse of dayNumber, for dates after the year 0.
func dateOf(number int64) (year, month, day int) {
	z := int(number) + 719468 // days since 0000-03-01
	era := z / 146097
	dayOfEra := z % 146097
	yearOfEra := (dayOfEra - dayOfEra/1460 + dayOfEra/36524 - dayOfEra/146096) / 365
	dayOfYear := dayOfEra - (365*yearOfEra + yearOfEra/4 - yearOfEra/100)
	m := (5*dayOfYear + 2) / 153
	day = dayOfYear - (153*m+2)/5 + 1
	year = yearOfEra + 400*era
	if month = m + 3; month > 12 {
		return year + 1, month - 12, day
	}
	return year, month, day
}

// weekdayOf counts from 0, Sunday; 1970-01-01 was a Thursday.
func weekdayOf(number int64) int {
	return int(((number+4)%7 + 7) % 7)
}

func daysIn(year, month int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// next returns the smallest member of set that is at least from, or -1.
func next(set uint64, from int) int {
	if from > 63 {
		return -1
	}
	if rest := set >> from << from; rest != 0 {
		return bits.TrailingZeros64(rest)
	}
	return -1
}

// yearSet has bit y-firstYear for each year that matches.
type yearSet [3]uint64

func (s *yearSet) add(year int) {
	if year >= firstYear && year <= lastYear {
		i := year - firstYear
		s[i/64] |= 1 << (i % 64)
	}
}

// next returns the first matching year that is at least from, or -1.
func (s *yearSet) next(from int) int {
	i := max(from-firstYear, 0)
	for word := i / 64; word < len(s); word++ {
		if y := next(s[word], i%64); y >= 0 {
			return firstYear + word*64 + y
		}
		i = 0
	}
	return -1
}

func (s *yearSet) all() bool {
	return *s == allYears()
}

func allYears() yearSet {
	var s yearSet
	for y := firstYear; y <= lastYear; y++ {
		s.add(y)
	}
	return s
}
