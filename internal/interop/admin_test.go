package interop

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin"
	"github.com/gluewheel/gluewheel/admin/store/storetest"
)

// startAdmin runs a whole admin in this process until the test ends.
func startAdmin(t *testing.T) (addr string, c *rest) {
	t.Helper()
	a, err := admin.New(admin.Options{
		DatabaseURL: storetest.URL(t),
		Listen:      "127.0.0.1:0",
		Token:       token,
		Password:    password,
		Drain:       time.Millisecond,
		Log:         slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := a.Run(ctx); err != nil {
			t.Errorf("run admin: %v", err)
		}
	})
	t.Cleanup(func() { cancel(); running.Wait() })
	eventually(t, 20*time.Second, func() bool { return a.Addr() != "" && ready(a.Addr()) }, "the admin is ready")
	return a.Addr(), login(t, a.Addr())
}

const adminOK = `{"code":200,"msg":"Success","content":null,"data":null}`

func adminFails(msg string) string {
	return fmt.Sprintf(`{"code":500,"msg":"%s","content":null,"data":null}`, msg)
}

// TestAdmin_AnswersByteForByte goes through the checks of the admin's API in their order.
func TestAdmin_AnswersByteForByte(t *testing.T) {
	t.Parallel()
	addr, _ := startAdmin(t)
	d := &dialects[3]
	reg := `{"registryGroup":"EXECUTOR","registryKey":"app-answers","registryValue":"http://127.0.0.1:9/"}`
	without := func(request string) string {
		return strings.Replace(request, "XXL-JOB-ACCESS-TOKEN: "+token+"\r\n", "", 1)
	}
	named := func(request string) string {
		return strings.Replace(request, "Host: peer", "Host: peer\r\nXXL-JOB-APPNAME: app-answers", 1)
	}
	wrong := func(request string) string { return strings.Replace(request, ": "+token, ": default_token", 1) }
	for _, base := range []string{"", "/xxl-job-admin"} {
		post := func(name, body string) string { return d.post(base+"/api"+name, body) }
		for _, c := range []struct{ name, request, want string }{
			{"registry", post("/registry", reg), adminOK},
			{"registry again", post("/registry", reg), adminOK},
			{"member order and unknown members", post("/registry", `{"x":{},"registryValue":"http://127.0.0.1:9/","registryKey":"app-answers","registryGroup":"EXECUTOR","y":[1]}`), adminOK},
			{"removal", post("/registryRemove", reg), adminOK},
			{"removal of nothing", post("/registryRemove", reg), adminOK},
			{"blank member", post("/registry", strings.Replace(reg, "app-answers", " ", 1)), adminFails("Illegal Argument.")},
			{"absent member", post("/registryRemove", `{"registryGroup":"EXECUTOR"}`), adminFails("Illegal Argument.")},
			{"no results", post("/callback", `[]`), adminOK},
			{"no results of 3.5", post("/callback", `{"callbackList":[]}`), adminOK},
			{"results of unknown runs", post("/callback", `[{"logId":1,"handleCode":200},{"logId":"9007199254740993","logDateTim":"0","handleCode":"500","new":1}]`), adminOK},
			{"result without a run", post("/callback", `[{"handleCode":200}]`), adminOK},

			{"GET", "GET " + base + "/api/registry HTTP/1.1\r\nHost: peer\r\n\r\n", adminFails("invalid request, HttpMethod not support.")},
			{"PUT", strings.Replace(post("/registry", reg), "POST", "PUT", 1), adminFails("invalid request, HttpMethod not support.")},
			{"no name", post("/", reg), adminFails("invalid request, uri-mapping empty.")},
			{"no name, no slash", post("", reg), adminFails("invalid request, uri-mapping empty.")},
			{"no body", post("/registry", ""), adminFails("invalid request, requestBody empty.")},
			{"no body and no length", d.bare(base+"/api/registry", "", ""), adminFails("invalid request, requestBody empty.")},
			{"blank body", post("/registry", " \r\n "), adminFails("invalid request, requestBody empty.")},
			{"no body before no token", without(post("/registry", "")), adminFails("invalid request, requestBody empty.")},
			{"no token", without(post("/registry", reg)), adminFails("The access token is wrong.")},
			{"wrong token", wrong(post("/registry", reg)), adminFails("The access token is wrong.")},
			{"wrong token before unknown name", wrong(post("/nothing", reg)), adminFails("The access token is wrong.")},
			{"no token, app name", named(without(post("/registry", reg))), adminFails("invalid request, accessToken or appname is empty.")},
			{"wrong token, app name", named(wrong(post("/registry", reg))), adminFails("invalid request, accessToken or appname invalid.")},
			{"unknown name", post("/nothing", reg), adminFails("invalid request, uri-mapping(nothing) not found.")},
		} {
			t.Run(base+" "+c.name, func(t *testing.T) {
				t.Parallel()
				answers(t, addr, c.request, c.want)
			})
		}
		for _, body := range []string{`{`, `[`, `"x"`, `[{"logId":"x"}]`, `{"callbackList":{}}`, "\xff\xfe\x00", `[[]]`} {
			t.Run(fmt.Sprintf("%s unreadable %q", base, body), func(t *testing.T) {
				t.Parallel()
				m := exchange(t, addr, post("/callback", body))
				require.Equal(t, "HTTP/1.1 200 OK", m.head[0])
				require.True(t, strings.HasPrefix(m.body, `{"code":500,"msg":"openapi invoke error: `), m.body)
			})
		}
	}
}

// TestAdmin_AndExecutorsOfEveryDialect goes through the life of an executor as each
// generation lives it: registration, a run, its log, its result, a kill, a removal.
func TestAdmin_AndExecutorsOfEveryDialect(t *testing.T) {
	t.Parallel()
	addr, all := startAdmin(t)
	for i := range dialects {
		t.Run(dialects[i].name, func(t *testing.T) {
			t.Parallel()
			app := fmt.Sprintf("app-life-%d", i)
			livesADay(t, addr, all.on(t), dialects[i].of(app), app)
		})
	}
}

func livesADay(t *testing.T, addr string, c *rest, d *dialect, app string) {
	p := newPeer(t, func(m message) string { return netty(d.executorAnswers(m)) })
	reg := fmt.Sprintf(`{"registryGroup":"EXECUTOR","registryKey":"%s","registryValue":"%s"}`, app, p.url())
	answers(t, addr, d.api("registry", reg), adminOK)
	group := c.Group(app)
	eventually(t, 5*time.Second, func() bool { return len(c.executors(group)) == 1 }, "the executor is listed")
	e := c.executors(group)[0]
	require.Equal(t, executorView{Address: p.url(), Dialect: d.kept, Alive: true}, e)

	j := c.job(group, "life", map[string]any{"param": awkward, "timeout_s": 7, "block_strategy": "COVER_EARLY"})
	id := c.routed(j)
	m := p.next(t, d.run, 1)
	require.Equal(t, "POST "+d.run+" HTTP/1.1", m.head[0])
	for name, want := range map[string]string{"Content-Type": "application/json;charset=UTF-8", "XXL-JOB-ACCESS-TOKEN": token, "XXL-JOB-APPNAME": app} {
		got, _ := m.header(name)
		require.Equal(t, want, got, name)
	}
	fireAt := c.Run(id).FireAt
	require.JSONEq(t, fmt.Sprintf(`{"jobId":%d,"executorHandler":"demo","executorParams":"ok <b>&='\u2028","executorBlockStrategy":"COVER_EARLY",`+
		`"executorTimeout":7,"logId":%d,"logDateTime":%d,"glueType":"BEAN","glueSource":"","glueUpdatetime":0,"broadcastIndex":0,"broadcastTotal":1}`,
		j, id, fireAt.UnixMilli()), m.body)
	c.reaches(id, "running", 5*time.Second)

	piece := c.log(id, 1)
	require.Equal(t, logPiece{FromLine: 1, ToLine: 2, Content: "first <b>\nsecond\n"}, piece)
	require.JSONEq(t, fmt.Sprintf(`{"logDateTim":%[2]d,"logDateTime":%[2]d,"logId":%[1]d,"fromLineNum":1}`, id, fireAt.UnixMilli()), p.next(t, "/log", 1).body)

	answers(t, addr, d.api("callback", d.report(id, 200)), adminOK)
	r := c.ended(id, 5*time.Second)
	require.Equal(t, "succeeded 200 "+awkward, fmt.Sprintf("%s %d %s", r.State, r.Code, r.Message))
	require.True(t, c.log(id, 3).End, "a run that has ended and has no more lines is at its end")

	for code, state := range map[int]string{500: "failed", 502: "timed_out"} {
		id := c.Trigger(j, map[string]any{})
		c.reaches(id, "running", 5*time.Second)
		answers(t, addr, d.api("callback", d.report(id, code)), adminOK)
		require.Equal(t, state, c.ended(id, 5*time.Second).State)
		answers(t, addr, d.api("callback", d.report(id, 200)), adminOK)
		require.Equal(t, state, c.Run(id).State, "a second result changes nothing")
	}

	id = c.Trigger(j, map[string]any{})
	c.reaches(id, "running", 5*time.Second)
	c.Must("POST", fmt.Sprintf("/runs/%d/kill", id), map[string]any{}, nil)
	require.JSONEq(t, fmt.Sprintf(`{"jobId":%d}`, j), p.next(t, "/kill", 1).body)
	require.Equal(t, "killed", c.ended(id, 5*time.Second).State)

	answers(t, addr, d.api("registryRemove", reg), adminOK)
	eventually(t, 5*time.Second, func() bool { return len(c.executors(group)) == 0 }, "the executor is gone")
	// It waits a while for an executor that may be restarting.
	require.Equal(t, "no_executor", c.ended(c.Trigger(j, map[string]any{}), 30*time.Second).Reason)
}

// executorAnswers plays an executor of the dialect.
func (d *dialect) executorAnswers(m message) string {
	switch m.path() {
	case d.run, "/beat", "/idleBeat":
		return d.taken
	case "/kill":
		return d.killed
	case "/log":
		if !strings.Contains(m.body, `"fromLineNum":1}`) {
			return fmt.Sprintf(d.logged, 3, 0, `""`)
		}
		if d.kept == "A" {
			return fmt.Sprintf(d.logged, 1, 2, `"first \u003cb\u003e\nsecond\n"`)
		}
		return fmt.Sprintf(d.logged, 1, 2, `"first <b>\nsecond\n"`)
	default:
		return fmt.Sprintf(`{"code":500,"msg":"invalid request, uri-mapping(%s) not found."}`, m.path())
	}
}

// TestAdmin_LearnsThePath: an address that was entered by hand never said that it is
// 3.5's; its first refusal does, and is not the run's end.
func TestAdmin_LearnsThePath(t *testing.T) {
	t.Parallel()
	_, c := startAdmin(t)
	d := &dialects[4]
	p := newPeer(t, func(m message) string { return netty(d.executorAnswers(m)) })
	j := c.job(c.Group("app-by-hand", p.url()), "by hand", map[string]any{})
	for range 3 {
		c.reaches(c.Trigger(j, map[string]any{}), "running", 5*time.Second)
	}
	require.Len(t, p.sent("/run"), 1)
	require.Len(t, p.sent("/trigger"), 3)
}

// TestAdmin_ManyResultsAtOnce: executors report in batches; what one item says does not
// touch the others.
func TestAdmin_ManyResultsAtOnce(t *testing.T) {
	t.Parallel()
	addr, c := startAdmin(t)
	d := &dialects[1]
	p := newPeer(t, func(m message) string { return netty(d.executorAnswers(m)) })
	j := c.job(c.Group("app-batch", p.url()), "batch", map[string]any{})
	var ids []int64
	for range 3 {
		id := c.Trigger(j, map[string]any{})
		c.reaches(id, "running", 5*time.Second)
		ids = append(ids, id)
	}
	answers(t, addr, d.api("callback", fmt.Sprintf(`[{"logId":%d,"handleCode":200},{"logId":7,"handleCode":200},`+
		`{"logId":"%d","logDateTim":"1586629003729","handleCode":"500","handleMsg":"nul \u0000 and \ud800"},`+
		`{"logId":%d,"handleCode":0,"executeResult":{"code":502,"msg":"late"}},{"logId":%d,"handleCode":500}]`,
		ids[0], ids[1], ids[2], ids[0])), adminOK)
	var ends []string
	for _, id := range ids {
		r := c.ended(id, 5*time.Second)
		ends = append(ends, fmt.Sprintf("%s %d %s", r.State, r.Code, r.Message))
	}
	require.Equal(t, []string{"succeeded 200 ", "failed 500 nul  and \ufffd", "timed_out 502 late"}, ends)
}

// TestAdmin_ALongQueueInOneCallback: executors up to 3.3 that had no admin for long send
// all results in one request.
func TestAdmin_ALongQueueInOneCallback(t *testing.T) {
	t.Parallel()
	addr, c := startAdmin(t)
	d := &dialects[1]
	p := newPeer(t, func(m message) string { return netty(d.executorAnswers(m)) })
	j := c.job(c.Group("app-queue", p.url()), "queue", map[string]any{})
	id := c.Trigger(j, map[string]any{})
	c.reaches(id, "running", 5*time.Second)
	var list strings.Builder
	for n := range 400 {
		fmt.Fprintf(&list, `{"logId":%d,"handleCode":500,"handleMsg":"%s"},`, n+1, strings.Repeat("x", 40_000))
	}
	request := d.api("callback", fmt.Sprintf(`[%s{"logId":%d,"handleCode":200}]`, list.String(), id))
	// An executor sends again what was not stored in time; it must not do so for ever.
	answer := ""
	for range 5 {
		if answer = exchange(t, addr, request).body; answer == adminOK {
			break
		}
		require.Contains(t, answer, "took longer than 2 s")
	}
	require.Equal(t, adminOK, answer)
	require.Equal(t, "succeeded", c.ended(id, 5*time.Second).State)
}
