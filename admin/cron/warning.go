package cron

import "fmt"

// WarningCode names a kind of warning, for programs.
type WarningCode string

// The warnings there are.
const (
	// IgnoredCharacters: XXL-JOB ignores part of an item, and so do we.
	IgnoredCharacters WarningCode = "ignored_characters"
	// ReadAs: an item means something else than it seems to.
	ReadAs WarningCode = "read_as"
	// NearestWeekday: days are moved off the weekend, with XXL-JOB's oddities.
	NearestWeekday WarningCode = "nearest_weekday"
	// SmallestWeekday: # or L takes one weekday only, the smallest of the list.
	SmallestWeekday WarningCode = "smallest_weekday"
	// HiddenInFebruary: a day of the month hides an L-n of the same list.
	HiddenInFebruary WarningCode = "hidden_in_february"
	// EitherDay: a crontab with both day fields set fires when either matches.
	EitherDay WarningCode = "either_day"
	// NeverFires: no instant from 1970 to 2126 matches.
	NeverFires WarningCode = "never_fires"
)

// Warning is something about a valid expression that its author should know.
type Warning struct {
	Code    WarningCode
	Field   string // such as "day of month"; empty when the whole expression is meant
	Value   string // the item as written, upper case
	Meaning string // what it is read as
}

// Text is the warning as a sentence.
func (w Warning) Text(lang Language) string {
	if lang == Chinese {
		return w.chinese()
	}
	switch w.Code {
	case IgnoredCharacters:
		return fmt.Sprintf("%s: characters of %q are ignored; it reads as %q.", w.Field, w.Value, w.Meaning)
	case ReadAs:
		return fmt.Sprintf("%s: %q reads as %q.", w.Field, w.Value, w.Meaning)
	case NearestWeekday:
		return fmt.Sprintf("%s: %s is shifted to the nearest weekday, Monday to Friday, of the same month; "+
			"in a month where it is shifted, repeated fires of that day and later W days can be skipped, as in XXL-JOB.", w.Field, w.Value)
	case SmallestWeekday:
		return fmt.Sprintf("%s: # and L take one weekday; of %q only the smallest counts.", w.Field, w.Value)
	case HiddenInFebruary:
		return fmt.Sprintf("%s: in February a day of the list %q can hide an L-n before it, as in XXL-JOB.", w.Field, w.Value)
	case EitherDay:
		return "Day of month and day of week are both set: it fires when either matches."
	case NeverFires:
		return "This never fires."
	}
	return string(w.Code)
}

func (w Warning) chinese() string {
	field := chineseField(w.Field)
	switch w.Code {
	case IgnoredCharacters:
		return fmt.Sprintf("%s:%q 中有字符被忽略，按 %q 处理。", field, w.Value, w.Meaning)
	case ReadAs:
		return fmt.Sprintf("%s:%q 按 %q 处理。", field, w.Value, w.Meaning)
	case NearestWeekday:
		return fmt.Sprintf("%s:%s 会移到同月内最近的工作日（周一至周五）；发生移动的月份里，当天的重复触发和之后的 W 日可能被跳过，与 XXL-JOB 一致。", field, w.Value)
	case SmallestWeekday:
		return fmt.Sprintf("%s:# 和 L 只作用于一个星期几，%q 中只有最小的一个生效。", field, w.Value)
	case HiddenInFebruary:
		return fmt.Sprintf("%s:二月里列表 %q 中的日期可能盖过它之前的 L-n，与 XXL-JOB 一致。", field, w.Value)
	case EitherDay:
		return "日和周都已设置：任意一个匹配即触发。"
	case NeverFires:
		return "该表达式永远不会触发。"
	}
	return string(w.Code)
}

func chineseField(name string) string {
	switch name {
	case "second":
		return "秒"
	case "minute":
		return "分"
	case "hour":
		return "时"
	case "day of month":
		return "日"
	case "month":
		return "月"
	case "day of week":
		return "周"
	case "year":
		return "年"
	}
	return name
}
