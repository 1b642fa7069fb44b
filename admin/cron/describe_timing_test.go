package cron

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

func TestDescribeTiming(t *testing.T) {
	t.Parallel()
	shanghai, noon := zone(t, "Asia/Shanghai"), at(t, "2026-01-15T12:00:00Z")
	for _, c := range []struct {
		timing           job.Timing
		english, chinese string
	}{
		{job.Timing{Type: job.ScheduleNone}, "By no schedule, only when something starts it.", "没有调度，仅在被触发时执行。"},
		{job.Timing{Type: job.ScheduleCron, Conf: "0 0 9 * * ?"}, "At 09:00 every day.", "每天 09:00 执行。"},
		{job.Timing{Type: job.ScheduleFixRate, Conf: "90"}, "Every 90 seconds.", "每隔 90 秒执行一次。"},
		{job.Timing{Type: job.ScheduleFixRate, Conf: "3600"}, "Every hour.", "每隔 1 小时执行一次。"},
		{job.Timing{Type: job.ScheduleFixDelay, Conf: "1"}, "1 second after the end of the last run.", "上次运行结束 1 秒后执行。"},
		{job.Timing{Type: job.ScheduleFixDelay, Conf: "120"}, "2 minutes after the end of the last run.", "上次运行结束 2 分钟后执行。"},
		{
			job.Timing{Type: job.ScheduleOnce, Conf: "2026-01-15T12:00:00Z"},
			"Once, at 2026-01-15 20:00:00 +08:00.", "仅一次，2026-01-15 20:00:00 +08:00 执行。",
		},
		{
			job.Timing{Type: job.ScheduleCron, Conf: "@daily", Zone: "UTC", ValidFrom: &noon, ValidUntil: &noon},
			"At 00:00 every day. Not before 2026-01-15 12:00:00 +00:00. Not after 2026-01-15 12:00:00 +00:00.",
			"每天 00:00 执行。不早于 2026-01-15 12:00:00 +00:00。不晚于 2026-01-15 12:00:00 +00:00。",
		},
	} {
		english, err := DescribeTiming(c.timing, shanghai, English)
		require.NoError(t, err)
		require.Equal(t, c.english, english)
		chinese, err := DescribeTiming(c.timing, shanghai, Chinese)
		require.NoError(t, err)
		require.Equal(t, c.chinese, chinese)
	}
	for _, bad := range []job.Timing{
		{Type: job.ScheduleCron, Conf: "x"},
		{Type: job.ScheduleFixRate, Conf: "x"},
		{Type: job.ScheduleOnce, Conf: "x"},
		{Type: job.ScheduleNone, Zone: "x"},
	} {
		_, err := DescribeTiming(bad, nil, English)
		require.Error(t, err, "%+v", bad)
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	w, err := Warnings(job.Timing{Type: job.ScheduleCron, Conf: "0 9 1 * 1"})
	require.NoError(t, err)
	require.Equal(t, []Warning{{Code: EitherDay}}, w)
	w, err = Warnings(job.Timing{Type: job.ScheduleFixRate, Conf: "0 9 1 * 1"})
	require.NoError(t, err)
	require.Empty(t, w)
	_, err = Warnings(job.Timing{Type: job.ScheduleCron, Conf: "x"})
	require.Error(t, err)
}
