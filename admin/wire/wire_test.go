package wire_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-json"
	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/wire"
)

func TestMain(m *testing.M) {
	// The clock of fasthttp's Date header lasts as long as the process, and its cleaner of
	// idle workers notices within 10 s that its server has ended.
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"))
}

// fakes stand behind the endpoints, and keep what they are given.
type fakes struct {
	beats   []job.Beat
	removed [][2]string
	endings []job.Ending
	jobs    fakeJobs
	sealed  map[string][]byte
	logged  bytes.Buffer
	err     error // of every call
}

func (f *fakes) Beat(b job.Beat) error {
	f.beats = append(f.beats, b)
	return f.err
}

func (f *fakes) Remove(_ context.Context, app, address string) error {
	f.removed = append(f.removed, [2]string{app, address})
	return f.err
}

func (f *fakes) Target(_ int32, address string) job.Target {
	return job.Target{Address: address, AppName: "app"}
}

func (f *fakes) EndStarted(_ context.Context, endings []job.Ending) error {
	f.endings = append(f.endings, endings...)
	return f.err
}

func (f *fakes) RunArtifact(_ context.Context, h job.Hold) (job.RunGrant, error) {
	if h != (job.Hold{RunID: 7, Epoch: 3}) {
		return job.RunGrant{}, job.ErrNotFound
	}
	return job.RunGrant{RunPlace: job.RunPlace{JobID: 1, GroupID: 2, Address: "http://e:1"}, Artifact: "sha256:x"}, f.err
}

// RunsOfGroups knows that runs below 100 are of group 1, and all others of group 2.
func (f *fakes) RunsOfGroups(_ context.Context, ids []int64, groups []int32) ([]int64, error) {
	return slices.DeleteFunc(slices.Clone(ids), func(id int64) bool {
		group := int32(2)
		if id < 100 {
			group = 1
		}
		return !slices.Contains(groups, group)
	}), f.err
}

func (f *fakes) ArtifactContent(context.Context, string) ([]byte, error) { return []byte("wasm"), nil }

type bundle struct {
	*fakes
	app *fiber.App
}

func setup(t *testing.T, token string) *bundle {
	t.Helper()
	return setupWith(t, token, fiber.Config{Immutable: true, DisableStartupMessage: true})
}

func setupWith(t *testing.T, token string, cfg fiber.Config) *bundle {
	t.Helper()
	b := &bundle{fakes: &fakes{jobs: newFakeJobs()}, app: fiber.New(cfg)}
	require.NoError(t, wire.Mount(b.app, wire.Deps{
		Access: newAccess(t, token), Registry: b, Complete: b, Grants: b, Artifacts: b, Runs: b, KV: b.store(),
		Secrets: newVault(t, b), Jobs: b.jobAPI(), Log: slog.New(slog.NewTextHandler(&b.logged, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}))
	return b
}

// call sends a request with the right token, unless headers say otherwise.
func (b *bundle) call(t *testing.T, method, path, body string, headers ...string) (int, string) {
	t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("XXL-JOB-ACCESS-TOKEN", "tok")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := b.app.Test(r, int(10*time.Second/time.Millisecond))
	require.NoError(t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(raw)
}

// msg sends a POST and gives the code and message of the envelope.
func (b *bundle) msg(t *testing.T, path, body string, headers ...string) (int, string) {
	t.Helper()
	status, raw := b.call(t, http.MethodPost, path, body, headers...)
	require.Equal(t, http.StatusOK, status)
	var e struct {
		Code int
		Msg  string
	}
	require.NoError(t, json.Unmarshal([]byte(raw), &e))
	return e.Code, e.Msg
}

const registration = `{"registryGroup":"EXECUTOR","registryKey":"app-test","registryValue":"http://127.0.0.1:9999/"}`

func TestServe_AnswersBothGenerations(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"/api", "/xxl-job-admin/api"} {
		b := setup(t, "tok")
		status, raw := b.call(t, http.MethodPost, prefix+"/registry", registration)
		require.Equal(t, http.StatusOK, status)
		require.JSONEq(t, `{"code":200,"msg":"Success","content":null,"data":null}`, raw)
		require.Len(t, b.beats, 1)
	}
}

func TestServe_RefusesInXXLJobsWords(t *testing.T) {
	t.Parallel()
	const wrong, app = "XXL-JOB-ACCESS-TOKEN", "XXL-JOB-APPNAME"
	for _, c := range []struct {
		name, token, path, body, msg string
		headers                      []string
	}{
		{"no name", "tok", "/api/", registration, "invalid request, uri-mapping empty.", nil},
		{"no body", "tok", "/api/registry", " ", "invalid request, requestBody empty.", nil},
		{"wrong token", "tok", "/api/registry", registration, "The access token is wrong.", []string{wrong, "no"}},
		{"no token", "tok", "/api/registry", registration, "The access token is wrong.", []string{wrong, ""}},
		{"no token configured", "", "/api/registry", registration, "The access token is wrong.", []string{wrong, ""}},
		{"3.5, wrong token", "tok", "/api/registry", registration, "invalid request, accessToken or appname invalid.", []string{wrong, "no", app, "app"}},
		{"3.5, no token", "tok", "/api/registry", registration, "invalid request, accessToken or appname is empty.", []string{wrong, "", app, "app"}},
		{"unknown name", "tok", "/api/nothing", registration, "invalid request, uri-mapping(nothing) not found.", nil},
		{"no app name", "tok", "/api/registry", `{"registryGroup":"EXECUTOR","registryValue":"http://a"}`, "Illegal Argument.", nil},
		{"blank address", "tok", "/api/registryRemove", `{"registryGroup":"EXECUTOR","registryKey":"a","registryValue":" "}`, "Illegal Argument.", nil},
		{"an address that cannot be called", "tok", "/api/registry", `{"registryGroup":"EXECUTOR","registryKey":"a","registryValue":"file:///etc"}`, "Illegal Argument.", nil},
		{"NUL", "tok", "/api/registry", `{"registryGroup":"EXECUTOR","registryKey":"a\u0000","registryValue":"http://a"}`, "Illegal Argument.", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, c.token)
			code, msg := b.msg(t, c.path, c.body, c.headers...)
			require.Equal(t, 500, code)
			require.Equal(t, c.msg, msg)
			require.Empty(t, b.beats)
		})
	}
	b := setup(t, "tok")
	status, raw := b.call(t, http.MethodGet, "/api/registry", "")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, raw, "invalid request, HttpMethod not support.")
	code, msg := b.msg(t, "/api/callback", "{broken")
	require.Equal(t, 500, code)
	require.True(t, strings.HasPrefix(msg, "openapi invoke error: "), msg)
}

func TestRegistry_TellsTheDialect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body, dialect string
		headers             []string
	}{
		{"2.4.2", registration, job.DialectA, []string{"User-Agent", "Java/17.0.15", "Accept-Charset", "application/json;charset=UTF-8"}},
		{"3.4.2", registration, job.DialectB, []string{"User-Agent", "Java/17.0.15", "Accept-Charset", "UTF-8"}},
		{"3.5", registration, job.DialectC, []string{"User-Agent", "Java/17.0.15", "Accept-Charset", "UTF-8", "XXL-JOB-APPNAME", "app-test"}},
		{"Go client", registration, "", []string{"User-Agent", "Go-http-client/1.1"}},
		{"ours", strings.TrimSuffix(registration, "}") + `,"gluewheel":{"protocol":1,"instance":"i","boot":"b","held":[1,2]}}`, job.DialectGluewheel, []string{"XXL-JOB-APPNAME", "app-test"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, "tok")
			code, msg := b.msg(t, "/xxl-job-admin/api/registry", c.body, c.headers...)
			require.Equal(t, 200, code, msg)
			require.Equal(t, c.dialect, b.beats[0].Dialect)
			require.Equal(t, "app-test", b.beats[0].AppName)
			require.Equal(t, "http://127.0.0.1:9999/", b.beats[0].Address)
			if c.dialect == job.DialectGluewheel {
				require.True(t, b.beats[0].Holds)
				require.Equal(t, []int64{1, 2}, b.beats[0].Held)
				require.Equal(t, "b", b.beats[0].BootID)
				require.Contains(t, string(b.beats[0].Info), `"held":null`, "held ids are no part of what is shown")
			}
		})
	}
}

func TestRegistryRemove(t *testing.T) {
	t.Parallel()
	b := setup(t, "tok")
	code, _ := b.msg(t, "/api/registryRemove", registration)
	require.Equal(t, 200, code)
	require.Equal(t, [][2]string{{"app-test", "http://127.0.0.1:9999/"}}, b.removed)
}

func TestCallback_ReadsEveryDialect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, body string }{
		{"2.2", `[{"logId":101,"logDateTim":1,"executeResult":{"code":500,"msg":"boom"}}]`},
		{"2.3 to 3.4", `[{"logId":101,"logDateTim":1586629003729,"handleCode":500,"handleMsg":"boom"}]`},
		{"3.5", `{"callbackList":[{"logId":101,"logDateTime":1,"handleCode":500,"handleMsg":"boom"}]}`},
		{"Go client", `[{"logId":101,"logDateTim":0,"executeResult":{"code":500,"msg":"boom"},"handleCode":500,"handleMsg":"boom"}]`},
		{"numbers as strings, unknown members", `[{"logId":"101","handleCode":"500","handleMsg":"\u0062oom","x":{}}]`},
		{"one alone", `{"logId":101,"handleCode":500,"handleMsg":"boom"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, "tok")
			code, msg := b.msg(t, "/api/callback", c.body)
			require.Equal(t, 200, code, msg)
			require.Equal(t, []job.Ending{{Result: job.Result{
				RunID: 101, State: job.Failed, Reason: job.ReasonHandlerFailed, Message: "boom", Code: 500,
			}}}, b.endings)
		})
	}
}

func TestCallback_MapsResults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, item, reason string
		state              job.State
	}{
		{"success without message", `"handleCode":200`, job.ReasonOK, job.Succeeded},
		{"timeout", `"handleCode":502,"handleMsg":"job execute timeout "`, job.ReasonTimeout, job.TimedOut},
		{"killed by a person", `"handleCode":500,"handleMsg":"scheduling center kill job. [job running, killed]"`, job.ReasonKilled, job.Killed},
		{"killed in the queue by COVER_EARLY", `"handleCode":500,"handleMsg":"block strategy effect：Cover Early [job not executed, in the job queue, killed.]"`, job.ReasonCoverEarly, job.Killed},
		{"killed by shutdown", `"handleCode":500,"handleMsg":"web container destroy and kill the job. [job running, killed]"`, job.ReasonShutdown, job.Killed},
		{"a text that only looks like it", `"handleCode":500,"handleMsg":"[job running, killed] not"`, job.ReasonHandlerFailed, job.Failed},
		{"no code", `"handleMsg":"x"`, job.ReasonHandlerFailed, job.Failed},
		{"ours", `"handleCode":500,"gluewheel":{"outcome":"failed","reason":"out_of_memory"}`, job.ReasonOutOfMemory, job.Failed},
		{"ours, nonsense outcome", `"handleCode":200,"gluewheel":{"outcome":"running","reason":"x"}`, job.ReasonOK, job.Succeeded},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, "tok")
			code, msg := b.msg(t, "/api/callback", `[{"logId":1,`+c.item+`}]`)
			require.Equal(t, 200, code, msg)
			require.Equal(t, c.state, b.endings[0].State)
			require.Equal(t, c.reason, b.endings[0].Reason)
		})
	}
}

func TestCallback_PlacesTheStartByItsDuration(t *testing.T) {
	t.Parallel()
	b := setup(t, "tok")
	code, _ := b.msg(t, "/api/callback", `[{"logId":1,"handleCode":200,"gluewheel":{"outcome":"succeeded","reason":"ok","started_ms":1000,"ended_ms":3601000}}]`)
	require.Equal(t, 200, code)
	require.WithinDuration(t, time.Now().Add(-time.Hour), b.endings[0].StartedAt, time.Minute)
}

func TestCallback_IsRefusedWhenNotStored(t *testing.T) {
	t.Parallel()
	b := setup(t, "tok")
	b.err = errors.New("database is away")
	code, msg := b.msg(t, "/api/callback", `[{"logId":1,"handleCode":200}]`)
	require.Equal(t, 500, code)
	require.Contains(t, msg, "database is away")
}

func TestCallback_IgnoresWhatIsNoRun(t *testing.T) {
	t.Parallel()
	b := setup(t, "tok")
	code, _ := b.msg(t, "/api/callback", `[{"logId":0,"handleCode":200},{"logId":-5,"handleCode":200}]`)
	require.Equal(t, 200, code)
	require.Empty(t, b.endings)
	code, _ = b.msg(t, "/api/callback", `{"callbackList":[]}`)
	require.Equal(t, 200, code)
}

func TestArtifact(t *testing.T) {
	t.Parallel()
	const app = "XXL-JOB-APPNAME"
	for _, c := range []struct {
		name, path string
		headers    []string
		status     int
	}{
		{"granted", "/gw/artifact/sha256:x?run=7&epoch=3", []string{app, "app"}, 200},
		{"wrong token", "/gw/artifact/sha256:x?run=7&epoch=3", []string{app, "app", "XXL-JOB-ACCESS-TOKEN", "no"}, 401},
		{"another executor", "/gw/artifact/sha256:x?run=7&epoch=3", []string{app, "other"}, 404},
		{"no app name", "/gw/artifact/sha256:x?run=7&epoch=3", nil, 404},
		{"escaped", "/gw/artifact/sha256%3Ax?run=7&epoch=3", []string{app, "app"}, 200},
		{"below the path of XXL-JOB's admins", "/xxl-job-admin/gw/artifact/sha256:x?run=7&epoch=3", []string{app, "app"}, 200},
		{"another group's token", "/gw/artifact/sha256:x?run=7&epoch=3", []string{app, "app", "XXL-JOB-ACCESS-TOKEN", ordersToken}, 401},
		{"the group's token", "/gw/artifact/sha256:x?run=7&epoch=3", []string{app, "app", "XXL-JOB-ACCESS-TOKEN", stockToken}, 200},
		{"another artifact", "/gw/artifact/sha256:y?run=7&epoch=3", []string{app, "app"}, 404},
		{"another epoch", "/gw/artifact/sha256:x?run=7&epoch=4", []string{app, "app"}, 404},
		{"no run", "/gw/artifact/sha256:x", []string{app, "app"}, 400},
		{"not a number", "/gw/artifact/sha256:x?run=a&epoch=3", []string{app, "app"}, 400},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			status, body := setup(t, "tok").call(t, http.MethodGet, c.path, "", c.headers...)
			require.Equal(t, c.status, status, body)
			require.Equal(t, c.status == 200, body == "wasm")
		})
	}
}

func FuzzCallback(f *testing.F) {
	for _, seed := range []string{`[{"logId":1,"handleCode":200}]`, `{"callbackList":[{"logId":"1"}]}`, `[`, `{}`, `[null]`, `"x"`, `{"callbackList":[null]}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		b := setup(t, "tok")
		code, _ := b.msg(t, "/api/callback", body)
		require.Contains(t, []int{200, 500}, code)
		for _, e := range b.endings {
			require.Positive(t, e.RunID)
			require.True(t, e.State.Terminal())
		}
	})
}
