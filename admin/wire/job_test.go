package wire_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goccy/go-json"
	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/cron"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/wire"
	"github.com/gluewheel/gluewheel/glue"
)

// fakeJobs holds job 1 of group 1, which has a child, and job 2 of group 2.
type fakeJobs struct {
	reviewed  bool // what its groups ask for
	all       map[int32]job.Job
	enabled   map[int32]bool
	triggered []job.TriggerRequest
	published []job.Publish
	fired     int
}

func newFakeJobs() fakeJobs {
	j := job.Job{
		GroupID: 1, Name: "one", Author: "ann", ScheduleType: job.ScheduleCron, ScheduleConf: "0 0 1 * * ?",
		TimeZone: "Asia/Shanghai", DSTPolicy: job.DSTXXL, MisfireStrategy: job.MisfireDoNothing, CatchUpLimit: 7,
		RouteStrategy: job.RouteRound, BlockStrategy: "DISCARD_LATER", Handler: "demo", Param: "p", TimeoutS: 9,
		RetryCount: 2, RetryBackoff: job.RetryFixed, GlueType: glue.Bean, ChildJobIDs: []int32{77}, Version: 5,
	}
	j.ID = 1
	other := j
	other.ID, other.GroupID = 2, 2
	return fakeJobs{all: map[int32]job.Job{1: j, 2: other}, enabled: map[int32]bool{}}
}

func (f *fakes) jobAPI() wire.JobAPI {
	return wire.JobAPI{
		Store:    &f.jobs,
		Schedule: func(t job.Timing) (wire.Schedule, error) { return cron.For(t, time.UTC) },
		Fired:    func([]job.Fire) { f.jobs.fired++ },
		CheckSource: func(_ context.Context, _ glue.Type, source string) error {
			if strings.Contains(source, "syntax error") {
				return &job.CodeError{Line: 1, Message: "unexpected symbol"}
			}
			return nil
		},
		Addresses: func(g *job.Group) []string { return []string{fmt.Sprintf("http://10.0.0.%d:9999/", g.ID)} },
	}
}

func (s *fakeJobs) Group(_ context.Context, id int32) (job.Group, error) {
	return job.Group{ID: id, RequireReview: s.reviewed}, nil
}

func (s *fakeJobs) Job(_ context.Context, id int32) (job.Job, error) {
	j, ok := s.all[id]
	if !ok {
		return j, job.ErrNotFound
	}
	return j, nil
}

func (s *fakeJobs) CreateJob(_ context.Context, j job.Job) (job.Job, error) {
	j.ID = int32(len(s.all) + 1)
	s.all[j.ID] = j
	return j, nil
}

func (s *fakeJobs) UpdateJob(_ context.Context, j job.Job, _ job.NextFunc) (job.Write, error) {
	s.all[j.ID] = j
	return job.Write{}, nil
}

func (s *fakeJobs) DeleteJob(_ context.Context, id int32) (job.Write, error) {
	delete(s.all, id)
	return job.Write{}, nil
}

func (s *fakeJobs) StartJob(_ context.Context, id int32, next job.NextFunc) (job.Write, error) {
	_, err := next(time.Now())
	s.enabled[id] = err == nil
	return job.Write{}, err
}

func (s *fakeJobs) StopJob(_ context.Context, id int32) (job.Write, error) {
	s.enabled[id] = false
	return job.Write{}, nil
}

func (s *fakeJobs) Trigger(_ context.Context, req job.TriggerRequest) (job.Fire, error) {
	s.triggered = append(s.triggered, req)
	return job.Fire{RunID: 1}, nil
}

func (s *fakeJobs) PublishVersion(_ context.Context, p job.Publish) (job.Published, error) {
	if p.Source == "fails" {
		return job.Published{}, errors.New("database is away")
	}
	s.published = append(s.published, p)
	return job.Published{}, nil
}

// api calls the job API as group 1.
func (b *bundle) api(t *testing.T, name, body string, headers ...string) (int, string, *string) {
	t.Helper()
	if headers == nil {
		headers = []string{tokenHeader, ordersToken, appHeader, "app-test"}
	}
	_, raw := b.call(t, "POST", "/api/"+name, body, headers...)
	var e struct {
		Code int
		Msg  string
		Data *string
	}
	require.NoError(t, json.Unmarshal([]byte(raw), &e), raw)
	return e.Code, e.Msg, e.Data
}

func TestJobAPI_IsForTheTokensOwnGroup(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		headers []string
		group   int // that it acts for; 0 = refused
		msg     string
	}{
		{"its token", []string{tokenHeader, ordersToken, appHeader, "app-test"}, 1, ""},
		{"another's token", []string{tokenHeader, stockToken, appHeader, "app"}, 2, ""},
		{"the global token", []string{tokenHeader, "tok", appHeader, "app-test"}, 1, ""},
		{"no app name", []string{tokenHeader, ordersToken}, 0, "invalid request, accessToken or appname is empty."},
		{"the global token without an app name", []string{tokenHeader, "tok"}, 0, "invalid request, accessToken or appname is empty."},
		{"the global token and no group", []string{tokenHeader, "tok", appHeader, "nobody"}, 0, "invalid request, accessToken or appname invalid."},
		{"another group's app name", []string{tokenHeader, ordersToken, appHeader, "app"}, 0, "invalid request, accessToken or appname invalid."},
		{"no token", []string{tokenHeader, "", appHeader, "app"}, 0, "invalid request, accessToken or appname is empty."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, "tok")
			for id := 1; id <= 2; id++ {
				code, msg, _ := b.api(t, "stopJob", fmt.Sprintf(`{"id":%d}`, id), c.headers...)
				if c.group == id {
					require.Equal(t, 200, code, msg)
					continue
				}
				require.Equal(t, 500, code)
				if c.group == 0 {
					require.Equal(t, c.msg, msg)
				}
			}
		})
	}
	b := setup(t, "tok")
	for _, name := range []string{"updateJob", "startJob", "stopJob", "triggerJob"} {
		for _, body := range []string{`{"id":2}`, `{"id":99}`, `{}`, `{"id":"x"}`, `{"id":4294967297}`} {
			code, _, _ := b.api(t, name, body)
			require.Equal(t, 500, code, "%s %s", name, body)
		}
	}
	for _, body := range []string{`{"id":2}`, `{"id":99}`} {
		code, msg, _ := b.api(t, "removeJob", body)
		require.Equal(t, 200, code, msg)
	}
	require.Contains(t, b.jobs.all, int32(2), "another group's job is as if it were not there")
}

func TestJobAPI_AddsAJob(t *testing.T) {
	t.Parallel()
	b := setup(t, "tok")
	code, msg, data := b.api(t, "addJob", `{"jobGroup":"1","name":"n","author":"a","scheduleType":"CRON","scheduleConf":"0 0 2 * * ?",
		"misfireStrategy":"FIRE_ONCE_NOW","executorRouteStrategy":"LAST","executorHandler":"h","executorParam":"x",
		"executorBlockStrategy":"COVER_EARLY","executorTimeout":3,"executorFailRetryCount":1,"glueType":"BEAN","new":{}}`)
	require.Equal(t, 200, code, msg)
	require.Equal(t, "3", *data)
	j := b.jobs.all[3]
	require.Equal(t, []any{"n", "a", "h", "x", "COVER_EARLY", int32(3), int32(1), false},
		[]any{j.Name, j.Author, j.Handler, j.Param, j.BlockStrategy, j.TimeoutS, j.RetryCount, j.Enabled})
	require.Equal(t, job.RouteLast, j.RouteStrategy)
	require.Equal(t, job.MisfireFireOnce, j.MisfireStrategy)

	code, msg, _ = b.api(t, "addJob", `{"jobGroup":1,"name":"n","author":"a","glueType":"GLUE_SHELL","glueSource":"echo hi"}`)
	require.Equal(t, 200, code, msg)
	require.Len(t, b.jobs.published, 1)
	require.Equal(t, int32(4), b.jobs.published[0].JobID)
	require.Equal(t, "GLUE代码初始化", b.jobs.published[0].Remark)

	code, _, _ = b.api(t, "addJob", `{"jobGroup":1,"name":"n","author":"a","glueType":"GLUE_SHELL","glueSource":"fails"}`)
	require.Equal(t, 500, code)
	require.Len(t, b.jobs.all, 4, "a job without its code does not stay")

	b.jobs.reviewed = true
	code, msg, _ = b.api(t, "addJob", `{"jobGroup":1,"name":"n","author":"a","glueType":"GLUE_SHELL","glueSource":"echo hi"}`)
	require.Equal(t, 500, code)
	require.Contains(t, msg, "glueSource: The group asks that its code is approved.")
	b.jobs.reviewed = false

	for _, c := range []struct{ body, msg string }{
		{`{"jobGroup":2,"name":"n","author":"a","executorHandler":"h"}`, "jobGroup: 2 is not the group of this token, which is 1."},
		{`{"jobGroup":1,"author":"a","executorHandler":"h"}`, "name: "},
		{`{"jobGroup":1,"name":"n","author":"a"}`, "handler: "},
		{`{"jobGroup":1,"name":"n","author":"a","executorHandler":"h","scheduleType":"CRON","scheduleConf":"nonsense"}`, "schedule_conf: "},
		{`{"jobGroup":1,"name":"n","author":"a","executorHandler":"h","scheduleType":"CRON","scheduleConf":"0 0 1 1 1 ? 2020"}`, "schedule_conf: It never fires again"},
		{`{"jobGroup":1,"name":"n","author":"a","glueType":"GLUE_LUA","glueSource":"syntax error"}`, "glueSource: unexpected symbol"},
		{`{"jobGroup":1,"name":"n","author":"a","glueType":"GLUE_COBOL"}`, "glue_type: "},
		{`{"jobGroup":1,"name":"n","author":"a","executorHandler":"h","executorTimeout":99999999999}`, "timeout_s: "},
		{`[]`, "openapi invoke error: "},
	} {
		code, msg, _ := b.api(t, "addJob", c.body)
		require.Equal(t, 500, code, c.body)
		require.True(t, strings.HasPrefix(msg, c.msg), "%s: %s", c.body, msg)
	}
	require.Len(t, b.jobs.all, 4)
}

func TestJobAPI_ChangesAJob(t *testing.T) {
	t.Parallel()
	b := setup(t, "tok")
	before := b.jobs.all[1]
	code, msg, _ := b.api(t, "updateJob", `{"id":1,"name":"renamed","executorParam":"","glueSource":"ignored"}`)
	require.Equal(t, 200, code, msg)
	want := before
	want.Name, want.Param, want.Tags = "renamed", "", []string{}
	require.Equal(t, want, b.jobs.all[1], "what it does not send stays, children too")
	require.Empty(t, b.jobs.published)

	code, msg, _ = b.api(t, "startJob", `{"id":1}`)
	require.Equal(t, 200, code, msg)
	require.True(t, b.jobs.enabled[1])
	code, msg, _ = b.api(t, "stopJob", `{"id":1}`)
	require.Equal(t, 200, code, msg)
	require.False(t, b.jobs.enabled[1])
	code, msg, _ = b.api(t, "updateJob", `{"id":1,"scheduleType":"NONE","scheduleConf":""}`)
	require.Equal(t, 200, code, msg)
	code, msg, _ = b.api(t, "startJob", `{"id":1}`)
	require.Equal(t, 500, code)
	require.Equal(t, "The current schedule type disables startup", msg)
	code, msg, _ = b.api(t, "removeJob", `{"id":1}`)
	require.Equal(t, 200, code, msg)
	require.NotContains(t, b.jobs.all, int32(1))
}

func TestJobAPI_Triggers(t *testing.T) {
	t.Parallel()
	b := setup(t, "tok")
	for _, c := range []struct {
		body, param string
		addresses   []string
		msg         string
	}{
		{`{"id":1}`, "", nil, ""},
		{`{"id":1,"executorParam":"x","addressList":""}`, "x", nil, ""},
		{`{"id":1,"executorParam":"x","addressList":"http://10.0.0.1:9999"}`, "x", []string{"http://10.0.0.1:9999"}, ""},
		{`{"id":1,"addressList":"http://10.0.0.2:9999"}`, "", nil, `addressList: "http://10.0.0.2:9999" is not an executor of the group.`},
		{`{"id":1,"addressList":"http://169.254.169.254/"}`, "", nil, `addressList: "http://169.254.169.254/" is not an executor of the group.`},
	} {
		before := len(b.jobs.triggered)
		code, msg, _ := b.api(t, "triggerJob", c.body)
		if c.msg != "" {
			require.Equal(t, 500, code)
			require.Equal(t, c.msg, msg)
			require.Len(t, b.jobs.triggered, before)
			continue
		}
		require.Equal(t, 200, code, msg)
		last := b.jobs.triggered[before]
		require.Equal(t, job.TriggerRequest{JobID: 1, Cause: job.CauseAPI, Param: &c.param, Addresses: c.addresses}, last)
		require.Equal(t, before+1, b.jobs.fired)
	}
}

func TestRates(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r wire.Rates
		began := time.Now()
		taken := 0
		for ; taken < 1000; taken++ {
			if err := r.Take(t.Context(), 1); err != nil {
				require.EqualError(t, err, "Too many requests, please try again later.")
				break
			}
		}
		require.Equal(t, 1000, taken, "one after the other they wait")
		require.InDelta(t, 9, time.Since(began).Seconds(), 0.1)
		refused := 0
		results := make(chan error, 500)
		for range 500 {
			go func() { results <- r.Take(t.Context(), 2) }()
		}
		for range 500 {
			if <-results != nil {
				refused++
			}
		}
		require.InDelta(t, 300, refused, 2, "a second's worth at once, one waits, the rest is refused")
	})
}
