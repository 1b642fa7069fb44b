package cron

import (
	"fmt"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
)

// DescribeTiming says in sentences when a job fires, whatever its kind of schedule.
// Instants are told in the zone of the timing; def is that of one without a zone.
func DescribeTiming(t job.Timing, def *time.Location, lang Language) (string, error) {
	loc, err := Location(t.Zone, def)
	if err != nil {
		return "", err
	}
	text, err := describeKind(t, loc, lang)
	if err != nil {
		return "", err
	}
	show := func(at *time.Time) string { return at.In(loc).Format("2006-01-02 15:04:05 -07:00") }
	if t.ValidFrom != nil {
		text += in(lang, " Not before %s.", "不早于 %s。", show(t.ValidFrom))
	}
	if t.ValidUntil != nil {
		text += in(lang, " Not after %s.", "不晚于 %s。", show(t.ValidUntil))
	}
	return text, nil
}

func describeKind(t job.Timing, loc *time.Location, lang Language) (string, error) {
	switch t.Type {
	case job.ScheduleCron:
		return Describe(t.Conf, lang)
	case job.ScheduleFixRate, job.ScheduleFixDelay:
		n, err := readSeconds(t.Conf)
		if err != nil {
			return "", err
		}
		d := time.Duration(n) * time.Second
		if t.Type == job.ScheduleFixDelay {
			return describeDelay(d, lang), nil
		}
		p := parsed{every: d}
		if lang == Chinese {
			return p.chinese(), nil
		}
		return p.english(), nil
	case job.ScheduleOnce:
		at, err := readOnce(t.Conf)
		if err != nil {
			return "", err
		}
		return in(lang, "Once, at %s.", "仅一次，%s 执行。", time.Time(at).In(loc).Format("2006-01-02 15:04:05 -07:00")), nil
	default:
		return in(lang, "By no schedule, only when something starts it.", "没有调度，仅在被触发时执行。"), nil
	}
}

func describeDelay(d time.Duration, lang Language) string {
	n, unit := roundest(d)
	words := map[time.Duration][2]string{time.Second: {"second", "秒"}, time.Minute: {"minute", "分钟"}, time.Hour: {"hour", "小时"}}[unit]
	if lang == Chinese {
		return fmt.Sprintf("上次运行结束 %d %s后执行。", n, words[1])
	}
	if n != 1 {
		words[0] += "s"
	}
	return fmt.Sprintf("%d %s after the end of the last run.", n, words[0])
}

func in(lang Language, english, chinese string, args ...any) string {
	if lang == Chinese {
		return fmt.Sprintf(chinese, args...)
	}
	return fmt.Sprintf(english, args...)
}

// Warnings are what the author of a timing should know; only expressions have any.
func Warnings(t job.Timing) ([]Warning, error) {
	if t.Type != job.ScheduleCron {
		return nil, nil
	}
	s, err := Parse(t.Conf, Options{})
	if err != nil {
		return nil, err
	}
	return s.Warnings(), nil
}
