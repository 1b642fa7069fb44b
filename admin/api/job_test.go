package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/api"
)

func TestJobs_AreMadeWithDefaults(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.group("billing")
	j := post[api.Job](b.admin, "/jobs", fmt.Sprintf(`{"group_id":%d,"name":"invoice","author":"ann","glue_type":"GLUE_LUA"}`, g.ID))
	require.Equal(t, api.ScheduleType("NONE"), j.ScheduleType)
	require.Equal(t, api.MisfireStrategy("DO_NOTHING"), j.MisfireStrategy)
	require.Equal(t, api.RouteStrategy("FIRST"), j.RouteStrategy)
	require.Equal(t, api.BlockStrategy("SERIAL_EXECUTION"), j.BlockStrategy)
	require.Equal(t, int32(100), j.CatchUpLimit)
	require.Equal(t, "billing", j.AppName)
	require.Equal(t, "A group", j.GroupTitle)
	require.False(t, j.Enabled)
	require.Nil(t, j.LastRun)
	require.Equal(t, j, get[api.Job](b.admin, fmt.Sprintf("/jobs/%d", j.ID)))
}

func TestJobs_KeepAllThatIsEntered(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.group("billing")
	child := b.job(g.ID)
	in := anyMap{
		"group_id": g.ID, "name": "名字", "description": "d", "author": "ann", "alarm_email": "a@example.com, b@example.com",
		"schedule_type": "CRON", "schedule_conf": "0 12 * * *", "time_zone": "Asia/Shanghai", "misfire_strategy": "CATCH_UP",
		"catch_up_limit": 7, "route_strategy": "SHARDING_BROADCAST", "block_strategy": "COVER_EARLY", "handler": "h", "param": "p",
		"timeout_s": 30, "retry_count": 2, "retry_delay_s": 5, "idempotent": true, "glue_type": "BEAN", "child_job_ids": []int32{child.ID},
	}
	j := want[api.Job](b.admin.postJSON("/jobs", in), 201)
	stored := get[anyMap](b.admin, fmt.Sprintf("/jobs/%d", j.ID))
	for field, value := range in {
		require.JSONEq(t, jsonOf(t, value), jsonOf(t, stored[field]), field)
	}
}

func TestJobs_RefuseWrongInput(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.group("billing")
	b.job(g.ID)
	long := strings.Repeat("x", 70_000)
	for _, c := range []struct {
		change anyMap
		at     string
	}{
		{anyMap{"group_id": 4711}, "body.group_id"},
		{anyMap{"group_id": nil}, "body.group_id"},
		{anyMap{"group_id": "1"}, "body.group_id"},
		{anyMap{"group_id": 1.5}, "body.group_id"},
		{anyMap{"group_id": 1e12}, "body.group_id"},
		{anyMap{"name": ""}, "body.name"},
		{anyMap{"name": long}, "body.name"},
		{anyMap{"author": " "}, "body.author"},
		{anyMap{"author": nil}, "body.author"},
		{anyMap{"alarm_email": "not an address"}, "body.alarm_email"},
		{anyMap{"schedule_type": "SOMETIMES"}, "body.schedule_type"},
		{anyMap{"schedule_type": "CRON", "schedule_conf": "not a cron"}, "body.schedule_conf"},
		{anyMap{"schedule_type": "CRON", "schedule_conf": "0 0 31 2 *"}, "body.schedule_conf"},
		{anyMap{"schedule_type": "CRON", "schedule_conf": ""}, "body.schedule_conf"},
		{anyMap{"schedule_conf": "0"}, "body.schedule_conf"},
		{anyMap{"schedule_conf": long}, "body.schedule_conf"},
		{anyMap{"time_zone": "Mars/Olympus"}, "body.time_zone"},
		{anyMap{"time_zone": "Local"}, "body.time_zone"},
		{anyMap{"time_zone": "../../etc/passwd"}, "body.time_zone"},
		{anyMap{"misfire_strategy": "HOPE"}, "body.misfire_strategy"},
		{anyMap{"catch_up_limit": -1}, "body.catch_up_limit"},
		{anyMap{"route_strategy": "NEAREST"}, "body.route_strategy"},
		{anyMap{"block_strategy": "WAIT"}, "body.block_strategy"},
		{anyMap{"glue_type": "GLUE_COBOL"}, "body.glue_type"},
		{anyMap{"glue_type": nil}, "body.glue_type"},
		{anyMap{"glue_type": "BEAN"}, "body.handler"},
		{anyMap{"param": long}, "body.param"},
		{anyMap{"timeout_s": -1}, "body.timeout_s"},
		{anyMap{"timeout_s": 1e10}, "body.timeout_s"},
		{anyMap{"retry_count": 101}, "body.retry_count"},
		{anyMap{"retry_delay_s": -5}, "body.retry_delay_s"},
		{anyMap{"child_job_ids": []int{4711}}, "body.child_job_ids[0]"},
		{anyMap{"child_job_ids": []string{"x"}}, "body.child_job_ids[0]"},
		{anyMap{"enabled": true}, "body.enabled"},
		{anyMap{"id": 3}, "body.id"},
	} {
		b.admin.postJSON("/jobs", fields(g.ID, c.change)).refused(422, c.at)
	}
	b.admin.postJSON("/jobs", fields(g.ID, anyMap{"param": "a\x00b"})).refused(400, "body.param")
	require.Equal(t, 1, get[api.List[api.Job]](b.admin, "/jobs").Total, "something was stored")
}

func TestJobs_EditUnderTheOptimisticLock(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.group("billing")
	j := b.job(g.ID)
	path := fmt.Sprintf("/jobs/%d", j.ID)
	edit := fields(g.ID, anyMap{"name": "renamed", "version": j.Version})
	w := want[api.JobWritten](b.admin.putJSON(path, edit), 200)
	require.Equal(t, "renamed", w.Name)
	require.Greater(t, w.Version, j.Version)
	b.admin.putJSON(path, edit).refused(409, "body.version")
	b.admin.putJSON(path, fields(g.ID)).refused(422, "body.version")
	b.admin.putJSON(path, fields(g.ID, anyMap{"version": w.Version, "glue_type": "GLUE_SHELL"})).refused(422, "body.glue_type")
	b.admin.putJSON(path, fields(g.ID, anyMap{"version": w.Version, "child_job_ids": []int32{j.ID}})).refused(422, "body.child_job_ids[0]")
	b.admin.putJSON(path, fields(4711, anyMap{"version": w.Version})).refused(422, "body.group_id")
	b.admin.putJSON("/jobs/4711", fields(g.ID, anyMap{"version": 1})).refused(404, "")
	require.Equal(t, w.Job, get[api.Job](b.admin, path))
}

func TestJobs_MoveAndChildrenNeedTheRightInTheOtherGroup(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mine, theirs := b.group("mine"), b.group("theirs")
	ann := b.user("ann", mine.ID)
	j, foreign := b.job(mine.ID), b.job(theirs.ID)
	path := fmt.Sprintf("/jobs/%d", j.ID)
	ann.putJSON(path, fields(theirs.ID, anyMap{"version": j.Version})).refused(422, "body.group_id")
	ann.putJSON(path, fields(mine.ID, anyMap{"version": j.Version, "child_job_ids": []int32{foreign.ID}})).refused(422, "body.child_job_ids[0]")
	ann.postJSON("/jobs", fields(mine.ID, anyMap{"child_job_ids": []int32{foreign.ID}})).refused(422, "body.child_job_ids[0]")

	// What an admin has allowed stays through an edit by others.
	byAdmin := want[api.JobWritten](b.admin.putJSON(path, fields(mine.ID, anyMap{"version": j.Version, "child_job_ids": []int32{foreign.ID}})), 200)
	byAnn := want[api.JobWritten](ann.putJSON(path, fields(mine.ID, anyMap{"version": byAdmin.Version, "child_job_ids": []int32{foreign.ID}})), 200)
	require.Equal(t, []int32{foreign.ID}, byAnn.ChildJobIDs)
}

func TestJobs_StartStopTriggerDelete(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.group("billing")
	j := b.job(g.ID)
	path := fmt.Sprintf("/jobs/%d", j.ID)
	started := want[api.JobWritten](b.admin.do("POST", path+"/start", ""), 200)
	require.True(t, started.Enabled)
	require.NotNil(t, started.NextFire)
	require.WithinDuration(t, time.Now().Add(time.Hour), started.NextFire.Time, 10*time.Second)

	stopped := want[api.JobWritten](b.admin.do("POST", path+"/stop", "{}"), 200)
	require.False(t, stopped.Enabled)
	require.Nil(t, stopped.NextFire)

	run := post[api.Triggered](b.admin, path+"/trigger", `{"param":"","addresses":["http://10.0.0.5:9999"]}`)
	require.Len(t, b.fired, 1)
	require.Equal(t, run.RunID, b.fired[0].RunID)
	detail := get[api.RunDetail](b.admin, fmt.Sprintf("/runs/%d", run.RunID))
	require.Equal(t, api.RunCause("manual"), detail.Cause)
	require.Equal(t, "", *detail.Param)
	require.Equal(t, []string{"http://10.0.0.5:9999"}, detail.Addresses)
	b.admin.do("POST", path+"/trigger", `{"addresses":["10.0.0.5:9999"]}`).refused(422, "body.addresses[0]")
	b.admin.do("POST", path+"/trigger", `{"adresses":[]}`).refused(422, "body.adresses")

	deleted := want[api.JobDeleted](b.admin.do("DELETE", path, ""), 200)
	require.Equal(t, 1, deleted.Cancelled)
	b.admin.do("GET", path, "").refused(404, "")
	b.admin.do("POST", path+"/trigger", "").refused(404, "")
	require.Equal(t, api.RunState("cancelled"), get[api.RunDetail](b.admin, fmt.Sprintf("/runs/%d", run.RunID)).State)
}

func TestJobs_WithoutAScheduleCannotBeStarted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	j := b.job(b.group("billing").ID, anyMap{"schedule_type": "NONE", "schedule_conf": ""})
	b.admin.do("POST", fmt.Sprintf("/jobs/%d/start", j.ID), "").refused(422, "body.schedule_type")
}

func TestJobs_ListFiltersAndPages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g, other := b.group("billing"), b.group("other")
	lua := b.job(g.ID, anyMap{"name": "100% lua", "author": "ann"})
	bean := b.job(g.ID, anyMap{"name": "bean", "glue_type": "BEAN", "handler": "pay"})
	far := b.job(other.ID, anyMap{"name": "far"})
	want[api.JobWritten](b.admin.do("POST", fmt.Sprintf("/jobs/%d/start", bean.ID), ""), 200)
	for query, ids := range map[string][]int32{
		"":                                  {far.ID, bean.ID, lua.ID},
		"q=100%25":                          {lua.ID},
		"q=_":                               nil,
		"q=LUA":                             {lua.ID},
		"enabled=true":                      {bean.ID},
		"enabled=false":                     {far.ID, lua.ID},
		"glue_type=BEAN":                    {bean.ID},
		"handler=pay":                       {bean.ID},
		"author=ann&q=lua":                  {lua.ID},
		fmt.Sprint("group_id=", other.ID):   {far.ID},
		"group_id=4711":                     nil,
		"limit=1":                           {far.ID},
		fmt.Sprint("cursor=", far.ID):       {bean.ID, lua.ID},
		"cursor=9223372036854775807&q=bean": {bean.ID},
	} {
		var got []int32
		for _, j := range get[api.List[api.Job]](b.admin, "/jobs?"+query).Items {
			got = append(got, j.ID)
		}
		require.Equal(t, ids, got, query)
	}
	b.admin.do("GET", "/jobs?enabled=maybe", "").refused(422, "query.enabled")
	b.admin.do("GET", "/jobs?glue_type=COBOL", "").refused(422, "query.glue_type")
	b.admin.do("GET", "/jobs?group_id=4294967297", "").refused(422, "query.group_id")
	b.admin.do("GET", "/jobs?q=%00", "").refused(422, "query.q")
	b.admin.do("GET", "/jobs?q=%ff", "").refused(422, "query.q")
}

func TestSchedule_PreviewAndNext(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := post[api.SchedulePreview](b.admin, "/schedule/preview", `{"schedule_type":"CRON","schedule_conf":"0 12 * * *","time_zone":"Asia/Shanghai","n":3}`)
	require.Len(t, p.Items, 3)
	for _, at := range p.Items {
		require.Equal(t, 4, at.UTC().Hour())
	}
	require.Empty(t, post[api.SchedulePreview](b.admin, "/schedule/preview", `{"schedule_type":"NONE"}`).Items)
	b.admin.do("POST", "/schedule/preview", `{"schedule_type":"CRON","schedule_conf":"x"}`).refused(422, "body.schedule_conf")
	b.admin.do("POST", "/schedule/preview", `{"schedule_type":"CRON","schedule_conf":"0 12 * * *","n":101}`).refused(422, "body.n")
	b.admin.do("POST", "/schedule/preview", `{"schedule_type":"CRON","schedule_conf":"0 12 * * *","time_zone":"Nowhere"}`).refused(422, "body.time_zone")

	j := b.job(b.group("billing").ID)
	path := fmt.Sprintf("/jobs/%d", j.ID)
	require.Len(t, get[api.Instants](b.admin, path+"/next").Items, 5)
	started := want[api.JobWritten](b.admin.do("POST", path+"/start", ""), 200)
	next := get[api.Instants](b.admin, path+"/next?n=2").Items
	require.Equal(t, []time.Time{started.NextFire.Time, started.NextFire.Add(time.Hour)}, []time.Time{next[0].Time, next[1].Time})
	b.admin.do("GET", path+"/next?n=0", "").refused(422, "query.n")
	require.Len(t, get[api.Instants](b.admin, path+"/next?n=2000").Items, 2000)
	b.admin.do("GET", path+"/next?n=2001", "").refused(422, "query.n")
}

func TestSchedule_PreviewExplains(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := post[api.SchedulePreview](b.admin, "/schedule/preview", `{"schedule_type":"CRON","schedule_conf":"0 9 1 * 1"}`)
	require.Len(t, p.Items, 5)
	require.Equal(t, api.Sentence{English: "At 09:00, on day 1 of the month or on Monday.", Chinese: "每月 1 日或每周一，09:00 执行。"}, p.Description)
	require.Len(t, p.Warnings, 1)
	require.Equal(t, "either_day", p.Warnings[0].Code)
	require.Contains(t, p.Warnings[0].English, "when either matches")
	require.Contains(t, p.Warnings[0].Chinese, "任意一个匹配即触发")

	require.Len(t, post[api.SchedulePreview](b.admin, "/schedule/preview", `{"schedule_type":"FIX_DELAY","schedule_conf":"5"}`).Items, 1,
		"the rest depends on its runs")
	once := post[api.SchedulePreview](b.admin, "/schedule/preview", `{"schedule_type":"ONCE","schedule_conf":"2100-01-01T00:00:00Z"}`)
	require.Len(t, once.Items, 1)
	until := post[api.SchedulePreview](b.admin, "/schedule/preview", `{"schedule_type":"CRON","schedule_conf":"0 0 12 1 1 ? 2100-2120",
		"valid_from":"2101-01-01T12:00:00.001Z","valid_until":"2103-01-01T12:00:00Z"}`)
	require.Len(t, until.Items, 2)
	// Clocks in Berlin skip 02:30 on 2100-03-28.
	const gap = `{"schedule_type":"CRON","schedule_conf":"0 30 2 28 3 ? 2100","time_zone":"Europe/Berlin","dst_policy":"%s"}`
	b.admin.do("POST", "/schedule/preview", fmt.Sprintf(gap, "xxl")).refused(422, "body.schedule_conf")
	require.Len(t, post[api.SchedulePreview](b.admin, "/schedule/preview", fmt.Sprintf(gap, "run-once")).Items, 1)

	for body, field := range map[string]string{
		`{"schedule_type":"ONCE","schedule_conf":"2020-01-01T00:00:00Z"}`:                                                           "body.schedule_conf",
		`{"schedule_type":"ONCE","schedule_conf":"tomorrow"}`:                                                                       "body.schedule_conf",
		`{"schedule_type":"FIX_DELAY","schedule_conf":"0"}`:                                                                         "body.schedule_conf",
		`{"schedule_type":"FIX_RATE","schedule_conf":"1","valid_until":"2020-01-01T00:00:00Z"}`:                                     "body.valid_until",
		`{"schedule_type":"FIX_RATE","schedule_conf":"1","valid_until":"never"}`:                                                    "body.valid_until",
		`{"schedule_type":"FIX_RATE","schedule_conf":"1","valid_from":"2100-01-02T00:00:00Z","valid_until":"2100-01-01T00:00:00Z"}`: "body.valid_until",
		`{"schedule_type":"FIX_RATE","schedule_conf":"1","dst_policy":"twice"}`:                                                     "body.dst_policy",
	} {
		b.admin.do("POST", "/schedule/preview", body).refused(422, field)
	}
}

func TestJobs_KeepTheirOptions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := want[api.Job](b.admin.do("POST", "/jobs", fmt.Sprintf(`{"group_id":%d,"name":"n","author":"a","glue_type":"BEAN","handler":"h",
		"schedule_type":"ONCE","schedule_conf":"2100-06-01T00:00:00+08:00","dst_policy":"run-once",
		"valid_from":"2100-01-01T00:00:00Z","valid_until":"2101-01-01T00:00:00.5+08:00","retry_backoff":"EXPONENTIAL","retry_max_delay_s":60,
		"retry_jitter_pct":20,"discard_is_failure":true,"children_once":true,"pass_result":true}`, b.group("billing").ID)), 201)
	path := fmt.Sprintf("/jobs/%d", made.ID)
	for _, j := range []api.Job{made, get[api.Job](b.admin, path)} {
		require.Equal(t, api.DSTPolicy("run-once"), j.DSTPolicy)
		require.Equal(t, "2100-12-31T16:00:00.5Z", j.ValidUntil.UTC().Format(time.RFC3339Nano))
		require.Equal(t, api.RetryBackoff("EXPONENTIAL"), j.RetryBackoff)
		require.Equal(t, []int32{60, 20}, []int32{j.RetryMaxDelayS, j.RetryJitterPct})
		require.True(t, j.DiscardIsFailure && j.ChildrenOnce && j.PassResult)
	}
	started := want[api.JobWritten](b.admin.do("POST", path+"/start", ""), 200)
	require.Equal(t, "2100-05-31T16:00:00Z", started.NextFire.UTC().Format(time.RFC3339))

	const edit = `{"group_id":%d,"name":"n","author":"a","handler":"h","schedule_type":"ONCE","schedule_conf":"2100-06-01T00:00:00+08:00",
		"valid_from":null,"version":%d}`
	edited := want[api.JobWritten](b.admin.do("PUT", path, fmt.Sprintf(edit, made.GroupID, started.Version)), 200)
	require.Equal(t, api.DSTPolicy("xxl"), edited.DSTPolicy)
	require.Nil(t, edited.ValidFrom)
	require.Nil(t, edited.ValidUntil)
	require.Equal(t, api.RetryBackoff("FIXED"), edited.RetryBackoff)
	require.False(t, edited.DiscardIsFailure || edited.ChildrenOnce || edited.PassResult)
}

func TestTime_HasMilliseconds(t *testing.T) {
	t.Parallel()
	at := api.Time{Time: time.Date(2026, 1, 2, 3, 4, 5, 60_000_000, time.FixedZone("", 3600))}
	require.Equal(t, `"2026-01-02T02:04:05.060Z"`, jsonOf(t, at))
}
