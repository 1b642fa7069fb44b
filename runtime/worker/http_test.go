package worker_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/runtime"
	rt "github.com/gluewheel/gluewheel/runtime/runtimetest"
	"github.com/gluewheel/gluewheel/runtime/worker"
)

// serve starts a server and gives its host.
func serve(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			<-r.Context().Done()
			return
		}
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Seen", r.Header.Get("X-Name"))
		w.WriteHeader(http.StatusCreated)
		_, _ = fmt.Fprintf(w, "%s %s %s", r.Method, r.URL.Path, body)
	}))
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	return "127.0.0.1:" + port
}

func allowLoopback(c *worker.Config) {
	c.HTTP.Networks = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
}

func granted(src runtime.Source, hosts ...string) runtime.Source {
	src.Key += fmt.Sprint(hosts)
	src.Grants.Hosts = hosts
	return src
}

func TestEngine_HTTP(t *testing.T) {
	t.Parallel()
	host := serve(t)
	engine := newEngine(t, allowLoopback)
	for name, src := range map[string]runtime.Source{
		"Lua": luaSource(`
			local base = gw.param()
			local a = gw.http.get(base .. "/a")
			local b = gw.http.post(base .. "/b", "body", {headers = {["x-name"] = "n"}})
			local c = gw.http.request{method = "put", url = base .. "/c", body = "x"}
			return table.concat({a.status, a.body, b.body, b.headers["x-seen"], c.body}, ",")`),
		"JavaScript": jsSource(`
			const base = gw.param();
			const [a, b, c] = await Promise.all([
				gw.http.get(base + "/a"),
				gw.http.post(base + "/b", "body", { headers: { "x-name": "n" } }),
				gw.http.request({ method: "put", url: base + "/c", body: "x" }),
			]);
			[a.status, a.body, b.body, b.headers["x-seen"], c.body].join()`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, _ := run(t.Context(), t, engine, granted(src, host), runtime.Request{Param: "http://" + host})
			require.Equal(t, runtime.Succeeded, result.Kind, result.Message)
			require.Equal(t, "201,GET /a ,POST /b body,n,PUT /c x", result.Message)
			require.EqualValues(t, 4, result.Usage.HostCalls)
		})
	}
}

func TestEngine_HTTPIsDenied(t *testing.T) {
	t.Parallel()
	host := serve(t)
	lua := luaSource(`local ok, why = pcall(gw.http.get, "http://" .. gw.param() .. "/"); return why`)
	js := jsSource(`try { await gw.http.get("http://" + gw.param() + "/"); "done" } catch (e) { e.message }`)
	public, local := newEngine(t), newEngine(t, allowLoopback)
	nowhere := newEngine(t, func(c *worker.Config) { c.HTTP.Hosts = []string{} })
	for name, c := range map[string]struct {
		engine *worker.Engine
		src    runtime.Source
		want   string
	}{
		"Lua without a grant":        {local, lua, "gw.http.get: host " + host + ": not granted to this version"},
		"JavaScript without a grant": {local, js, "gw.http.get: host " + host + ": not granted to this version"},
		"Lua to loopback":            {public, granted(lua, host), "127.0.0.1 is not a public one"},
		"JavaScript to loopback":     {public, granted(js, host), "127.0.0.1 is not a public one"},
		"an executor without http":   {nowhere, granted(lua, host), "this executor does not allow it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, _ := run(t.Context(), t, c.engine, c.src, runtime.Request{Param: host})
			require.Equal(t, runtime.Succeeded, result.Kind, result.Message)
			require.Contains(t, result.Message, c.want)
		})
	}
}

func TestEngine_HTTPEndsWithTheRun(t *testing.T) {
	t.Parallel()
	host := serve(t)
	engine := newEngine(t, allowLoopback)
	for name, src := range map[string]runtime.Source{
		"Lua":             luaSource(`gw.http.get("http://" .. gw.param() .. "/slow")`),
		"JavaScript":      jsSource(`await gw.http.get("http://" + gw.param() + "/slow")`),
		"many at a time":  jsSource(`await Promise.all(Array.from({ length: 100 }, () => gw.http.get("http://" + gw.param() + "/slow")))`),
		"again and again": luaSource(`while true do pcall(gw.http.get, "http://" .. gw.param() .. "/slow") end`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeoutCause(t.Context(), 500*time.Millisecond, runtime.ErrTimeout)
			defer cancel()
			started := time.Now()
			result, _ := run(ctx, t, engine, granted(src, host), runtime.Request{Param: host})
			require.Equal(t, runtime.TimedOut, result.Kind, result.Message)
			require.Less(t, time.Since(started), 30*time.Second)
		})
	}
}

// TestEngine_HTTPOfWASM makes a request through gluewheel.call.
func TestEngine_HTTPOfWASM(t *testing.T) {
	t.Parallel()
	host := serve(t)
	const name = "http.get"
	arguments := `["http://` + host + `/a"]`
	call := rt.From("gluewheel", "call", []byte{rt.I32, rt.I32, rt.I32, rt.I32}, []byte{rt.I32})
	answer := rt.From("gluewheel", "answer", []byte{rt.I32, rt.I32}, []byte{rt.I32})
	module := rt.Module{
		Imports: []rt.Import{call, answer, setText},
		Pages:   1,
		Data:    []byte(name + arguments),
		Funcs: []rt.Func{{Export: "_start", Body: rt.Body(
			rt.I32Const, 0, rt.I32Const, rt.Int(int64(len(name))), rt.I32Const, rt.Int(int64(len(name))), rt.I32Const, rt.Int(int64(len(arguments))), rt.Call, 0, rt.Drop,
			rt.I32Const, rt.Int(1000), rt.I32Const, rt.Int(1000), rt.Call, 1, rt.Drop,
			rt.I32Const, rt.Int(1000), rt.I32Const, rt.Int(100), rt.Call, 2)}},
	}
	src := granted(wasmSource(module.Encode()), host)
	result, _ := run(t.Context(), t, newEngine(t, allowLoopback), src, runtime.Request{})
	require.Equal(t, runtime.Succeeded, result.Kind, result.Message)
	require.Contains(t, result.Message, `{"results":[{"body":"GET /a "`)
	require.EqualValues(t, 2, result.Usage.HostCalls)
}
