package cron

import (
	"math"
	"time"

	robfig "github.com/robfig/cron/v3"
)

// Schedule is a compiled expression. It is immutable.
type Schedule struct {
	second, minute, hour, month uint64
	firstTime                   int64 // first matching second of a day
	days                        dayTable
	years                       yearSet
	near                        *dayRule // set when days are moved off the weekend

	loc      *time.Location
	dst      DST
	warnings []Warning

	every robfig.ConstantDelaySchedule // set for @every, which uses nothing above
}

var _ robfig.Schedule = (*Schedule)(nil)

func compile(s *spec, loc *time.Location, dst DST) *Schedule {
	c := &Schedule{
		second: s.second, minute: s.minute, hour: s.hour, month: s.month,
		days: s.days.table(), years: s.years,
		loc: loc, dst: dst,
	}
	c.firstTime = int64(next(s.hour, 0)*3600 + next(s.minute, 0)*60 + next(s.second, 0))
	if s.days.nearest() {
		c.near = &s.days
	}
	return c
}

// Warnings tells what a reader of the expression might not expect, such as
// characters that are ignored.
func (s *Schedule) Warnings() []Warning { return s.warnings }

// Next returns the first fire strictly after t, in t's location, or the zero time
// if there is none. Fractions of a second are cut off t first.
func (s *Schedule) Next(t time.Time) time.Time {
	if s.every.Delay > 0 {
		return s.every.Next(t)
	}
	from := min(max(t.Unix(), minInstant), maxInstant)
	wall, near := s.start(from)
	for {
		var ok bool
		if s.near != nil {
			wall, ok = s.walk(wall, from+1, near)
		} else {
			wall, ok = s.match(wall)
		}
		if !ok {
			return time.Time{}
		}
		l := land(s.loc, wall, near)
		switch {
		case l.gap && s.dst == DSTXXL:
			wall = l.wall
		case l.instant <= from: // a zone that goes back and forth within hours
			wall++
		default:
			return time.Unix(l.instant, 0).In(t.Location())
		}
	}
}

// start returns the wall time from which the search for fires after the instant from
// begins, and a stretch close by. Where the clock is set back just then, the second
// pass begins; where it is set forward, the gap.
func (s *Schedule) start(from int64) (wall int64, near stretch) {
	near = stretchAt(s.loc, from)
	wall = from + near.offset + 1
	if from+1 >= near.end {
		near = stretchAt(s.loc, from+1)
		wall = min(wall, from+near.offset+1)
	}
	return wall, near
}

// Instants are clamped to these before the search: nothing fires before or after,
// in any zone, and the arithmetic cannot overflow.
const (
	minInstant = -2 * secondsPerDay
	maxInstant = int64(lastYear-firstYear+2) * 366 * secondsPerDay
)

// match returns the first matching wall time that is at least wall.
func (s *Schedule) match(wall int64) (int64, bool) {
	number, second := floorDiv(wall, secondsPerDay)
	year, month, day := dateOf(number)
	found := s.matchDay(year, month, day)
	if found == number {
		if second, ok := s.matchTime(second); ok {
			return number*secondsPerDay + second, true
		}
		found = s.matchDay(year, month, day+1)
	}
	if found == noDay {
		return 0, false
	}
	return found*secondsPerDay + s.firstTime, true
}

// noDay is the number of no day.
const noDay = math.MinInt64

// matchDay returns the number of the first matching day from the given date on, or
// noDay. The day may be one past the end of its month.
func (s *Schedule) matchDay(year, month, day int) int64 {
	for {
		y, m := s.matchMonth(year, month)
		if y < 0 {
			return noDay
		}
		if y != year || m != month {
			day = 1
		}
		first := dayNumber(y, m, 1)
		days := uint64(s.days[daysIn(y, m)-28][weekdayOf(first)])
		if d := next(days, day); d >= 0 {
			return first + int64(d) - 1
		}
		year, month, day = y, m+1, 1
	}
}

// matchMonth returns the first matching month from the given one on, or -1. The
// month may be 13.
func (s *Schedule) matchMonth(year, month int) (y, m int) {
	for {
		y := s.years.next(year)
		if y < 0 {
			return -1, 0
		}
		if y != year {
			month = 1
		}
		if m := next(s.month, month); m >= 0 {
			return y, m
		}
		year, month = y+1, 1
	}
}

// matchTime returns the first matching second of a day that is at least second.
func (s *Schedule) matchTime(second int64) (int64, bool) {
	hour, minute, sec := int(second)/3600, int(second)/60%60, int(second)%60
	if s.hour>>hour&1 != 0 {
		if s.minute>>minute&1 != 0 {
			if n := next(s.second, sec); n >= 0 {
				return int64(hour*3600 + minute*60 + n), true
			}
		}
		if m := next(s.minute, minute+1); m >= 0 {
			return int64(hour*3600 + m*60 + next(s.second, 0)), true
		}
	}
	if h := next(s.hour, hour+1); h >= 0 {
		return int64(h*3600) + s.firstTime%3600, true
	}
	return 0, false
}

// floorDiv divides towards minus infinity, so that the rest is never negative.
func floorDiv(a, b int64) (quotient, rest int64) {
	quotient, rest = a/b, a%b
	if rest < 0 {
		return quotient - 1, rest + b
	}
	return quotient, rest
}
