package cron

import (
	"fmt"
	"strings"
)

// readQuartz reads 6 or 7 fields as XXL-JOB 3.4 does, with all that it tolerates.
func readQuartz(expr string) (*parsed, error) {
	texts := splitQuartz(strings.ToUpper(expr))
	switch {
	case len(texts) < 6 || len(texts) > 7:
		return nil, &Error{Message: fmt.Sprintf("found %d fields; write 6 or 7: second minute hour day month weekday [year]", len(texts))}
	case len(texts) == 6:
		texts = append(texts, "*")
	}

	var fields [7]field
	p := &parsed{}
	for i := range fields {
		fields[i].unit = unit(i)
		if err := fields[i].read(texts[i]); err != nil {
			return nil, err
		}
		p.warnings = append(p.warnings, fields[i].warnings...)
	}

	days, err := joinDays(&fields[dayOfMonth], &fields[dayOfWeek])
	if err != nil {
		return nil, err
	}
	for _, u := range []unit{second, minute, hour, month} {
		if fields[u].set == 0 {
			return nil, fields[u].fail(texts[u], "no value is left; write one, or *")
		}
	}
	p.spec = spec{
		second: fields[second].set,
		minute: fields[minute].set,
		hour:   fields[hour].set,
		month:  fields[month].set,
		days:   days,
		years:  fields[year].years,
	}
	return p, nil
}

// splitQuartz cuts at spaces and tabs only; other control characters are trimmed
// off the fields, which can leave one empty.
func splitQuartz(expr string) []string {
	fields := strings.FieldsFunc(expr, func(r rune) bool { return r == ' ' || r == '\t' })
	for i, f := range fields {
		fields[i] = strings.TrimFunc(f, func(r rune) bool { return r <= ' ' })
	}
	return fields
}

// joinDays makes one rule of the two day fields, of which exactly one is "?".
func joinDays(date, weekday *field) (dayRule, error) {
	switch {
	case date.unset && weekday.unset:
		return dayRule{}, &Error{Message: "day of month and day of week are both ?; set one of them"}
	case !date.unset && !weekday.unset:
		return dayRule{}, &Error{Message: "day of month and day of week are both set; write ? in one of them"}
	case weekday.unset:
		return dayRule{
			combine: byDate,
			dates:   date.set, last: date.last,
			nearDates: date.nearDates, nearLast: date.nearLast,
		}, nil
	}
	rule := dayRule{combine: byWeekday, nth: weekday.nth, lastWeek: weekday.lastWeek}
	switch {
	case weekday.lowest < 0:
		return dayRule{}, weekday.fail("", "no value is left; write one, or *")
	case rule.nth == 0 && !rule.lastWeek:
		rule.weekdays = weekday.set >> 1
	case weekday.lowest == 0: // upstream's arithmetic makes the day before Sunday of it
		rule.weekdays = 1 << 6
	case weekday.lowest <= 7:
		rule.weekdays = 1 << (weekday.lowest - 1)
	}
	return rule, nil
}
