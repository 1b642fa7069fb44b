package cron

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDescribe(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ expr, english, chinese string }{
		{"* * * * * ?", "Every second.", "每秒执行一次。"},
		{"*/5 * * * * ?", "Every 5 seconds.", "每 5 秒执行一次。"},
		{"5/15 * * * * ?", "Every 15 seconds from second 5 of each minute.", "每分钟从第 5 秒起每 15 秒执行一次。"},
		{"*/7 * * * * ?", "Every 7 seconds from second 0 of each minute.", "每分钟从第 0 秒起每 7 秒执行一次。"},
		{"0-10 * * * * ?", "Every second from 0 to 10.", "第 0 至 10 秒，每秒执行一次。"},
		{"15 * * * * ?", "At second 15, every minute.", "每分钟，第 15 秒执行一次。"},
		{"0 * * * * ?", "Every minute.", "每分钟执行一次。"},
		{"0 0 * * * ?", "Every hour.", "每小时执行一次。"},
		{"0 30 * * * ?", "At minute 30, every hour.", "每小时，第 30 分执行一次。"},
		{"0 0 */2 * * ?", "Every 2 hours.", "每 2 小时执行一次。"},
		{"0 0 8-18 * * ?", "Every hour from 08:00 to 18:00.", "08:00 至 18:00，每小时执行一次。"},
		{"0 0 1,3,4,5,6,9,10 * * ?", "On the hour at 1, 3, 4, 5, 6, 9 and 10.", "在 1、3、4、5、6、9、10 点各执行一次。"},
		{"0 0/5 9-17 ? * MON-FRI", "Every 5 minutes, from 09:00 to 17:59, Monday to Friday.", "周一至周五，09:00 至 17:59，每 5 分钟执行一次。"},
		{"0 0 9 * * ?", "At 09:00 every day.", "每天 09:00 执行。"},
		{"30 0 9,18 L * ?", "At 09:00:30 and 18:00:30, on the last day of the month.", "每月最后一天，09:00:30、18:00:30 执行。"},
		{"0 0 9 1,15,L-2 * ?", "At 09:00, on days 1 and 15 and the day 2 days before the last of the month.", "每月 1、15 日和倒数第 3 天，09:00 执行。"},
		{"0 0 9 15W,LW * ?", "At 09:00, on the weekday nearest to day 15 and the last weekday of the month.", "每月离 15 日最近的工作日和最后一个工作日，09:00 执行。"},
		{"0 0 9 ? * 6#3", "At 09:00, on the third Friday of the month.", "每月第 3 个周五，09:00 执行。"},
		{"0 0 9 ? * FRIL 2027,2028", "At 09:00, on the last Friday of the month, in 2027 and 2028.", "2027、2028 年，每月最后一个周五，09:00 执行。"},
		{"0 0 0 29 2 ?", "At 00:00, on day 29 of the month, in February.", "2 月，29 日，00:00 执行。"},
		{"0 0 9 ? 3-5 SAT,SUN 2026/1", "At 09:00, on Sunday and Saturday, from March to May, from 2026 on.", "从 2026 年起，3 月至 5 月，每周日、周六，09:00 执行。"},
		{"0 1,7,9,22,24,34,41,44,50 * * * ?", "At minutes 1, 7, 9, …, 50 (9 values), every hour.", "每小时，第 1、7、9、…、50 等 9 个 分执行一次。"},
		{"0 0 12 * * ? ,", "At 12:00 every day, in no year.", "没有任何一年，每天 12:00 执行。"},
		{"*/5 * * * *", "Every 5 minutes.", "每 5 分钟执行一次。"},
		{"0 9 1 * 1", "At 09:00, on day 1 of the month or on Monday.", "每月 1 日或每周一，09:00 执行。"},
		{"@daily", "At 00:00 every day.", "每天 00:00 执行。"},
		{"@every 90s", "Every 90 seconds.", "每隔 90 秒执行一次。"},
		{"@every 1h", "Every hour.", "每隔 1 小时执行一次。"},
	} {
		english, err := Describe(c.expr, English)
		require.NoError(t, err)
		require.Equal(t, c.english, english, c.expr)
		chinese, err := Describe(c.expr, Chinese)
		require.NoError(t, err)
		require.Equal(t, c.chinese, chinese, c.expr)
	}
	_, err := Describe("nonsense", English)
	require.Error(t, err)
}
