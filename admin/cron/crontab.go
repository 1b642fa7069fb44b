package cron

import (
	"fmt"
	"strings"
	"time"

	robfig "github.com/robfig/cron/v3"
)

// robfigStar is the bit by which robfig marks a field that held a star.
const robfigStar = 1 << 63

// readCrontab reads five fields or a descriptor with robfig's parser. Only what it
// understood is taken over: its search ends after five years, fires twice in an
// overlap, and answers the zero time for a date that never comes.
func readCrontab(expr string) (*parsed, error) {
	expr = strings.TrimSpace(expr)
	schedule, err := parseRobfig(expr)
	if err != nil {
		return nil, &Error{Value: expr, Message: err.Error()}
	}
	switch s := schedule.(type) {
	case robfig.ConstantDelaySchedule:
		return readEvery(expr, s.Delay)
	case *robfig.SpecSchedule:
		return fromRobfig(expr, s)
	}
	return nil, &Error{Value: expr, Message: "this form is not supported; write 5 fields, @daily or @every 90s"}
}

// parseRobfig is robfig.ParseStandard behind a guard: the text is a stranger's, and
// a panic here would end the scheduling of every job.
func parseRobfig(expr string) (s robfig.Schedule, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("not a crontab expression: %v", r)
		}
	}()
	return robfig.ParseStandard(expr)
}

// readEvery checks what robfig would round silently: it reads any duration below a
// second, negative ones too, as one second.
func readEvery(expr string, rounded time.Duration) (*parsed, error) {
	wanted, err := time.ParseDuration(strings.TrimPrefix(expr, "@every "))
	if err != nil {
		return nil, &Error{Value: expr, Message: err.Error()}
	}
	if wanted < time.Second {
		return nil, &Error{Value: expr, Message: "the interval must be at least one second"}
	}
	p := &parsed{every: rounded}
	if rounded != wanted {
		p.warnings = []Warning{{Code: ReadAs, Field: "@every", Value: wanted.String(), Meaning: rounded.String()}}
	}
	return p, nil
}

func fromRobfig(expr string, s *robfig.SpecSchedule) (*parsed, error) {
	for _, f := range []struct {
		name string
		set  uint64
	}{{"minute", s.Minute}, {"hour", s.Hour}, {"day of month", s.Dom}, {"month", s.Month}, {"day of week", s.Dow}} {
		if f.set == 0 {
			return nil, &Error{Field: f.name, Message: "nothing but commas; write a value or *"}
		}
	}
	p := &parsed{spec: spec{
		second: s.Second &^ robfigStar,
		minute: s.Minute &^ robfigStar,
		hour:   s.Hour &^ robfigStar,
		month:  s.Month &^ robfigStar,
		days: dayRule{
			combine:  either,
			dates:    s.Dom &^ robfigStar,
			weekdays: s.Dow &^ robfigStar,
		},
		years: allYears(),
	}}
	if (s.Dom|s.Dow)&robfigStar != 0 {
		p.spec.days.combine = both
	} else {
		p.warnings = append(p.warnings, Warning{Code: EitherDay})
	}
	if fields := strings.Fields(expr); len(fields) == 5 {
		for i, name := range []string{"minute", "hour", "", "month"} {
			if name != "" && strings.Contains(fields[i], "?") {
				p.warnings = append(p.warnings, Warning{Code: ReadAs, Field: name, Value: "?", Meaning: "*"})
			}
		}
	}
	return p, nil
}

// interval is the schedule of @every.
func interval(every time.Duration, warnings []Warning) *Schedule {
	return &Schedule{every: robfig.ConstantDelaySchedule{Delay: every}, warnings: warnings}
}
