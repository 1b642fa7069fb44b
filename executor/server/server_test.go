package server

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gluewheel/gluewheel/executor/protocol"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// fasthttp's pool of a stopped server cleans once more before it ends, and its
		// first server keeps a clock for the rest of the process.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
	)
}

// fakeExecutor notes what it was asked; job 5 is busy, job 6 has no queue, run 500 is refused.
type fakeExecutor struct {
	mu       sync.Mutex
	accepted []protocol.Trigger
	kills    []protocol.Kill
	reads    []protocol.LogRequest
}

func (f *fakeExecutor) Accept(_ context.Context, triggers []protocol.Trigger) []protocol.BatchResult {
	f.mu.Lock()
	defer f.mu.Unlock()
	results := make([]protocol.BatchResult, 0, len(triggers))
	for _, t := range triggers {
		r := protocol.BatchResult{LogID: t.LogID, Code: protocol.CodeOK}
		if t.LogID == 500 {
			r.Code, r.Msg = protocol.CodeFail, protocol.MsgDiscardLater
		}
		results = append(results, r)
		f.accepted = append(f.accepted, t)
	}
	return results
}

func (f *fakeExecutor) Busy(jobID int32) bool { return jobID == 5 }

func (f *fakeExecutor) Kill(k protocol.Kill) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kills = append(f.kills, k)
	return k.JobID != 6
}

func (f *fakeExecutor) Log(r protocol.LogRequest) (protocol.LogResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reads = append(f.reads, r)
	switch r.LogID {
	case 500:
		return protocol.LogResult{}, errors.New("disk on fire")
	case 501:
		panic("a bug")
	}
	return protocol.LogResult{FromLineNum: r.FromLineNum, ToLineNum: 2, LogContent: "a\n<b>&'\u2028\n", IsEnd: true}, nil
}

func setup(t *testing.T) (addr string, executor *fakeExecutor) {
	t.Helper()
	executor = &fakeExecutor{}
	s, err := New(Config{Token: "tok", Executor: executor})
	require.NoError(t, err)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var serve sync.WaitGroup
	serve.Go(func() { _ = s.Serve(ln) })
	t.Cleanup(func() {
		require.NoError(t, s.Shutdown(context.Background()))
		serve.Wait()
	})
	return ln.Addr().String(), executor
}

// raw writes a request as it is and gives the answer's status and body.
func raw(t *testing.T, addr, request string) (int, string) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(30*time.Second)))
	_, err = io.WriteString(conn, request)
	require.NoError(t, err)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(body)
}

// post is a request as the 2.4 admin sends it.
func post(path, body string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nContent-Type: application/json;charset=UTF-8\r\n"+
		"Accept-Charset: application/json;charset=UTF-8\r\nXXL-JOB-ACCESS-TOKEN: tok\r\nUser-Agent: Java/17.0.15\r\n"+
		"Host: x\r\nConnection: keep-alive\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
}

const (
	ok      = `{"code":200,"msg":"Success"}`
	trigger = `{"jobId":1,"executorHandler":"demo","executorParams":"","executorBlockStrategy":"SERIAL_EXECUTION",` +
		`"executorTimeout":0,"logId":101,"logDateTime":1586629003729,"glueType":"BEAN","glueSource":"",` +
		`"glueUpdatetime":1586629003727,"broadcastIndex":0,"broadcastTotal":1}`
)

func failure(msg string) string {
	quoted, _ := json.Marshal(msg)
	return fmt.Sprintf(`{"code":500,"msg":%s}`, quoted)
}

func TestServer_Answers(t *testing.T) {
	t.Parallel()
	addr, _ := setup(t)
	noLength := strings.Replace(post("/beat", ""), "Content-Length: 0\r\n", "", 1)
	cases := map[string]struct{ request, want string }{
		"beat of 2.2":              {post("/beat", ""), ok},
		"beat of 2.3":              {post("/beat", `""`), ok},
		"beat of 3.3":              {noLength, ok},
		"beat with a query":        {post("/beat?x=1", ""), failure("invalid request, uri-mapping(/beat?x=1) not found.")},
		"beat with a slash":        {post("/beat/", ""), failure("invalid request, uri-mapping(/beat/) not found.")},
		"beat in capitals":         {post("/BEAT", ""), failure("invalid request, uri-mapping(/BEAT) not found.")},
		"two slashes":              {post("//run", trigger), failure("invalid request, uri-mapping(//run) not found.")},
		"GET":                      {"GET /beat HTTP/1.1\r\nHost: x\r\n\r\n", failure(protocol.MsgBadMethod)},
		"no token":                 {strings.Replace(post("/beat", ""), "XXL-JOB-ACCESS-TOKEN: tok\r\n", "", 1), failure(protocol.MsgBadToken)},
		"wrong token":              {strings.Replace(post("/run", trigger), ": tok", ": tic", 1), failure(protocol.MsgBadToken)},
		"token before path":        {strings.Replace(post("/nowhere", ""), ": tok", ": tic", 1), failure(protocol.MsgBadToken)},
		"lower-case header":        {strings.Replace(post("/beat", ""), "XXL-JOB-ACCESS-TOKEN", "xxl-job-access-token", 1), ok},
		"idle":                     {post("/idleBeat", `{"jobId":4}`), ok},
		"busy":                     {post("/idleBeat", `{"jobId":5}`), failure(protocol.MsgBusy)},
		"busy, id as a string":     {post("/idleBeat", `{"jobId":"5"}`), failure(protocol.MsgBusy)},
		"run":                      {post("/run", trigger), ok},
		"run of dialect C":         {post("/trigger", trigger), ok},
		"run with unknown members": {post("/run", `{"jobId":1,"logId":2,"new":{"a":[1]},"glueType":null}`), ok},
		"run with escapes":         {post("/run", `{"jobId":1,"logId":3,"executorParams":"\u003cb\u003e\u0026\u003d\u0027"}`), ok},
		"run refused":              {post("/run", `{"jobId":1,"logId":500}`), failure(protocol.MsgDiscardLater)},
		"run without a body":       {post("/run", ""), failure("request error:the request has no body")},
		"kill":                     {post("/kill", `{"jobId":7}`), ok},
		"kill of nothing":          {post("/kill", `{"jobId":6}`), `{"code":200,"msg":"Success","content":"job thread already killed.","data":"job thread already killed."}`},
		"log that cannot be read":  {post("/log", `{"logId":500}`), failure("request error:disk on fire")},
		"a bug":                    {post("/log", `{"logId":501}`), failure("a bug")},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, body := raw(t, addr, c.request)
			require.Equal(t, http.StatusOK, status)
			require.JSONEq(t, c.want, body)
		})
	}
}

func TestServer_UnreadableInput(t *testing.T) {
	t.Parallel()
	addr, executor := setup(t)
	for _, body := range []string{
		`{`, `[]`, `""`, `null x`, `{"jobId":"seven","logId":1}`, `{"jobId":1.5,"logId":1}`,
		`{"jobId":1,"logId":1,"executorParams":{}}`, "\xff\xfe", `{"jobId":99999999999999999999,"logId":1}`,
	} {
		status, answer := raw(t, addr, post("/run", body))
		require.Equal(t, http.StatusOK, status)
		require.Contains(t, answer, `"code":500,"msg":"request error:`, body)
	}
	require.Empty(t, executor.accepted)
}

func TestServer_HugeBody(t *testing.T) {
	t.Parallel()
	addr, executor := setup(t)
	head, _, _ := strings.Cut(post("/run", strings.Repeat("x", protocol.MaxBody+1)), "\r\n\r\n")
	status, answer := raw(t, addr, head+"\r\n\r\n")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, answer, "request error:")
	require.Empty(t, executor.accepted)
}

func TestServer_RunTakesEveryMember(t *testing.T) {
	t.Parallel()
	addr, executor := setup(t)
	_, body := raw(t, addr, post("/run", `{"jobId":"1","executorHandler":"h","executorParams":"p","executorBlockStrategy":"COVER_EARLY",`+
		`"executorTimeout":"9","logId":101,"logDateTime":1586629003729,"glueType":"GLUE_LUA","glueSource":"print()",`+
		`"glueUpdatetime":1586629003727,"broadcastIndex":1,"broadcastTotal":2,`+
		`"gluewheel":{"epoch":3,"attempt":1,"version":4,"digest":"sha256:ab","artifact":true,"manifest":{"hosts":["x"]},"idempotent":true}}`))
	require.JSONEq(t, ok, body)
	require.Equal(t, protocol.Trigger{
		JobID: 1, ExecutorHandler: "h", ExecutorParams: "p", BlockStrategy: protocol.BlockCover, TimeoutS: 9, LogID: 101,
		LogDateTimeMS: 1586629003729, GlueType: "GLUE_LUA", GlueSource: "print()", GlueUpdateMS: 1586629003727,
		BroadcastIndex: 1, BroadcastTotal: 2,
		Gluewheel: &protocol.TriggerX{
			Epoch: 3, Attempt: 1, Version: 4, Digest: "sha256:ab", Artifact: true,
			Manifest: json.RawMessage(`{"hosts":["x"]}`), Idempotent: true,
		},
	}, executor.accepted[0])
}

func TestServer_Batch(t *testing.T) {
	t.Parallel()
	addr, executor := setup(t)
	_, body := raw(t, addr, post("/gw/run", `{"triggers":[{"jobId":1,"logId":1},{"jobId":1,"logId":500},{"jobId":2,"logId":3}]}`))
	require.JSONEq(t, `{"code":200,"results":[{"logId":1,"code":200},{"logId":500,"code":500,"msg":"block strategy effect：Discard Later"},{"logId":3,"code":200}]}`, body)
	require.Len(t, executor.accepted, 3)
	_, body = raw(t, addr, post("/gw/run", `{"triggers":[]}`))
	require.JSONEq(t, `{"code":200,"results":[]}`, body)
}

func TestServer_KillOfOneRun(t *testing.T) {
	t.Parallel()
	addr, executor := setup(t)
	raw(t, addr, post("/kill", `{"jobId":7,"logId":"9"}`))
	require.Equal(t, []protocol.Kill{{JobID: 7, LogID: 9}}, executor.kills)
}

func TestServer_Log(t *testing.T) {
	t.Parallel()
	addr, executor := setup(t)
	payload := `{"fromLineNum":1,"toLineNum":2,"logContent":"a\n<b>&'\u2028\n","isEnd":true}`
	want := fmt.Sprintf(`{"code":200,"msg":"Success","content":%s,"data":%s}`, payload, payload)
	for _, body := range []string{
		`{"logDateTim":1586629003729,"logId":9,"fromLineNum":1}`,
		`{"logId":9,"logDateTime":1586629003729,"fromLineNum":1}`,
	} {
		_, answer := raw(t, addr, post("/log", body))
		require.JSONEq(t, want, answer)
	}
	require.EqualValues(t, 1586629003729, executor.reads[0].LogDateTim)
	require.EqualValues(t, 1586629003729, executor.reads[1].LogDateTime)
}

// TestServer_TriggersOutliveTheirRequest looks for texts that a later request on the
// same connection overwrites: fiber reuses its buffers.
func TestServer_TriggersOutliveTheirRequest(t *testing.T) {
	t.Parallel()
	addr, executor := setup(t)
	conn, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	defer conn.Close()
	reader := bufio.NewReader(conn)
	const n = 200
	for id := range n {
		_, err := io.WriteString(conn, post("/run", fmt.Sprintf(`{"jobId":1,"logId":%d,"executorParams":"param %06d"}`, id+1, id+1)))
		require.NoError(t, err)
		resp, err := http.ReadResponse(reader, nil)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, resp.Body)
		require.NoError(t, err)
	}
	require.Len(t, executor.accepted, n)
	require.True(t, slices.IsSortedFunc(executor.accepted, func(a, b protocol.Trigger) int { return int(a.LogID - b.LogID) }))
	for _, tr := range executor.accepted {
		require.Equal(t, fmt.Sprintf("param %06d", tr.LogID), tr.ExecutorParams)
	}
}

func TestNew_FailsClosed(t *testing.T) {
	t.Parallel()
	_, err := New(Config{Executor: &fakeExecutor{}})
	require.ErrorContains(t, err, "token")
	_, err = New(Config{Token: "t"})
	require.ErrorContains(t, err, "Executor")
}
