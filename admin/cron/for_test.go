package cron

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

func TestFor(t *testing.T) {
	t.Parallel()
	shanghai := zone(t, "Asia/Shanghai")
	from := at(t, "2026-01-15T10:20:30Z").Add(1500 * time.Microsecond)
	for _, c := range []struct {
		name       string
		kind       job.ScheduleType
		conf, zone string
		want       []string
	}{
		{"none", job.ScheduleNone, "", "", []string{}},
		{"cron in the default zone", job.ScheduleCron, "0 0 9 * * ?", "", []string{"2026-01-16T01:00:00Z"}},
		{"cron in its own zone", job.ScheduleCron, "0 0 9 * * ?", "Europe/Berlin", []string{"2026-01-16T08:00:00Z"}},
		{"crontab", job.ScheduleCron, "*/5 * * * *", "", []string{"2026-01-15T10:25:00Z"}},
		{"rate, rounded up", job.ScheduleFixRate, "30", "", []string{"2026-01-15T10:21:01Z"}},
		{"delay", job.ScheduleFixDelay, "30", "", []string{"2026-01-15T10:21:01Z"}},
		{"once", job.ScheduleOnce, "2026-01-15T18:30:00+08:00", "Europe/Berlin", []string{"2026-01-15T10:30:00Z"}},
		{"once, over", job.ScheduleOnce, "2026-01-15T10:20:30Z", "", []string{}},
		{"rate beyond 24 days", job.ScheduleFixRate, "2147484", "", []string{"2026-02-09T06:51:55Z"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, err := For(job.Timing{Type: c.kind, Conf: c.conf, Zone: c.zone}, shanghai)
			require.NoError(t, err)
			require.Equal(t, c.want, show(Upcoming(s, from, 1), time.UTC))
		})
	}
}

func TestFor_NamesTheField(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind              job.ScheduleType
		conf, zone, field string
		dst               DST
	}{
		{kind: job.ScheduleCron, conf: "61 * * * * ?", field: "schedule_conf"},
		{kind: job.ScheduleCron, conf: "* * * * * ?", zone: "Mars/Olympus", field: "time_zone"},
		{kind: job.ScheduleCron, conf: "* * * * * ?", zone: "Local", field: "time_zone"},
		{kind: job.ScheduleCron, conf: "* * * * * ?", zone: "../etc/passwd", field: "time_zone"},
		{kind: job.ScheduleCron, conf: "* * * * * ?", dst: "twice", field: "dst_policy"},
		{kind: job.ScheduleFixRate, conf: "0", field: "schedule_conf"},
		{kind: job.ScheduleFixRate, conf: "1.5", field: "schedule_conf"},
		{kind: job.ScheduleFixRate, conf: "2147483648", field: "schedule_conf"},
		{kind: job.ScheduleFixDelay, conf: "-1", field: "schedule_conf"},
		{kind: job.ScheduleOnce, conf: "2026-01-15 10:20:30", field: "schedule_conf"},
		{kind: job.ScheduleOnce, conf: "2026-01-15T10:20:30", field: "schedule_conf"},
		{kind: job.ScheduleOnce, conf: "2026-01-15T10:20:30.5Z", field: "schedule_conf"},
		{kind: job.ScheduleOnce, conf: "1969-12-31T23:59:59Z", field: "schedule_conf"},
		{kind: job.ScheduleOnce, conf: "2127-01-01T00:00:00Z", field: "schedule_conf"},
		{kind: "FIX_SOMETHING", conf: "5", field: "schedule_type"},
	} {
		s, err := For(job.Timing{Type: c.kind, Conf: c.conf, Zone: c.zone, DST: c.dst}, nil)
		require.Nil(t, s)
		typed, ok := errors.AsType[*job.FieldError](err)
		require.True(t, ok, "%+v", c)
		require.Equal(t, c.field, typed.Field, "%+v", c)
	}
}

func TestFixRate_StartsOnTheGrid(t *testing.T) {
	t.Parallel()
	s, err := For(job.Timing{Type: job.ScheduleFixRate, Conf: "7"}, nil)
	require.NoError(t, err)
	from := at(t, "2026-01-15T10:20:30Z")
	require.Equal(t, from.Add(7*time.Second), s.Next(from), "a whole second is kept")
	require.Equal(t, from.Add(8*time.Second), s.Next(from.Add(time.Nanosecond)))
}
