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
	c := s.clockShapes()
	var parts []string
	if !c.onTheMinute {
		parts = append(parts, englishUnit(c.second, "second", 60))
	}
	if !c.onTheHour && (c.minute.kind != shapeAll || c.second.kind == shapeOne) {
		parts = append(parts, englishUnit(c.minute, "minute", 60))
	}
	pinned := c.minute.kind != shapeAll && c.minute.kind != shapeSteps
	return strings.Join(append(parts, englishHours(c.hour, c.onTheHour, pinned)...), ", ")
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
	switch {
	case r.allDays():
		return ""
	case r.byWeekdays():
		return englishWeekdays(r)
	case r.combine == either:
		return englishDates(r) + " or " + englishWeekdays(r)
	}
	return englishDates(r)
}

func englishDates(r *dayRule) string {
	parts, all := r.days(dateWords{
		dates: englishDayNumbers, fromEnd: englishFromEnd, lastWeekday: "the last weekday",
		date:    func(d int) string { return fmt.Sprintf("day %d", d) },
		nearest: func(to string) string { return "the weekday nearest to " + to },
	})
	switch {
	case all:
		return "on every day of the month"
	case len(parts) == 0:
		return "on no day"
	}
	return "on " + join(parts, ", ", " and ") + " of the month"
}

func englishDayNumbers(s shape) string {
	switch s.kind {
	case shapeOne:
		return "day " + strconv.Itoa(s.first)
	case shapeSpan:
		return fmt.Sprintf("days %d to %d", s.first, s.last)
	}
	return "days " + englishList(s.values, strconv.Itoa)
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
	case s.empty():
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
	s := shapeOfYears(set)
	switch {
	case s.kind == shapeAll:
		return ""
	case s.empty():
		return "in no year"
	case s.kind == shapeFrom:
		return fmt.Sprintf("from %d on", s.first)
	case s.kind == shapeSpan:
		return fmt.Sprintf("from %d to %d", s.first, s.last)
	}
	return "in " + englishList(s.values, strconv.Itoa)
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
