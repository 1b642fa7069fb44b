const fields = {
  second: "秒",
  minute: "分",
  hour: "时",
  "day of month": "日",
  month: "月",
  "day of week": "周",
  year: "年",
};

/** What the server says of schedules. Within a refusal a capital and a full stop are added. */
export const schedules: Record<string, string> = {
  // admin/cron/errors.go puts the field and what stands in it before the message.
  ...Object.fromEntries(
    Object.entries(fields).flatMap(([name, words]) => [
      [`${name} %q: %s`, `${words}字段 %q：%m`],
      [`${name}: %s`, `${words}字段：%m`],
    ]),
  ),
  "%q: %s": "%q：%m",

  // admin/cron/parse.go, quartz.go, crontab.go, seconds.go, once.go
  "the expression is longer than %d bytes; shorten its lists": "表达式超过 %d 字节，请缩短其中的列表",
  "a time zone does not belong into the expression; set it in the time zone field":
    "表达式中不能写时区，请在“时区”一栏设置",
  "found %d fields; write 6 or 7 (second minute hour day month weekday [year]) or a crontab's 5 (minute hour day month weekday)":
    "共有 %d 段；请写 6 或 7 段（秒 分 时 日 月 周 [年]），或 crontab 的 5 段（分 时 日 月 周）",
  "found %d fields; write 6 or 7: second minute hour day month weekday [year]":
    "共有 %d 段；请写 6 或 7 段：秒 分 时 日 月 周 [年]",
  "no value is left; write one, or *": "没有有效的值，请填写一个，或写 *",
  "day of month and day of week are both ?; set one of them": "日和周不能同时为 ?，请设置其中一个",
  "day of month and day of week are both set; write ? in one of them":
    "日和周不能同时设置，请将其中一个写为 ?",
  "this form is not supported; write 5 fields, @daily or @every 90s":
    "不支持这种写法，请写 5 段表达式、@daily 或 @every 90s",
  "not a crontab expression: %v": "不是 crontab 表达式：%s",
  "the interval must be at least one second": "间隔至少为一秒，请改大",
  "nothing but commas; write a value or *": "只有逗号，请填写一个值或 *",
  "the interval must be a whole number of seconds from 1 to %d":
    "间隔须为 1 到 %d 之间的整数秒，请修改",
  "write the instant as 2026-01-02T15:04:05+08:00, or with Z for UTC":
    "请将时间写成 2026-01-02T15:04:05+08:00 的形式，UTC 时间以 Z 结尾",
  "the instant must be on a whole second; leave the fraction out": "时间须为整秒，请去掉小数部分",
  "the instant must be in the years 1970 to 2126": "时间须在 1970 年至 2126 年之间，请修改",

  // admin/cron/field.go, item.go
  "L cannot be part of a list; use one weekday, such as 6L":
    "L 不能用在列表中，请只写一个星期几，如 6L",
  "only one # is possible; use one weekday, such as 6#3": "只能有一个 #，请只写一个星期几，如 6#3",
  "must be %d to %d": "须为 %d 到 %d",
  "the step must be at most %d": "步长不能超过 %d",
  "unexpected character; values are numbers, names, * and ?":
    "含有无法识别的字符，可以填写数字、英文缩写、* 和 ?",
  "letters have no meaning here; write numbers": "此处不能写字母，请写数字",
  "not a name of a %s; use %s to %s or numbers": "不是有效的缩写，请写 %2$s 到 %3$s，或写数字",
  "after # comes which one of the month, 1 to 5, such as 6#3 for the third Friday":
    "# 后须为当月的第几个，1 到 5，如 6#3 表示第三个星期五",
  "L has no meaning here; it belongs into a day field": "此处不能写 L，L 只用于日或周",
  "the number of days is missing, such as L-3": "缺少天数，请写成 L-3 的形式",
  "at most %d days before the last": "最多为最后一天之前的 %d 天",
  "? stands alone": "? 须单独使用",
  "? belongs into one of the two day fields; write * here": "? 只用于日或周，此处请写 *",
  "after / comes a number, such as */5": "/ 后须为数字，如 */5",
  "a number before L is a day of the week; write L-3 for the third day before the last":
    "L 前的数字表示星期几；要表示最后一天之前的第三天，请写 L-3",
  "must be 1 to 7, 1 being Sunday": "须为 1 到 7，其中 1 为星期日",
  "# belongs into the day of week": "# 只用于周",
  "W belongs into the day of month": "W 只用于日",
  "a month has at most 31 days": "一个月最多 31 天，请改小",
  "a range of years cannot run backwards": "年份范围须由小到大",
  "the step is followed by more than a number": "步长之后有多余的字符，请去掉",
  "the last year is %d": "年份不能晚于 %d",
  "a number from 0 to %d is missing": "缺少 0 到 %d 之间的数字",

  // admin/cron/for.go, options.go
  "%q is unknown; use one of %q": "%q 不是有效的调度类型，可选：%s",
  "%q is not a known DST policy; use %s or %s": "%q 不是有效的夏令时策略，可选：%s 或 %s",
  "%q differs from machine to machine; use a name such as Asia/Shanghai":
    "%q 在每台机器上不同，请使用 Asia/Shanghai 这样的时区名",
  "%q is not a known time zone; use a name such as Asia/Shanghai":
    "%q 不是有效的时区，请使用 Asia/Shanghai 这样的时区名",

  // admin/api/schedule.go, admin/wire/job.go, admin/store/job.go
  "%q never fires again before it. Choose a later end, or other instants.":
    "%q 在此之前不会再触发。请选择更晚的失效时间，或修改调度配置。",
  "%q never fires again. Choose instants to come.": "%q 不会再触发。请填写将来的时间。",
  "It never fires again. Choose instants to come.": "该任务不会再触发。请填写将来的时间。",
  "A job with the schedule type NONE cannot be started. Choose another one.":
    "调度类型为“无”的任务不能启动，请先选择其他调度类型。",
};
