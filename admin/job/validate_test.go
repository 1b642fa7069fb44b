package job_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
	"github.com/gluewheel/gluewheel/glue"
)

// wrongFields are the fields that were complained about; each needs a sentence.
func wrongFields(t *testing.T, list []*job.FieldError) (fields []string) {
	t.Helper()
	for _, e := range list {
		require.True(t, strings.HasSuffix(e.Message, "."), "%s: %q is no sentence", e.Field, e.Message)
		fields = append(fields, e.Field)
	}
	return fields
}

func validJob() *job.Job {
	return &job.Job{
		ID: 5, GroupID: 1, Name: "n", Author: "a", ScheduleType: job.ScheduleCron, ScheduleConf: "* * * * *",
		MisfireStrategy: job.MisfireDoNothing, CatchUpLimit: 1, RouteStrategy: job.RouteFirst,
		BlockStrategy: protocol.BlockSerial, GlueType: glue.Lua,
		DSTPolicy: job.DSTXXL, RetryBackoff: job.RetryFixed,
	}
}

func anySchedule(job.Timing) error { return nil }

func TestValidateJob(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 3, 5, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name  string
		spoil func(*job.Job)
		want  []string
	}{
		{"valid", func(*job.Job) {}, nil},
		{"largest", func(j *job.Job) {
			j.Name, j.TimeoutS, j.RetryCount = strings.Repeat("名", job.MaxName), job.MaxTimeoutS, job.MaxRetryCount
			j.RetryDelayS, j.CatchUpLimit, j.Param = job.MaxRetryDelayS, job.MaxCatchUp, strings.Repeat("x", job.MaxParam)
			j.AlarmEmail, j.TimeZone = "a@b.example, c@d.example", "Asia/Shanghai"
		}, nil},
		{"empty", func(j *job.Job) { *j = job.Job{} }, []string{
			"name", "author", "schedule_type", "dst_policy", "misfire_strategy", "catch_up_limit",
			"route_strategy", "block_strategy", "retry_backoff", "glue_type",
		}},
		{"blank name", func(j *job.Job) { j.Name = " \t" }, []string{"name"}},
		{"long", func(j *job.Job) { j.Name = strings.Repeat("x", job.MaxName+1) }, []string{"name"}},
		{"negative", func(j *job.Job) { j.TimeoutS, j.RetryCount, j.RetryDelayS = -1, -1, -1 }, []string{"timeout_s", "retry_count", "retry_delay_s"}},
		{"back-off", func(j *job.Job) {
			j.RetryBackoff, j.RetryMaxDelayS, j.RetryJitterPct = "LINEAR", job.MaxRetryDelayS+1, 101
		}, []string{"retry_backoff", "retry_max_delay_s", "retry_jitter_pct"}},
		{"cap below the delay", func(j *job.Job) { j.RetryDelayS, j.RetryMaxDelayS = 10, 9 }, []string{"retry_max_delay_s"}},
		{"cap at the delay", func(j *job.Job) { j.RetryDelayS, j.RetryMaxDelayS = 10, 10 }, nil},
		{"DST policy", func(j *job.Job) { j.DSTPolicy = "XXL" }, []string{"dst_policy"}},
		{"valid for an instant", func(j *job.Job) { j.ValidFrom, j.ValidUntil = &noon, &noon }, nil},
		{"valid for less", func(j *job.Job) {
			before := noon.Add(-1)
			j.ValidFrom, j.ValidUntil = &noon, &before
		}, []string{"valid_until"}},
		{"words", func(j *job.Job) { j.RouteStrategy, j.BlockStrategy = "first", "serial" }, []string{"route_strategy", "block_strategy"}},
		{"handler", func(j *job.Job) { j.GlueType = glue.Bean }, []string{"handler"}},
		{"zone", func(j *job.Job) { j.TimeZone = "Local" }, []string{"time_zone"}},
		{"e-mail", func(j *job.Job) { j.AlarmEmail = "a@b.example, Ann <c@d.example>" }, []string{"alarm_email"}},
		{"own child", func(j *job.Job) { j.ChildJobIDs = []int32{4, 5} }, []string{"child_job_ids[1]"}},
		{"child twice", func(j *job.Job) { j.ChildJobIDs = []int32{4, 4, 0} }, []string{"child_job_ids[1]", "child_job_ids[2]"}},
		{"too many children", func(j *job.Job) { j.ChildJobIDs = make([]int32, job.MaxChildren+1) }, []string{"child_job_ids"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			j := validJob()
			c.spoil(j)
			require.Equal(t, c.want, wrongFields(t, job.ValidateJob(j, anySchedule)))
		})
	}
}

func TestValidateJob_ReportsTheSchedule(t *testing.T) {
	t.Parallel()
	plain := func(job.Timing) error { return errors.New("six fields are not supported") }
	list := job.ValidateJob(validJob(), plain)
	require.Equal(t, []*job.FieldError{{Field: "schedule_conf", Message: "Six fields are not supported."}}, list)
	named := func(job.Timing) error {
		return &job.FieldError{Field: "time_zone", Message: "no such zone"}
	}
	require.Equal(t, []string{"time_zone"}, wrongFields(t, job.ValidateJob(validJob(), named)))
}

func TestWords_AreThoseOfTheProtocol(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{protocol.BlockSerial, protocol.BlockDiscard, protocol.BlockCover}, job.BlockStrategies())
	for _, s := range job.States() {
		parsed, ok := job.ParseState(s.String())
		require.True(t, ok)
		require.Equal(t, s, parsed)
	}
	for _, c := range job.Causes() {
		parsed, ok := job.ParseCause(c.String())
		require.True(t, ok)
		require.Equal(t, c, parsed)
	}
	_, ok := job.ParseCause("luck")
	require.False(t, ok)
}

func TestValidateGroup(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		g    job.Group
		want []string
	}{
		{"valid", job.Group{AppName: "app-1", Title: "t"}, nil},
		{"manual", job.Group{AppName: "app-1", Title: "t", AddressType: 1, AddressList: []string{"http://10.0.0.5:9999", "https://a.example/x/"}}, nil},
		{"empty", job.Group{}, []string{"app_name", "title"}},
		{"short", job.Group{AppName: "app", Title: "t"}, []string{"app_name"}},
		{"long", job.Group{AppName: strings.Repeat("a", 65), Title: "t"}, []string{"app_name"}},
		{"underscore", job.Group{AppName: "my_app", Title: "t"}, []string{"app_name"}},
		{"type", job.Group{AppName: "app-1", Title: "t", AddressType: 2}, []string{"address_type"}},
		{"none", job.Group{AppName: "app-1", Title: "t", AddressType: 1}, []string{"address_list"}},
		{"twice", job.Group{AppName: "app-1", Title: "t", AddressList: []string{"http://a:1", "http://a:1/"}}, []string{"address_list[1]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, wrongFields(t, job.ValidateGroup(&c.g)))
		})
	}
}

func TestValidateAddresses(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		"", "10.0.0.5:9999", "ftp://a", "http://", "http://:80", "http://user:pw@a", "http://a?b=c", "http://a#", "http://a/#x",
		"http://a b", "javascript:alert(1)", "http://" + strings.Repeat("a", job.MaxAddress),
	} {
		require.Equal(t, []string{"addresses[0]"}, wrongFields(t, job.ValidateAddresses("addresses", []string{bad})), bad)
	}
	require.Empty(t, job.ValidateAddresses("addresses", []string{"http://[::1]:9999", "https://a.example:1/base"}))
	require.Equal(t, []string{"addresses"}, wrongFields(t, job.ValidateAddresses("addresses", make([]string, job.MaxAddresses+1))))
}

func TestValidatePublish(t *testing.T) {
	t.Parallel()
	module := "sha256:" + strings.Repeat("a", 64)
	other := "md5:1"
	for _, c := range []struct {
		name string
		typ  glue.Type
		p    job.Publish
		want []string
	}{
		{"source", glue.Lua, job.Publish{Source: "x", Remark: "good"}, nil},
		{"module", glue.WASM, job.Publish{Artifact: &module, Remark: "good"}, nil},
		{"no source", glue.Lua, job.Publish{Remark: "good"}, []string{"source"}},
		{"remark", glue.Lua, job.Publish{Source: "x", Remark: "bad"}, []string{"remark"}},
		{"bean", glue.Bean, job.Publish{Source: "x", Remark: "good"}, []string{"source"}},
		{"module for a source", glue.Lua, job.Publish{Source: "x", Artifact: &module, Remark: "good"}, []string{"artifact"}},
		{"module with the source it was compiled from", glue.WASM, job.Publish{Source: "x", Artifact: &module, Remark: "good"}, nil},
		{"module with a source that cannot be kept", glue.WASM, job.Publish{Source: "\x00", Artifact: &module, Remark: "good"}, []string{"source"}},
		{"source without its module", glue.WASM, job.Publish{Source: "x", Remark: "good"}, []string{"artifact"}},
		{"no module", glue.WASM, job.Publish{Remark: "good"}, []string{"artifact"}},
		{"digest", glue.WASM, job.Publish{Artifact: &other, Remark: "good"}, []string{"artifact"}},
		{"manifest", glue.Lua, job.Publish{Source: "x", Remark: "good", Manifest: glue.Manifest{
			MemoryBytes: -1, CPUSeconds: job.MaxManifestCPU + 1, LogBytes: -1,
			Hosts: []string{"*.example.com:443", "http://a", "a.test:65535", "a.test:65536"}, Secrets: []string{"GOOD_1", "not good"},
			Isolation: "none",
		}}, []string{
			"manifest.memory_bytes", "manifest.cpu_seconds", "manifest.log_bytes", "manifest.hosts[1]", "manifest.hosts[3]",
			"manifest.secrets[1]", "manifest.isolation",
		}},
		{"too little memory", glue.Lua, job.Publish{Source: "x", Remark: "good", Manifest: glue.Manifest{MemoryBytes: 1000}}, []string{"manifest.memory_bytes"}},
		{"inproc", glue.WASM, job.Publish{Artifact: &module, Remark: "good", Manifest: glue.Manifest{Isolation: "inproc", KV: true}}, nil},
		{"inproc of Lua", glue.Lua, job.Publish{Source: "x", Remark: "good", Manifest: glue.Manifest{Isolation: "inproc"}}, []string{"manifest.isolation"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, wrongFields(t, job.ValidatePublish(c.typ, &c.p)))
		})
	}
}

func TestValidateGrants_OfScriptsAreInVain(t *testing.T) {
	t.Parallel()
	all := glue.Manifest{Hosts: []string{"a.test"}, Secrets: []string{"KEY"}, KV: true, MemoryBytes: 64 << 20}
	for _, info := range glue.Types() {
		var want []string
		if !info.Sandbox {
			want = []string{"manifest.secrets", "manifest.hosts", "manifest.kv"}
		}
		require.Equal(t, want, wrongFields(t, job.ValidateGrants(info.Type, all)), info.Type)
		require.Empty(t, job.ValidateGrants(info.Type, glue.Manifest{MemoryBytes: 64 << 20, CPUSeconds: 1, LogBytes: 1}))
	}
}
