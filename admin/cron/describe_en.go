package cron

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// english builds the sentence: time of day, hours, days, months, years.
func (p *parsed) english() string {
	if p.every > 0 {
		n, unit := roundest(p.every)
		return "Every " + plural(n, map[time.Duration]string{time.Hour: "hour", time.Minute: "minute", time.Second: "second"}[unit]) + "."
	}
	s := &p.spec
	var parts []string
	for _, part := range []string{englishTime(s), englishDays(&s.days), englishMonths(s.month), englishYears(&s.years)} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if s.days.allDays() && s.times() != nil {
		parts[0] += " every day"
	}
	sentence := strings.Join(parts, ", ")
	return strings.ToUpper(sentence[:1]) + sentence[1:] + "."
}

func englishTime(s *spec) string {
	if times := s.times(); times != nil {
		return "at " + join(times, ", ", " and ")
	}
	sec, minute, hour := shapeOf(s.second, 0, 59), shapeOf(s.minute, 0, 59), shapeOf(s.hour, 0, 23)
	onTheMinute := sec.kind == shapeOne && sec.first == 0
	onTheHour := onTheMinute && minute.kind == shapeOne && minute.first == 0
	var parts []string
	if !onTheMinute {
		parts = append(parts, englishUnit(sec, "second", 60))
	}
	if !onTheHour && (minute.kind != shapeAll || sec.kind == shapeOne) {
		parts = append(parts, englishUnit(minute, "minute", 60))
	}
	pinned := minute.kind != shapeAll && minute.kind != shapeSteps
	return strings.Join(append(parts, englishHours(hour, onTheHour, pinned)...), ", ")
}

// englishHours says "every hour" only where the minutes do not imply it.
func englishHours(hour shape, alone, pinned bool) []string {
	switch {
	case hour.kind == shapeAll && (alone || pinned):
		return []string{"every hour"}
	case hour.kind == shapeAll:
		return nil
	case hour.kind == shapeOne:
		return []string{fmt.Sprintf("from %02d:00 to %02d:59", hour.first, hour.first)}
	case hour.kind == shapeSpan && alone:
		return []string{fmt.Sprintf("every hour from %02d:00 to %02d:00", hour.first, hour.last)}
	case hour.kind == shapeSpan:
		return []string{fmt.Sprintf("from %02d:00 to %02d:59", hour.first, hour.last)}
	case hour.kind == shapeSteps && hour.even(24) && hour.first == 0:
		return []string{fmt.Sprintf("every %d hours", hour.step)}
	case alone:
		return []string{"on the hour at " + englishList(hour.values, strconv.Itoa)}
	}
	return []string{"in the hours " + englishList(hour.values, strconv.Itoa)}
}

// englishUnit speaks of seconds in a minute or minutes in an hour.
func englishUnit(s shape, unit string, length int) string {
	whole := map[string]string{"second": "minute", "minute": "hour"}[unit]
	switch {
	case s.kind == shapeAll:
		return "every " + unit
	case s.kind == shapeOne:
		return fmt.Sprintf("at %s %d", unit, s.first)
	case s.kind == shapeSpan:
		return fmt.Sprintf("every %s from %d to %d", unit, s.first, s.last)
	case s.kind == shapeSteps && s.even(length) && s.first == 0:
		return fmt.Sprintf("every %d %ss", s.step, unit)
	case s.kind == shapeSteps:
		return fmt.Sprintf("every %d %ss from %s %d of each %s", s.step, unit, unit, s.first, whole)
	}
	return fmt.Sprintf("at %ss %s", unit, englishList(s.values, strconv.Itoa))
}

func englishDays(r *dayRule) string {
	if r.allDays() {
		return ""
	}
	switch {
	case r.combine == byWeekday, r.combine == both && r.weekdays != 1<<7-1:
		return englishWeekdays(r)
	case r.combine == either:
		return englishDates(r) + " or " + englishWeekdays(r)
	}
	return englishDates(r)
}

func englishDates(r *dayRule) string {
	var parts []string
	if r.dates != 0 {
		switch s := shapeOf(r.dates, 1, 31); s.kind {
		case shapeAll:
			return "on every day of the month"
		case shapeOne:
			parts = append(parts, "day "+strconv.Itoa(s.first))
		case shapeSpan:
			parts = append(parts, fmt.Sprintf("days %d to %d", s.first, s.last))
		default:
			parts = append(parts, "days "+englishList(s.values, strconv.Itoa))
		}
	}
	for _, n := range members(r.last) {
		parts = append(parts, englishFromEnd(n))
	}
	for _, d := range members(r.nearDates) {
		parts = append(parts, fmt.Sprintf("the weekday nearest to day %d", d))
	}
	for _, n := range members(r.nearLast) {
		if n == 0 {
			parts = append(parts, "the last weekday")
		} else {
			parts = append(parts, "the weekday nearest to "+englishFromEnd(n))
		}
	}
	if len(parts) == 0 {
		return "on no day"
	}
	return "on " + join(parts, ", ", " and ") + " of the month"
}

func englishFromEnd(n int) string {
	switch n {
	case 0:
		return "the last day"
	case 1:
		return "the last day but one"
	}
	return fmt.Sprintf("the day %d days before the last", n)
}

func englishWeekdays(r *dayRule) string {
	s := shapeOf(r.weekdays, 0, 6)
	switch {
	case len(s.values) == 0:
		return "on no day"
	case r.lastWeek:
		return "on the last " + englishWeekday(s.first) + " of the month"
	case r.nth > 0:
		return fmt.Sprintf("on the %s %s of the month",
			[...]string{"first", "second", "third", "fourth", "fifth"}[r.nth-1], englishWeekday(s.first))
	case s.kind == shapeAll:
		return "on every day of the week"
	case s.kind == shapeSpan:
		return englishWeekday(s.first) + " to " + englishWeekday(s.last)
	}
	return "on " + englishList(s.values, englishWeekday)
}

func englishWeekday(d int) string { return time.Weekday(d).String() }

func englishMonths(set uint64) string {
	s := shapeOf(set, 1, 12)
	month := func(m int) string { return time.Month(m).String() }
	switch s.kind {
	case shapeAll:
		return ""
	case shapeSpan:
		return "from " + month(s.first) + " to " + month(s.last)
	}
	return "in " + englishList(s.values, month)
}

func englishYears(set *yearSet) string {
	if set.all() {
		return ""
	}
	years := set.members()
	n := len(years)
	switch {
	case n == 0:
		return "in no year"
	case n > 2 && years[n-1]-years[0] == n-1 && years[n-1] == lastYear:
		return fmt.Sprintf("from %d on", years[0])
	case n > 2 && years[n-1]-years[0] == n-1:
		return fmt.Sprintf("from %d to %d", years[0], years[n-1])
	}
	return "in " + englishList(years, strconv.Itoa)
}

func englishList(values []int, word func(int) string) string {
	return words(values, word, ", ", " and ", func(n int) string { return fmt.Sprintf(" (%d values)", n) })
}

func plural(n int, unit string) string {
	if n == 1 {
		return unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}
