package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/api"
	"github.com/gluewheel/gluewheel/admin/job"
)

func TestAlarmRule_ZeroIsNotTheDefault(t *testing.T) {
	t.Parallel()
	b := setupKeeping(t)
	input := anyMap{"name": "r", "on": []string{"failure"}, "channel_ids": []int32{b.channel()}}
	with := func(more anyMap) string {
		all := anyMap{}
		for _, fields := range []anyMap{input, more} {
			for k, v := range fields {
				all[k] = v
			}
		}
		return jsonOf(t, all)
	}
	numbers := func(r api.AlarmRule) []int32 {
		return []int32{r.Threshold, r.WindowS, r.RatePct, r.SilenceS, r.GroupS, r.LateMS}
	}
	made := post[api.AlarmRule](b.admin, "/alarm-rules", with(nil))
	require.Equal(t, []int32{1, 300, 50, 300, 0, 10_000}, numbers(made))
	require.True(t, made.Enabled)
	require.Zero(t, post[api.AlarmRule](b.admin, "/alarm-rules", with(anyMap{"silence_s": 0})).SilenceS)

	path := fmt.Sprint("/alarm-rules/", made.ID)
	made = put[api.AlarmRule](b.admin, path, with(anyMap{"silence_s": 0, "group_s": 60, "version": made.Version}))
	require.Equal(t, []int32{1, 300, 50, 0, 60, 10_000}, numbers(made))
	made = put[api.AlarmRule](b.admin, path, with(anyMap{"group_s": 0, "version": made.Version}))
	require.Equal(t, []int32{1, 300, 50, 300, 0, 10_000}, numbers(made))
	for _, name := range []string{"threshold", "window_s", "rate_pct", "late_ms"} {
		b.admin.do("POST", "/alarm-rules", with(anyMap{name: 0})).refused(422, "body."+name)
		b.admin.do("PUT", path, with(anyMap{name: 0, "version": made.Version})).refused(422, "body."+name)
	}
	b.admin.do("POST", "/alarm-rules", with(anyMap{"group_s": 3601})).refused(422, "body.group_s")
	require.EqualValues(t, 300, post[api.AlarmRule](b.admin, "/alarm-rules", with(anyMap{"silence_s": nil})).SilenceS)
	b.admin.do("POST", "/alarm-channels", `{"name":"c","kind":"slack","language":"","config":{"url":"https://192.0.2.1"}}`).refused(422, "body.language")
}

func TestIfMatch_GuardsTheDeleteOfAlarmObjects(t *testing.T) {
	t.Parallel()
	b := setupKeeping(t)
	channel := b.channel()
	rule := post[api.AlarmRule](b.admin, "/alarm-rules", fmt.Sprintf(`{"name":"r","on":["failure"],"channel_ids":[%d]}`, channel))
	for _, path := range []string{fmt.Sprint("/alarm-rules/", rule.ID), fmt.Sprint("/alarm-channels/", channel)} {
		tag := b.admin.do("GET", path, "").header.Get("ETag")
		as := func(tag string) *session {
			return &session{b: b, cookie: b.admin.cookie, header: http.Header{"If-Match": {tag}}}
		}
		as(`"4711"`).do("DELETE", path, "").refused(412, "header.If-Match")
		require.Equal(t, 200, b.admin.do("GET", path, "").status, "it is still there")
		require.Equal(t, 204, as(tag).do("DELETE", path, "").status)
		b.admin.do("DELETE", path, "").refused(404, "")
	}
}

func TestAlarmRules_OfAGroup(t *testing.T) {
	t.Parallel()
	b := setupKeeping(t)
	mine, theirs := b.group("mine"), b.group("theirs")
	channel := b.channel()
	rule := func(group string) int32 {
		return post[api.AlarmRule](b.admin, "/alarm-rules", fmt.Sprintf(`{"name":"r"%s,"on":["failure"],"channel_ids":[%d]}`, group, channel)).ID
	}
	own, foreign, all := rule(fmt.Sprintf(`,"group_id":%d`, mine.ID)), rule(fmt.Sprintf(`,"group_id":%d`, theirs.ID)), rule("")
	leader := b.member(job.GroupAdmin, mine.ID)
	ids := func(s *session, query string) (ids []int32) {
		page := get[api.List[api.AlarmRule]](s, "/alarm-rules"+query)
		for _, r := range page.Items {
			ids = append(ids, r.ID)
		}
		require.Equal(t, len(ids), page.Total)
		return ids
	}
	of := func(g api.Group) string { return fmt.Sprint("?group_id=", g.ID) }
	require.Equal(t, []int32{own, foreign, all}, ids(b.admin, ""))
	require.Equal(t, []int32{foreign}, ids(b.admin, of(theirs)))
	require.Equal(t, []int32{own}, ids(leader, ""))
	require.Equal(t, []int32{own}, ids(leader, of(mine)))
	require.Empty(t, ids(leader, of(theirs)))
	b.admin.do("GET", "/alarm-rules?group_id=0", "").refused(422, "query.group_id")
}

// sent has a rule tell a message about jobs, now.
func (b *bench) sent(rule api.AlarmRule, jobs ...int32) {
	b.t.Helper()
	_, _, err := b.store.JudgeAlarms(b.t.Context(), func(job.AlarmView) job.AlarmVerdict {
		m := job.AlarmMessage{RuleID: rule.ID, Rule: rule.Name, Event: job.AlarmFailure, ChannelIDs: rule.ChannelIDs}
		for _, id := range jobs {
			m.Items = append(m.Items, job.AlarmItem{Event: job.AlarmFailure, JobID: id, RunID: 1, At: time.Now(), Count: 1})
		}
		return job.AlarmVerdict{Messages: []job.AlarmMessage{m}}
	})
	require.NoError(b.t, err)
}

func TestAlarms_FiltersOfTheList(t *testing.T) {
	t.Parallel()
	b := setupKeeping(t)
	mine, theirs := b.group("mine"), b.group("theirs")
	channel := b.channel()
	rule := func(group string) api.AlarmRule {
		return post[api.AlarmRule](b.admin, "/alarm-rules", fmt.Sprintf(`{"name":"r"%s,"on":["failure"],"channel_ids":[%d]}`, group, channel))
	}
	own, foreign := rule(fmt.Sprintf(`,"group_id":%d`, mine.ID)), rule(fmt.Sprintf(`,"group_id":%d`, theirs.ID))
	b.sent(own, 7)        // 1
	b.sent(own, 7, 8)     // 2
	b.sent(foreign, 9)    // 3
	b.sent(rule(""), 8)   // 4
	b.sent(own, 70, 1007) // 5
	leader := b.member(job.GroupAdmin, mine.ID)
	now, hour := time.Now().UTC(), time.Hour
	stamp := func(at time.Time) string { return url.QueryEscape(at.Format(time.RFC3339)) }
	for _, c := range []struct {
		who    *session
		query  string
		wanted []int64
	}{
		{b.admin, "", []int64{5, 4, 3, 2, 1}},
		{b.admin, fmt.Sprint("group_id=", mine.ID), []int64{5, 2, 1}},
		{b.admin, "job_id=7", []int64{2, 1}},
		{b.admin, "job_id=8", []int64{4, 2}},
		{b.admin, fmt.Sprintf("job_id=8&group_id=%d", mine.ID), []int64{2}},
		{b.admin, "job_id=10", nil},
		{b.admin, "from=" + stamp(now.Add(-hour)), []int64{5, 4, 3, 2, 1}},
		{b.admin, "from=" + stamp(now.Add(hour)), nil},
		{b.admin, "to=" + stamp(now.Add(-hour)), nil},
		{b.admin, "to=" + stamp(now.Add(hour)) + "&state=pending&limit=1", []int64{5}},
		{leader, "", []int64{5, 2, 1}},
		{leader, "job_id=8", []int64{2}},
		{leader, fmt.Sprint("group_id=", mine.ID), []int64{5, 2, 1}},
		{leader, fmt.Sprint("group_id=", theirs.ID), nil},
	} {
		var got []int64
		for _, a := range get[api.List[api.AlarmEntry]](c.who, "/alarms?"+c.query).Items {
			got = append(got, a.ID)
		}
		require.Equal(t, c.wanted, got, c.query)
	}
	for name, value := range map[string]string{"group_id": "0", "job_id": "4294967297", "from": "yesterday", "to": "never"} {
		b.admin.do("GET", "/alarms?"+name+"="+value, "").refused(422, "query."+name)
	}
}
