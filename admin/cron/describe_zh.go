package cron

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// chinese builds the sentence: years, months, days, hours, time of day.
func (p *parsed) chinese() string {
	if p.every > 0 {
		n, unit := roundest(p.every)
		return fmt.Sprintf("每隔 %d %s执行一次。", n,
			map[time.Duration]string{time.Hour: "小时", time.Minute: "分钟", time.Second: "秒"}[unit])
	}
	s := &p.spec
	var parts []string
	for _, part := range []string{chineseYears(&s.years), chineseMonths(s.month), chineseDays(s)} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	at := chineseTime(s)
	if s.days.allDays() && s.times() != nil {
		at = "每天 " + at
	}
	return strings.Join(append(parts, at), "，") + "。"
}

func chineseTime(s *spec) string {
	if times := s.times(); times != nil {
		return join(times, "、", "、") + " 执行"
	}
	c := s.clockShapes()
	if c.onTheHour {
		return chineseHourly(c.hour) + "执行一次"
	}
	var parts []string
	if hours := chineseHours(c.hour); hours != "" {
		parts = append(parts, hours)
	}
	if c.minute.kind != shapeAll || c.second.kind == shapeOne {
		if c.hour.kind == shapeAll && c.minute.kind != shapeAll && c.minute.kind != shapeSteps {
			parts = append(parts, "每小时")
		}
		parts = append(parts, chineseUnit(c.minute, "分钟", "分", 60, "每小时"))
	}
	if !c.onTheMinute {
		parts = append(parts, chineseUnit(c.second, "秒", "秒", 60, "每分钟"))
	}
	return strings.Join(parts, "，") + "执行一次"
}

// chineseHourly is for schedules that fire on the hour.
func chineseHourly(hour shape) string {
	switch {
	case hour.kind == shapeAll:
		return "每小时"
	case hour.kind == shapeSpan:
		return fmt.Sprintf("%02d:00 至 %02d:00，每小时", hour.first, hour.last)
	case hour.kind == shapeSteps && hour.even(24) && hour.first == 0:
		return fmt.Sprintf("每 %d 小时", hour.step)
	}
	return "在 " + chineseList(hour.values, strconv.Itoa) + " 点各"
}

func chineseHours(hour shape) string {
	switch {
	case hour.kind == shapeAll:
		return ""
	case hour.kind == shapeOne || hour.kind == shapeSpan:
		return fmt.Sprintf("%02d:00 至 %02d:59", hour.first, hour.last)
	case hour.kind == shapeSteps && hour.even(24) && hour.first == 0:
		return fmt.Sprintf("每 %d 小时", hour.step)
	}
	return "在 " + chineseList(hour.values, strconv.Itoa) + " 点"
}

// chineseUnit speaks of seconds in a minute or minutes in an hour.
func chineseUnit(s shape, span, point string, length int, whole string) string {
	switch {
	case s.kind == shapeAll:
		return "每" + span
	case s.kind == shapeOne:
		return fmt.Sprintf("第 %d %s", s.first, point)
	case s.kind == shapeSpan:
		return fmt.Sprintf("第 %d 至 %d %s，每%s", s.first, s.last, point, span)
	case s.kind == shapeSteps && s.even(length) && s.first == 0:
		return fmt.Sprintf("每 %d %s", s.step, span)
	case s.kind == shapeSteps:
		return fmt.Sprintf("%s从第 %d %s起每 %d %s", whole, s.first, point, s.step, span)
	}
	return fmt.Sprintf("第 %s %s", chineseList(s.values, strconv.Itoa), point)
}

func chineseDays(s *spec) string {
	r := &s.days
	prefix := ""
	if shapeOf(s.month, 1, 12).kind == shapeAll {
		prefix = "每月"
	}
	switch {
	case r.allDays():
		return ""
	case r.byWeekdays():
		return chineseWeekdays(r, prefix)
	case r.combine == either:
		return chineseDates(r, prefix) + "或" + chineseWeekdays(r, prefix)
	}
	return chineseDates(r, prefix)
}

func chineseDates(r *dayRule, prefix string) string {
	parts, all := r.days(dateWords{
		dates: chineseDayNumbers, fromEnd: chineseFromEnd, lastWeekday: "最后一个工作日",
		date:    func(d int) string { return fmt.Sprintf(" %d 日", d) },
		nearest: func(to string) string { return "离" + to + "最近的工作日" },
	})
	switch {
	case all:
		return "每天"
	case len(parts) == 0:
		return "没有任何一天"
	}
	return strings.TrimSpace(prefix + join(parts, "、", "和"))
}

func chineseDayNumbers(s shape) string {
	if s.kind == shapeSpan {
		return fmt.Sprintf(" %d 至 %d 日", s.first, s.last)
	}
	return " " + chineseList(s.values, strconv.Itoa) + " 日"
}

func chineseFromEnd(n int) string {
	if n == 0 {
		return "最后一天"
	}
	return fmt.Sprintf("倒数第 %d 天", n+1)
}

func chineseWeekdays(r *dayRule, prefix string) string {
	s := shapeOf(r.weekdays, 0, 6)
	switch {
	case s.empty():
		return "没有任何一天"
	case r.lastWeek:
		return prefix + "最后一个" + chineseWeekday(s.first)
	case r.nth > 0:
		return fmt.Sprintf("%s第 %d 个%s", prefix, r.nth, chineseWeekday(s.first))
	case s.kind == shapeAll:
		return "每天"
	case s.kind == shapeSpan:
		return chineseWeekday(s.first) + "至" + chineseWeekday(s.last)
	}
	return "每" + chineseList(s.values, chineseWeekday)
}

func chineseWeekday(d int) string {
	return [...]string{"周日", "周一", "周二", "周三", "周四", "周五", "周六"}[d]
}

func chineseMonths(set uint64) string {
	s := shapeOf(set, 1, 12)
	switch s.kind {
	case shapeAll:
		return ""
	case shapeSpan:
		return fmt.Sprintf("%d 月至 %d 月", s.first, s.last)
	}
	return chineseList(s.values, strconv.Itoa) + " 月"
}

func chineseYears(set *yearSet) string {
	s := shapeOfYears(set)
	switch {
	case s.kind == shapeAll:
		return ""
	case s.empty():
		return "没有任何一年"
	case s.kind == shapeFrom:
		return fmt.Sprintf("从 %d 年起", s.first)
	case s.kind == shapeSpan:
		return fmt.Sprintf("%d 至 %d 年", s.first, s.last)
	}
	return chineseList(s.values, strconv.Itoa) + " 年"
}

func chineseList(values []int, word func(int) string) string {
	return words(values, word, "、", "、", func(n int) string { return fmt.Sprintf(" 等 %d 个", n) })
}
