package interop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/executor"
)

// node is a whole executor of ours in this process.
type node struct {
	addr    string
	stop    func()
	release chan struct{} // a send ends one run of the handler "hold"
	began   chan int64    // the runs of "hold" as they begin; room for all of a test
}

// startExecutor runs an executor for an admin until the test ends. Its handlers: demo
// echoes, fail fails, hold runs until it is released or stopped.
func startExecutor(t *testing.T, admin string) *node {
	t.Helper()
	e, err := executor.New(executor.Config{
		AppName: appName, AdminAddresses: []string{admin}, Token: token, Listen: "127.0.0.1:0",
		DataDir: t.TempDir(), DrainTimeout: -1, Location: time.UTC, Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	n := &node{release: make(chan struct{}), began: make(chan int64, 16)}
	for name, h := range map[string]func(context.Context, *executor.Job) error{
		"demo": func(_ context.Context, j *executor.Job) error {
			j.Logf("param %s", j.Param())
			j.SetResult("echo " + j.Param())
			return nil
		},
		"fail": func(context.Context, *executor.Job) error { return errors.New("boom <b>") },
		"hold": func(ctx context.Context, j *executor.Job) error {
			n.began <- j.RunID()
			select {
			case <-n.release:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		},
	} {
		require.NoError(t, e.Handle(name, h))
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := e.Run(ctx); err != nil {
			t.Errorf("run executor: %v", err)
		}
	})
	n.stop = sync.OnceFunc(func() { cancel(); running.Wait() })
	t.Cleanup(n.stop)
	eventually(t, 10*time.Second, func() bool { return e.Addr() != "" }, "the executor listens")
	n.addr = e.Addr()
	return n
}

// holds waits until the handler "hold" has begun with a run.
func (n *node) holds(t *testing.T, run int64) {
	t.Helper()
	for {
		select {
		case id := <-n.began:
			if id == run {
				return
			}
		case <-time.After(time.Minute):
			require.FailNow(t, "not within a minute", "run %d begins", run)
		}
	}
}

// admin plays an admin of the dialect: it refuses callbacks of another shape.
func (d *dialect) admin(m message) string {
	if strings.HasSuffix(m.path(), "/callback") && d.adminRefuses != "" && strings.HasPrefix(m.body, "[") {
		return tomcat(d.adminRefuses)
	}
	return tomcat(d.adminOK)
}

// reported waits for the result of a run and gives it; there must be just one.
func (d *dialect) reported(t *testing.T, p *peer, run int64) map[string]any {
	t.Helper()
	var found []map[string]any
	eventually(t, 10*time.Second, func() bool {
		found = nil
		for _, m := range p.sent(d.base + "/api/callback") {
			for _, cb := range d.callbacks(t, m.body) {
				if cb["logId"] == float64(run) {
					found = append(found, cb)
				}
			}
		}
		return len(found) > 0
	}, "run %d is reported", run)
	require.Len(t, found, 1)
	return found[0]
}

// callbacks reads a body as the dialect's admin does; nil if it would refuse it.
func (d *dialect) callbacks(t *testing.T, body string) (list []map[string]any) {
	t.Helper()
	switch wrapped := strings.HasPrefix(body, "{"); {
	case wrapped && d.adminRefuses != "":
		var object struct{ CallbackList []map[string]any }
		require.NoError(t, json.Unmarshal([]byte(body), &object))
		return object.CallbackList
	case wrapped || d.adminRefuses != "":
		return nil
	default:
		require.NoError(t, json.Unmarshal([]byte(body), &list))
		return list
	}
}

const (
	ok   = `{"code":200,"msg":"Success"}`
	none = `{"code":200,"msg":"Success","content":"job thread already killed.","data":"job thread already killed."}`
)

func fails(msg string) string { return fmt.Sprintf(`{"code":500,"msg":"%s"}`, msg) }

// request is a trigger as XXL-JOB's admins write it.
type request struct {
	job, log             int64
	handler, param, kind string
	block                string
	timeout              int
}

func (r request) body() string {
	if r.kind == "" {
		r.kind = "BEAN"
	}
	return fmt.Sprintf(`{"jobId":%d,"executorHandler":"%s","executorParams":"%s","executorBlockStrategy":"%s","executorTimeout":%d,`+
		`"logId":%d,"logDateTime":1586629003729,"glueType":"%s","glueSource":"","glueUpdatetime":1586629003727,"broadcastIndex":0,"broadcastTotal":1}`,
		r.job, r.handler, r.param, r.block, r.timeout, r.log, r.kind)
}

// TestExecutor_AndAdminsOfEveryDialect drives our executor as the admin of each
// generation does, and receives its results as that one would.
func TestExecutor_AndAdminsOfEveryDialect(t *testing.T) {
	t.Parallel()
	for i := range dialects {
		if d := &dialects[i]; d.adminOK != "" && d.name != "Go client" {
			t.Run(d.name, func(t *testing.T) {
				t.Parallel()
				servesADay(t, d)
			})
		}
	}
}

func servesADay(t *testing.T, d *dialect) {
	p := newPeer(t, d.admin)
	e := startExecutor(t, "http://"+p.addr+d.base)
	m := p.next(t, d.base+"/api/registry", 1)
	for name, want := range map[string]string{"Content-Type": "application/json;charset=UTF-8", "XXL-JOB-ACCESS-TOKEN": token, "XXL-JOB-APPNAME": appName} {
		got, _ := m.header(name)
		require.Equal(t, want, got, name)
	}
	require.True(t, strings.HasPrefix(m.body, fmt.Sprintf(`{"registryGroup":"EXECUTOR","registryKey":"%s","registryValue":"http://%s/"`, appName, e.addr)), m.body)

	call := func(path, body, want string) { t.Helper(); answers(t, e.addr, d.post(path, body), want) }
	answers(t, e.addr, d.beat(), ok)
	call("/idleBeat", `{"jobId":5}`, ok)

	param := escaped3
	if d.kept == "A" {
		param = escaped2
	}
	call(d.run, request{job: 1, log: 101, handler: "demo", param: param}.body(), ok)
	cb := d.reported(t, p, 101)
	require.Equal(t, 200.0, cb["handleCode"])
	require.Equal(t, "echo "+awkward, cb["handleMsg"])
	require.Equal(t, 1586629003729.0, cb["logDateTim"], "what 3.4 and earlier read")
	require.Equal(t, 1586629003729.0, cb["logDateTime"], "what 3.5 reads")
	require.Contains(t, readLog(t, e, d, 101, 1).LogContent, "param "+awkward)

	call(d.run, request{job: 2, log: 102, handler: "fail"}.body(), ok)
	cb = d.reported(t, p, 102)
	require.Equal(t, "500 boom <b>", fmt.Sprint(cb["handleCode"], " ", cb["handleMsg"]))

	call(d.run, request{job: 3, log: 103, handler: "hold", timeout: 1}.body(), ok)
	cb = d.reported(t, p, 103)
	require.Equal(t, "502 job execute timeout ", fmt.Sprint(cb["handleCode"], " ", cb["handleMsg"]))

	// A kill ends the run and what waits behind it.
	call(d.run, request{job: 5, log: 104, handler: "hold"}.body(), ok)
	e.holds(t, 104)
	call(d.run, request{job: 5, log: 105, handler: "hold"}.body(), ok)
	call("/idleBeat", `{"jobId":5}`, fails("job thread is running or has trigger queue."))
	call("/kill", `{"jobId":5}`, ok)
	require.Equal(t, "scheduling center kill job. [job running, killed]", d.reported(t, p, 104)["handleMsg"])
	require.Equal(t, "scheduling center kill job. [job not executed, in the job queue, killed.]", d.reported(t, p, 105)["handleMsg"])
	call("/kill", `{"jobId":77}`, none)

	call(d.run, request{job: 6, log: 106, handler: "hold"}.body(), ok)
	e.holds(t, 106)
	call(d.run, request{job: 6, log: 107, handler: "hold", block: "DISCARD_LATER"}.body(), fails("block strategy effect：Discard Later"))
	call(d.run, request{job: 6, log: 108, handler: "demo", block: "COVER_EARLY"}.body(), ok)
	require.Equal(t, "block strategy effect：Cover Early [job running, killed]", d.reported(t, p, 106)["handleMsg"])
	require.Equal(t, 200.0, d.reported(t, p, 108)["handleCode"])

	call(d.run, request{job: 7, log: 109, handler: "nowhere"}.body(), fails("job handler [nowhere] not found."))
	call(d.run, request{job: 7, log: 110, kind: "GLUE_COBOL"}.body(), fails("glueType[GLUE_COBOL] is not valid."))

	// Its shutdown reports what it cuts short, then leaves the registry.
	call(d.run, request{job: 8, log: 111, handler: "hold"}.body(), ok)
	e.holds(t, 111)
	e.stop()
	require.Equal(t, "web container destroy and kill the job. [job running, killed]", d.reported(t, p, 111)["handleMsg"])
	m = p.next(t, d.base+"/api/registryRemove", 1)
	require.JSONEq(t, fmt.Sprintf(`{"registryGroup":"EXECUTOR","registryKey":"%s","registryValue":"http://%s/"}`, appName, e.addr), m.body)
	require.Len(t, p.sent(d.base+"/api/registryRemove"), 1)
}

// logResult is a log answer's payload.
type logResult struct {
	FromLineNum, ToLineNum int
	LogContent             string
	IsEnd                  bool
}

// readLog asks for a log in the dialect's words and reads the answer's member that the
// dialect reads; the other one must hold the same.
func readLog(t *testing.T, e *node, d *dialect, log, from int64) logResult {
	t.Helper()
	m := exchange(t, e.addr, d.post("/log", fmt.Sprintf(`{"%s":1586629003729,"logId":%d,"fromLineNum":%d}`, d.logTime, log, from)))
	var answer struct {
		Code          int
		Content, Data logResult
	}
	require.NoError(t, json.Unmarshal([]byte(m.body), &answer), m.body)
	require.Equal(t, 200, answer.Code)
	require.Equal(t, answer.Content, answer.Data)
	return answer.Data
}

// TestExecutor_AnswersByteForByte goes through the checks of the executor's API in their
// order, and through what is read leniently.
func TestExecutor_AnswersByteForByte(t *testing.T) {
	t.Parallel()
	p := newPeer(t, func(message) string { return tomcat(adminOK) })
	e := startExecutor(t, "http://"+p.addr)
	d := &dialects[3]
	without := func(request string) string {
		return strings.Replace(request, "XXL-JOB-ACCESS-TOKEN: "+token+"\r\n", "", 1)
	}
	wrong := func(request string) string { return strings.Replace(request, ": "+token, ": default_token", 1) }
	missing := `{"fromLineNum":3,"toLineNum":0,"logContent":"readLog fail, logFile not exists","isEnd":true}`
	missing = fmt.Sprintf(`{"code":200,"msg":"Success","content":%[1]s,"data":%[1]s}`, missing)
	for _, c := range []struct{ name, request, want string }{
		{"beat without a length", d.bare("/beat", "", ""), ok},
		{"beat with two quotes", d.post("/beat", `""`), ok},
		{"beat with an empty body", d.post("/beat", ""), ok},
		{"beat with an object", d.post("/beat", `{}`), ok},
		{"GET", "GET /beat HTTP/1.1\r\nHost: peer\r\n\r\n", fails("invalid request, HttpMethod not support.")},
		{"GET before path", "GET /nothing HTTP/1.1\r\nHost: peer\r\n\r\n", fails("invalid request, HttpMethod not support.")},
		{"beat without a token", without(d.bare("/beat", "", "")), fails("The access token is wrong.")},
		{"wrong token", wrong(d.post("/beat", "")), fails("The access token is wrong.")},
		{"wrong token before path", wrong(d.post("/nothing", "")), fails("The access token is wrong.")},
		{"unknown path", d.post("/nothing", ""), fails("invalid request, uri-mapping(/nothing) not found.")},
		{"query", d.post("/beat?x=1", ""), fails("invalid request, uri-mapping(/beat?x=1) not found.")},
		{"slash", d.post("/run/", "{}"), fails("invalid request, uri-mapping(/run/) not found.")},
		{"two slashes", d.post("//run", "{}"), fails("invalid request, uri-mapping(//run) not found.")},
		{"capitals", d.post("/Run", "{}"), fails("invalid request, uri-mapping(/Run) not found.")},
		{"root", d.post("/", "{}"), fails("invalid request, uri-mapping(/) not found.")},

		{"numbers as strings", d.post("/idleBeat", `{"jobId":"5"}`), ok},
		{"unknown members", d.post("/idleBeat", `{"new":[{}],"jobId":5,"z":null}`), ok},
		{"kill with a number as a string", d.post("/kill", `{"jobId":"77"}`), none},
		{"log of nothing, 3.4", d.post("/log", `{"logDateTim":1586629003729,"logId":9,"fromLineNum":3}`), missing},
		{"log of nothing, 3.5", d.post("/log", `{"logId":9,"logDateTime":1586629003729,"fromLineNum":3}`), missing},
		{"log of nothing, strings", d.post("/log", `{"logId":"9","logDateTim":"1586629003729","fromLineNum":"3"}`), missing},
		{"run of nothing", d.post("/run", `{"jobId":1,"logId":2,"glueType":"BEAN"}`), fails("job handler [] not found.")},
		{"run of 3.5", d.post("/trigger", `{"jobId":1,"logId":2,"glueType":"BEAN","executorHandler":"no"}`), fails("job handler [no] not found.")},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			answers(t, e.addr, c.request, c.want)
		})
	}
	for _, path := range []string{"/run", "/trigger", "/kill", "/idleBeat", "/log"} {
		for _, body := range []string{"", "{", "[]", `""`, "7", `{"jobId":"x","logId":"x"}`, "\xff\x00", "<html>"} {
			t.Run(fmt.Sprintf("%s %q", path, body), func(t *testing.T) {
				t.Parallel()
				m := exchange(t, e.addr, d.post(path, body))
				require.Equal(t, "HTTP/1.1 200 OK", m.head[0])
				require.True(t, strings.HasPrefix(m.body, `{"code":500,"msg":"request error:`), m.body)
			})
		}
	}
}

// TestExecutor_RepeatedTrigger: an admin that got no answer asks again with the same log
// id, be it waiting, running or done.
func TestExecutor_RepeatedTrigger(t *testing.T) {
	t.Parallel()
	d := &dialects[3]
	p := newPeer(t, d.admin)
	e := startExecutor(t, "http://"+p.addr)
	running, waiting := request{job: 1, log: 201, handler: "hold"}, request{job: 1, log: 202, handler: "hold"}
	for range 3 {
		answers(t, e.addr, d.post("/run", running.body()), ok)
		answers(t, e.addr, d.post("/run", waiting.body()), ok)
	}
	e.release <- struct{}{}
	e.release <- struct{}{}
	for _, r := range []request{running, waiting} {
		require.Equal(t, 200.0, d.reported(t, p, r.log)["handleCode"])
		answers(t, e.addr, d.post("/run", r.body()), ok)
	}
	// A new run of the job proves that nothing of the above waits in its queue.
	answers(t, e.addr, d.post("/run", request{job: 1, log: 203, handler: "demo"}.body()), ok)
	require.Equal(t, 200.0, d.reported(t, p, 203)["handleCode"])
	for _, r := range []request{running, waiting} {
		d.reported(t, p, r.log)
	}
}

// TestExecutor_LogLines reads a log piece by piece as XXL-JOB's admins do.
func TestExecutor_LogLines(t *testing.T) {
	t.Parallel()
	d := &dialects[3]
	p := newPeer(t, d.admin)
	e := startExecutor(t, "http://"+p.addr)
	answers(t, e.addr, d.post("/run", request{job: 1, log: 301, handler: "demo", param: "x"}.body()), ok)
	d.reported(t, p, 301)
	whole := readLog(t, e, d, 301, 1)
	lines := strings.SplitAfter(strings.TrimSuffix(whole.LogContent, "\n"), "\n")
	require.Equal(t, len(lines), whole.ToLineNum)
	require.True(t, strings.HasSuffix(whole.LogContent, "\n"), "every line ends")
	from2 := readLog(t, e, d, 301, 2)
	require.Equal(t, strings.Join(lines[1:], ""), strings.TrimSuffix(from2.LogContent, "\n"))
	require.Equal(t, []int{2, len(lines)}, []int{from2.FromLineNum, from2.ToLineNum})
	beyond := readLog(t, e, d, 301, int64(len(lines))+1)
	require.Equal(t, []int{len(lines) + 1, 0}, []int{beyond.FromLineNum, beyond.ToLineNum}, "3.3 and later say line 0")
	require.Empty(t, beyond.LogContent)
}
