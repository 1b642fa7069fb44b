package report_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/report"
)

// every is a schedule with a fixed interval.
type every time.Duration

func (e every) Next(t time.Time) time.Time { return t.Add(time.Duration(e)) }

// jobs is a fixed list of jobs; reads counts how often it was asked for.
type jobs struct {
	list  []job.Upcoming
	reads int
}

func (j *jobs) Upcoming(context.Context, time.Time, int) ([]job.Upcoming, error) {
	j.reads++
	return j.list, nil
}

func parse(t job.Timing) (report.Schedule, error) {
	d, err := time.ParseDuration(t.Conf)
	return every(d), err
}

func counts(o report.Outlook) (out []int) {
	for _, m := range o.Minutes {
		out = append(out, m.Count)
	}
	return out
}

func TestForecast_CountsFiresByMinuteAndGroup(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 30, 0, time.UTC)
	at := func(s int) time.Time { return now.Add(time.Duration(s) * time.Second) }
	store := &jobs{list: []job.Upcoming{
		{JobID: 1, GroupID: 1, ScheduleType: job.ScheduleFixRate, ScheduleConf: "30s", NextFire: at(-60)}, // overdue: fires now
		{JobID: 2, GroupID: 2, ScheduleType: job.ScheduleFixRate, ScheduleConf: "1m", NextFire: at(40)},
		{JobID: 3, GroupID: 2, ScheduleType: job.ScheduleFixRate, ScheduleConf: "1m", NextFire: at(40)},
		{JobID: 4, GroupID: 2, ScheduleType: job.ScheduleFixDelay, ScheduleConf: "1s", NextFire: at(5)}, // the rest is unknown
		{JobID: 5, GroupID: 1, ScheduleType: job.ScheduleCron, ScheduleConf: "unreadable", NextFire: at(65)},
	}}
	f := report.NewForecast(store, parse)
	all, err := f.Next(t.Context(), nil, now, 3)
	require.NoError(t, err)
	require.False(t, all.Partial)
	require.Equal(t, now.Truncate(time.Minute), all.Minutes[0].At)
	require.Equal(t, []int{4, 5, 4}, counts(all))
	two, err := f.Next(t.Context(), []int32{2}, now.Add(time.Second), 2)
	require.NoError(t, err)
	require.Equal(t, []int{1, 2}, counts(two))
	none, err := f.Next(t.Context(), []int32{}, now, 3)
	require.NoError(t, err)
	require.Equal(t, []int{0, 0, 0}, counts(none))
	require.Equal(t, 1, store.reads, "it is made once for all who ask")
	_, err = f.Next(t.Context(), nil, now.Add(15*time.Second), 3)
	require.NoError(t, err)
	require.Equal(t, 2, store.reads, "and anew when it is old")
}

func TestForecast_IsBounded(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	store := &jobs{list: []job.Upcoming{{JobID: 1, ScheduleType: job.ScheduleFixRate, ScheduleConf: "1ms", NextFire: now}}}
	out, err := report.NewForecast(store, parse).Next(t.Context(), nil, now, report.MaxMinutes)
	require.NoError(t, err)
	require.True(t, out.Partial)
}
