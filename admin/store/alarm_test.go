package store_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

// TestAlarm_DeletesTheVersionSeenOnly has somebody else edit between the read and the delete.
func TestAlarm_DeletesTheVersionSeenOnly(t *testing.T) {
	t.Parallel()
	f := setup(t)
	channel, err := f.store.CreateAlarmChannel(t.Context(), job.AlarmChannel{
		Name: "ops", Kind: job.ChannelWebhook, Config: []byte("{}"), Sealed: []byte{}, Language: "en",
	})
	require.NoError(t, err)
	rule, err := f.store.CreateAlarmRule(t.Context(), job.AlarmRule{Name: "all", On: []job.AlarmEvent{job.AlarmFailure}})
	require.NoError(t, err)
	_, err = f.store.UpdateAlarmChannel(t.Context(), channel)
	require.NoError(t, err)
	_, err = f.store.UpdateAlarmRule(t.Context(), rule)
	require.NoError(t, err)

	require.ErrorIs(t, f.store.DeleteAlarmChannel(t.Context(), channel.ID, channel.Version), job.ErrNotFound)
	require.ErrorIs(t, f.store.DeleteAlarmRule(t.Context(), rule.ID, rule.Version), job.ErrNotFound)
	require.NoError(t, f.store.DeleteAlarmChannel(t.Context(), channel.ID, channel.Version+1))
	require.NoError(t, f.store.DeleteAlarmRule(t.Context(), rule.ID, rule.Version+1))
}

// TestAlarm_IndexesOfTheList has PostgreSQL choose the indexes that are meant for the
// filters.
func TestAlarm_IndexesOfTheList(t *testing.T) {
	t.Parallel()
	db := setup(t).sql
	_, err := db.Exec(t.Context(), `
		INSERT INTO alarm (rule_id, rule_name, group_id, channel_id, channel_name, event, message, at)
		SELECT 1, 'r', n % 100, 1, 'c', 'failure', jsonb_build_object('items', jsonb_build_array(jsonb_build_object('job_id', n % 1000))),
			clock_timestamp() - n * interval '1 minute'
		FROM generate_series(1, 20000) n`)
	require.NoError(t, err)
	_, err = db.Exec(t.Context(), `VACUUM ANALYZE alarm`)
	require.NoError(t, err)
	for index, where := range map[string]string{
		"alarm_named_idx": `jsonb_path_query_array(message, '$.items[*].job_id') @> jsonb_build_array(7)`,
		"alarm_group_idx": `group_id = 7 ORDER BY id DESC LIMIT 51`,
		"alarm_at_idx":    `at < now() - interval '13 days'`,
	} {
		var plan json.RawMessage
		require.NoError(t, db.QueryRow(t.Context(), `EXPLAIN (FORMAT JSON) SELECT id FROM alarm WHERE `+where).Scan(&plan))
		require.Contains(t, string(plan), index)
	}
}
