package cron

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// maxLength bounds an expression in bytes. XXL-JOB's column holds 128 characters.
const maxLength = 1024

// Parse compiles an expression of either dialect. The error is an *Error.
func Parse(expr string, opts Options) (*Schedule, error) {
	if err := checkDST(opts.DST); err != nil {
		return nil, &Error{Message: err.Error()}
	}
	p, err := read(expr)
	if err != nil {
		return nil, err
	}
	return p.schedule(cmp.Or(opts.Location, time.UTC), cmp.Or(opts.DST, DSTXXL)), nil
}

// parsed is an expression that was understood, before it is compiled for a zone.
type parsed struct {
	spec     spec
	every    time.Duration // set for @every; spec is empty then
	warnings []Warning
}

func (p *parsed) schedule(loc *time.Location, dst DST) *Schedule {
	if p.every > 0 {
		return interval(p.every, p.warnings)
	}
	s := compile(&p.spec, loc, dst)
	s.warnings = p.warnings
	if s.Next(time.Time{}).IsZero() {
		s.warnings = append(s.warnings, Warning{Code: NeverFires})
	}
	return s
}

// read tells the dialects apart and reads expr.
func read(expr string) (*parsed, error) {
	if len(expr) > maxLength {
		return nil, &Error{Message: fmt.Sprintf("the expression is longer than %d bytes; shorten its lists", maxLength)}
	}
	// robfig reads these prefixes, and panics on some.
	trimmed := strings.ToUpper(strings.TrimSpace(expr))
	if strings.HasPrefix(trimmed, "TZ=") || strings.HasPrefix(trimmed, "CRON_TZ=") {
		return nil, &Error{Message: "a time zone does not belong into the expression; set it in the time zone field"}
	}
	if strings.HasPrefix(trimmed, "@") {
		return readCrontab(expr)
	}
	switch n := len(splitQuartz(expr)); n {
	case 5:
		return readCrontab(expr)
	case 6, 7:
		return readQuartz(expr)
	default:
		return nil, &Error{Message: fmt.Sprintf(
			"found %d fields; write 6 or 7 (second minute hour day month weekday [year]) or a crontab's 5 (minute hour day month weekday)", n)}
	}
}
