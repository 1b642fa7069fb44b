package cron

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
)

// item reads one item of a field's list and adds what it means. What upstream ignores
// is ignored with a warning, what it refuses is refused.
func (f *field) item(s string) error {
	switch c := s[0]; {
	case c >= 'A' && c <= 'Z' && !lastForm(s):
		return f.name(s)
	case c == 'L':
		return f.fromEnd(s)
	case c == '?':
		return f.question(s)
	case c == '*' || c == '/':
		return f.star(s)
	case isDigit(c):
		return f.number(s)
	}
	return f.fail(s, "unexpected character; values are numbers, names, * and ?")
}

// lastForm reports whether s is L, LW, L-n or L-nW; n may be missing.
func lastForm(s string) bool {
	s, found := strings.CutPrefix(s, "L")
	if offset, ok := strings.CutPrefix(s, "-"); ok {
		s = strings.TrimLeft(offset, "0123456789")
	}
	return found && (s == "" || s == "W")
}

// name reads MON, MON-FRI, FRI#2 and FRIL. Three letters count.
func (f *field) name(s string) error {
	r := rules[f.unit]
	if r.names == "" {
		return f.fail(s, "letters have no meaning here; write numbers")
	}
	from, rest, err := f.nameAt(s, s)
	if err != nil {
		return err
	}
	word := s[:3]
	switch {
	case strings.HasPrefix(rest, "-"):
		to, rest, err := f.nameAt(s, rest[1:])
		if err != nil {
			return err
		}
		f.ignored(s, s[:7], rest)
		f.addRange(from, to, 1)
		return nil
	case f.unit == dayOfWeek && strings.HasPrefix(rest, "#"):
		return f.nthOfMonth(s, from, rest[1:])
	case f.unit == dayOfWeek && strings.HasPrefix(rest, "L"):
		f.ignored(s, word+"L", rest[1:])
		f.lastWeek = true
	default:
		f.ignored(s, word, rest)
	}
	f.add(from)
	return nil
}

func (f *field) nameAt(item, s string) (value int, rest string, err error) {
	r := rules[f.unit]
	if len(s) >= 3 {
		if i := strings.Index(r.names, s[:3]); i >= 0 && i%3 == 0 {
			return r.min + i/3, s[3:], nil
		}
	}
	return 0, "", f.fail(item, fmt.Sprintf("not a name of a %s; use %s to %s or numbers",
		strings.TrimPrefix(r.name, "day of "), r.names[:3], r.names[len(r.names)-3:]))
}

// nthOfMonth reads what follows #.
func (f *field) nthOfMonth(item string, weekday int, s string) error {
	k, err := strconv.ParseInt(s, 10, 32)
	if err != nil || k < 1 || k > 5 {
		return f.fail(item, "after # comes which one of the month, 1 to 5, such as 6#3 for the third Friday")
	}
	f.nth = int(k)
	f.add(weekday)
	return nil
}

// fromEnd reads L, LW, L-n and L-nW, and in the day of week L for Saturday.
func (f *field) fromEnd(s string) error {
	switch f.unit {
	case dayOfMonth:
	case dayOfWeek:
		f.ignored(s, "L", s[1:])
		f.add(rules[dayOfWeek].max)
		return nil
	case month, year: // upstream reads it and then has no value
		f.ignored(s, "", s)
		return nil
	default:
		return f.fail(s, "L has no meaning here; it belongs into a day field")
	}

	rest, offset := s[1:], 0
	if number, ok := strings.CutPrefix(rest, "-"); ok {
		if number == "" {
			return f.fail(s, "the number of days is missing, such as L-3")
		}
		rest = strings.TrimLeft(number, "0123456789")
		if digits := strings.TrimSuffix(number, rest); digits != "" {
			n, err := strconv.Atoi(digits)
			if err != nil || n > maxLastOffset {
				return f.fail(s, fmt.Sprintf("at most %d days before the last", maxLastOffset))
			}
			offset = n
		}
	}
	if rest == "W" {
		f.nearLast |= 1 << offset
	} else {
		f.last |= 1 << offset
	}
	return nil
}

func (f *field) question(s string) error {
	if rest := s[1:]; rest != "" {
		// One more character passes; upstream counts in UTF-16.
		if len(utf16.Encode([]rune(rest))) > 1 {
			return f.fail(s, "? stands alone")
		}
		f.ignored(s, "?", rest)
	}
	if !f.isDay() {
		return f.fail(s, "? belongs into one of the two day fields; write * here")
	}
	f.unset = true
	return nil
}

// star reads *, */s and /s.
func (f *field) star(s string) error {
	r := rules[f.unit]
	rest := strings.TrimPrefix(s, "*")
	if !strings.HasPrefix(rest, "/") {
		f.ignored(s, "*", rest)
		f.addRange(r.min, r.max, 1)
		return nil
	}
	step, err := strconv.ParseInt(rest[1:], 10, 32)
	if err != nil {
		return f.fail(s, "after / comes a number, such as */5")
	}
	if err := f.checkStep(s, int(step)); err != nil {
		return err
	}
	if step <= 0 {
		f.warning(ReadAs, s, "*")
		step = 1
	}
	f.addRange(r.min, r.max, int(step))
	return nil
}

// number reads everything that begins with a digit.
func (f *field) number(s string) error {
	value, rest, err := f.digits(s, s)
	if err != nil {
		return err
	}
	if rest == "" {
		return f.single(s, value)
	}
	switch after := rest[1:]; rest[0] {
	case '-':
		return f.span(s, value, after)
	case '/':
		return f.fromStep(s, value, after)
	case 'L':
		if f.unit != dayOfWeek {
			return f.fail(s, "a number before L is a day of the week; write L-3 for the third day before the last")
		}
		if value < 1 || value > 7 {
			return f.fail(s, "must be 1 to 7, 1 being Sunday")
		}
		f.ignored(s, s[:len(s)-len(after)], after)
		f.lastWeek = true
		f.add(value)
		return nil
	case 'W':
		return f.nearestTo(s, value, after)
	case '#':
		if f.unit != dayOfWeek {
			return f.fail(s, "# belongs into the day of week")
		}
		return f.nthOfMonth(s, value, after)
	}
	f.ignored(s, s[:len(s)-len(rest)], rest)
	return f.single(s, value)
}

func (f *field) nearestTo(item string, day int, rest string) error {
	if f.unit != dayOfMonth {
		return f.fail(item, "W belongs into the day of month")
	}
	if day > rules[dayOfMonth].max {
		return f.fail(item, "a month has at most 31 days")
	}
	f.ignored(item, item[:len(item)-len(rest)], rest)
	if day > 0 { // upstream takes 0W, which never comes
		f.nearDates |= 1 << day
	}
	return nil
}

// span reads a-b and a-b/s, from behind the dash.
func (f *field) span(item string, from int, s string) error {
	to, rest, err := f.digits(item, s)
	if err != nil {
		return err
	}
	step := 1
	if after, ok := strings.CutPrefix(rest, "/"); ok {
		if step, rest, err = f.digits(item, after); err != nil {
			return err
		}
	}
	f.ignored(item, item[:len(item)-len(rest)], rest)
	if err := f.check(item, from, to); err != nil {
		return err
	}
	if step == 0 {
		return f.single(item, from)
	}
	if f.unit == year && to < from {
		return f.fail(item, "a range of years cannot run backwards")
	}
	if from == allMark {
		f.warning(ReadAs, item, "*-"+strconv.Itoa(to))
		from = rules[f.unit].min
	}
	f.addRange(from, to, step)
	return nil
}

// fromStep reads a/s, from behind the slash.
func (f *field) fromStep(item string, from int, s string) error {
	step, rest, err := f.digits(item, s)
	if err != nil {
		return err
	}
	if rest != "" {
		if len(s)-len(rest) == 1 {
			return f.fail(item, "the step is followed by more than a number")
		}
		f.ignored(item, item[:len(item)-len(rest)], rest)
	}
	if err := f.checkStep(item, step); err != nil {
		return err
	}
	if err := f.check(item, from, -1); err != nil {
		return err
	}
	r := rules[f.unit]
	switch {
	case step == 0:
		return f.single(item, from)
	case from == allMark:
		f.warning(ReadAs, item, "*/"+strconv.Itoa(step))
		from = r.min
	case f.unit == year && from > r.max:
		return f.fail(item, fmt.Sprintf("the last year is %d", r.max))
	}
	f.addRange(from, r.max, step)
	return nil
}

// digits reads the number at the start of s.
func (f *field) digits(item, s string) (value int, rest string, err error) {
	rest = strings.TrimLeft(s, "0123456789")
	value, err = strconv.Atoi(s[:len(s)-len(rest)])
	if err != nil || value > maxNumber {
		return 0, "", f.fail(item, fmt.Sprintf("a number from 0 to %d is missing", maxNumber))
	}
	return value, rest, nil
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
