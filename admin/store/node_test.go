package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

func TestHeartbeat_CountsLiveAdmins(t *testing.T) {
	t.Parallel()
	f := setup(t)
	second, err := f.store.RegisterNode(t.Context(), "second")
	require.NoError(t, err)
	live := func() int {
		pulse, err := f.store.Heartbeat(t.Context(), f.node, "test", nil)
		require.NoError(t, err)
		return pulse.Live
	}

	require.Equal(t, 2, live())
	f.exec(t, `UPDATE admin_node SET heartbeat_at = heartbeat_at - interval '6 s'`)
	require.Equal(t, 1, live(), "only the one whose heart beats")
	_, err = f.store.Heartbeat(t.Context(), second, "second", nil)
	require.NoError(t, err)
	require.Equal(t, 2, live())
	require.NoError(t, f.store.RemoveNode(t.Context(), second))
	require.Equal(t, 1, live())
}

func TestHeartbeat_BringsAForgottenNodeBack(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.exec(t, `UPDATE admin_node SET heartbeat_at = heartbeat_at - interval '2 d'`)
	newcomer, err := f.store.RegisterNode(t.Context(), "newcomer")
	require.NoError(t, err)
	var rows int
	require.NoError(t, f.sql.QueryRow(t.Context(), `SELECT count(*) FROM admin_node`).Scan(&rows))
	require.Equal(t, 1, rows, "long dead nodes are forgotten")

	pulse, err := f.store.Heartbeat(t.Context(), f.node, "test", nil)
	require.NoError(t, err)
	require.Equal(t, 2, pulse.Live)
	require.NotEqual(t, f.node, newcomer)
}

func TestHeartbeat_RecordsTheEndOfAnOutage(t *testing.T) {
	t.Parallel()
	f := setup(t)
	first, err := f.store.Heartbeat(t.Context(), f.node, "test", nil)
	require.NoError(t, err)

	f.exec(t, `UPDATE cluster SET last_alive_at = last_alive_at - interval '10 s'`)
	short, err := f.store.Heartbeat(t.Context(), f.node, "test", nil)
	require.NoError(t, err)
	require.Equal(t, first.OutageEndedAt, short.OutageEndedAt, "ten seconds are no outage")

	f.exec(t, `UPDATE cluster SET last_alive_at = last_alive_at - interval '16 s'`)
	long, err := f.store.Heartbeat(t.Context(), f.node, "test", nil)
	require.NoError(t, err)
	require.WithinRange(t, long.OutageEndedAt, short.Now, long.Now)
}

func TestAdminClocks_AreWhatLiveAdminsHaveMeasured(t *testing.T) {
	t.Parallel()
	f := setup(t)
	beat := func(clock *job.ClockReading) {
		_, err := f.store.Heartbeat(t.Context(), f.node, "test", clock)
		require.NoError(t, err)
	}
	clocks := func() []job.AdminClock {
		all, err := f.store.AdminClocks(t.Context())
		require.NoError(t, err)
		return all
	}
	beat(nil)
	require.Empty(t, clocks(), "its first heartbeat has nothing to tell")
	behind := job.ClockReading{Ahead: -72 * time.Hour, Doubt: 1500 * time.Microsecond}
	beat(&behind)
	require.Equal(t, []job.AdminClock{{Name: "test", ClockReading: behind}}, clocks())

	f.exec(t, `DELETE FROM admin_node`)
	beat(&behind)
	require.Len(t, clocks(), 1, "also of a row that came back")
	// As an admin of before beats, whose row has no clock.
	f.exec(t, `INSERT INTO admin_node (name) VALUES ('old')`)
	require.Len(t, clocks(), 1)
	f.exec(t, `UPDATE admin_node SET heartbeat_at = heartbeat_at - interval '6 s'`)
	require.Empty(t, clocks(), "a dead admin misleads nobody")
}
