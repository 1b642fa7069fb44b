package alarm_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/alarm"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/store"
	"github.com/gluewheel/gluewheel/admin/store/storetest"
)

func judge(t *testing.T, st *store.Store) int {
	t.Helper()
	sent, _, err := st.JudgeAlarms(t.Context(), alarm.Judge)
	require.NoError(t, err)
	return sent
}

// passes has an hour of all open windows go by.
func (b *bundle) passes(t *testing.T) {
	t.Helper()
	_, err := b.sql.Exec(t.Context(), `UPDATE alarm_gathered SET opened_at = opened_at - interval '1 hour'`)
	require.NoError(t, err)
}

func (b *bundle) count(t *testing.T, sql string) (n int) {
	t.Helper()
	require.NoError(t, b.sql.QueryRow(t.Context(), sql).Scan(&n))
	return n
}

// TestAlarms_AWindowOutlivesItsAdmin opens a window in one admin, which dies. Two others
// end it: one message in all, with what came before and after.
func TestAlarms_AWindowOutlivesItsAdmin(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, address := newSink(t)
	channel := b.channel(t, job.ChannelWebhook, address)
	b.ruleWith(t, func(r *job.AlarmRule) { r.GroupS, r.ChannelIDs = 3600, []int32{channel} })
	_, err := b.sql.Exec(t.Context(), `UPDATE job SET alarm_email = 'ann@example.com'`)
	require.NoError(t, err)

	first := storetest.Open(t, b.url)
	b.ends(t, job.Failed)
	require.Zero(t, judge(t, first))
	first.Close()
	b.ends(t, job.Failed)
	b.ends(t, job.Lost)
	require.Zero(t, judge(t, b.store))
	b.passes(t)

	var wg sync.WaitGroup
	sent := make([]int, 2)
	for i, st := range []*store.Store{b.store, storetest.Open(t, b.url)} {
		wg.Go(func() { sent[i] = judge(t, st) })
	}
	wg.Wait()
	require.Equal(t, 1, sent[0]+sent[1])
	require.Zero(t, judge(t, b.store))
	page, err := b.store.Alarms(t.Context(), job.AlarmFilter{}, job.Paging{})
	require.NoError(t, err)
	require.Len(t, page.Items, 1)
	var m job.AlarmMessage
	require.NoError(t, json.Unmarshal(page.Items[0].Message, &m))
	got := map[job.AlarmEvent]int{}
	for _, it := range m.Items {
		got[it.Event] += it.Count
	}
	require.Equal(t, 3, got[job.AlarmFailure]+got[job.AlarmLost], m)
	require.Equal(t, "ann@example.com", page.Items[0].Emails)
	require.Zero(t, b.count(t, `SELECT count(*) FROM alarm_gathered`))
}

func TestAlarms_ADisabledRuleForgetsWhatItGathered(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, address := newSink(t)
	channel := b.channel(t, job.ChannelWebhook, address)
	b.ruleWith(t, func(r *job.AlarmRule) { r.GroupS, r.ChannelIDs = 3600, []int32{channel} })
	b.ends(t, job.Failed)
	require.Zero(t, judge(t, b.store))
	require.Equal(t, 1, b.count(t, `SELECT count(*) FROM alarm_gathered`))
	for _, enabled := range []bool{false, true} {
		_, err := b.sql.Exec(t.Context(), `UPDATE alarm_rule SET enabled = $1`, enabled)
		require.NoError(t, err)
		b.ends(t, job.Succeeded)
		b.passes(t)
		require.Zero(t, judge(t, b.store), "neither the failure nor the recovery")
	}
}

// TestAlarms_NoExecutorCountsAsFailure takes a rule that has no word of its own for it.
func TestAlarms_NoExecutorCountsAsFailure(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, address := newSink(t)
	channel := b.channel(t, job.ChannelWebhook, address)
	b.ruleWith(t, func(r *job.AlarmRule) {
		r.On, r.Threshold, r.ChannelIDs = []job.AlarmEvent{job.AlarmFailure}, 3, []int32{channel}
	})
	for i := range 3 {
		id := b.ends(t, job.Failed)
		if i > 0 {
			_, err := b.sql.Exec(t.Context(), `UPDATE run SET reason = 'no_executor' WHERE id = $1`, id)
			require.NoError(t, err)
		}
	}
	require.Equal(t, 1, judge(t, b.store))
	page, err := b.store.Alarms(t.Context(), job.AlarmFilter{}, job.Paging{})
	require.NoError(t, err)
	require.Equal(t, job.AlarmFailure, page.Items[0].Event)
	require.Contains(t, string(page.Items[0].Message), fmt.Sprintf(`"count": %d`, 3))
}
