package worker_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/glue"
	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/hostapi"
	"github.com/gluewheel/gluewheel/runtime/inproc"
	rt "github.com/gluewheel/gluewheel/runtime/runtimetest"
)

// shelf is a store of one job, and secrets.
type shelf struct {
	mu     sync.Mutex
	values map[string][]byte
	asked  []string // the secrets that were asked for
}

func (s *shelf) services() runtime.Services {
	return runtime.Services{KV: s.kv, Secret: s.secret}
}

func (s *shelf) kv(_ context.Context, r runtime.KVRequest) (answer runtime.KVResponse, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch answer.Value, answer.Found = s.values[r.Key]; r.Op {
	case runtime.KVGet:
		return answer, nil
	case runtime.KVSet:
		if s.values == nil {
			s.values = make(map[string][]byte)
		}
		s.values[r.Key] = r.Value
	case runtime.KVDelete:
		delete(s.values, r.Key)
		return runtime.KVResponse{Found: answer.Found}, nil
	case runtime.KVList:
		for key := range s.values {
			if strings.HasPrefix(key, r.Key) {
				answer.Keys = append(answer.Keys, key)
			}
		}
		slices.Sort(answer.Keys)
		return runtime.KVResponse{Keys: answer.Keys}, nil
	}
	return runtime.KVResponse{}, nil
}

const secretValue = "hunter2-and-more"

func (s *shelf) secret(_ context.Context, name string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, name)
	if name == "GONE" {
		return "", errors.New("there is no such secret")
	}
	return secretValue, nil
}

func withServices(src runtime.Source) runtime.Source {
	src.Key += "/services"
	src.Grants = runtime.Grants{KV: true, Secrets: []string{"API_KEY", "GONE"}}
	return src
}

func TestEngine_KV(t *testing.T) {
	t.Parallel()
	engine := newEngine(t)
	const want = `null,"v",a|b,true,false,2`
	for name, src := range map[string]runtime.Source{
		"Lua": luaSource(`
			local none = gw.kv.get("a")
			gw.kv.set("a", "v") gw.kv.set("b", 2)
			local keys = table.concat(gw.kv.list(), "|")
			local one = gw.kv.get("a")
			local was, again = gw.kv.delete("a"), gw.kv.delete("a")
			return table.concat({none == nil and "null" or "?", '"' .. one .. '"', keys, tostring(was), tostring(again), gw.kv.get("b")}, ",")`),
		"JavaScript": jsSource(`
			const none = await gw.kv.get("a");
			await gw.kv.set("a", "v"); await gw.kv.set("b", 2);
			const keys = (await gw.kv.list("")).join("|");
			const one = await gw.kv.get("a");
			const was = await gw.kv.delete("a"), again = await gw.kv.delete("a");
			[JSON.stringify(none), JSON.stringify(one), keys, was, again, await gw.kv.get("b")].join()`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &shelf{}
			result, _ := run(t.Context(), t, engine, withServices(src), runtime.Request{Services: s.services()})
			require.Equal(t, runtime.Succeeded, result.Kind, result.Message)
			require.Equal(t, want, result.Message)
			require.EqualValues(t, 8, result.Usage.HostCalls)
		})
	}
}

func TestEngine_KVIsBounded(t *testing.T) {
	t.Parallel()
	src := withServices(luaSource(`
		local function why(...) local ok, e = pcall(...) return tostring(e) end
		return table.concat({
			why(gw.kv.get, ""), why(gw.kv.set, string.rep("k", 201), ""), why(gw.kv.set, "k", string.rep("v", 65537)),
			why(gw.kv.get, "\255"), tostring(pcall(gw.kv.set, string.rep("k", 200), string.rep("v", 65536))),
		}, "\n")`))
	s := &shelf{}
	result, _ := run(t.Context(), t, newEngine(t), src, runtime.Request{Services: s.services()})
	require.Equal(t, runtime.Succeeded, result.Kind, result.Message)
	lines := strings.Split(result.Message, "\n")
	require.Contains(t, lines[0], "a key has 1 to 200 bytes, this one 0")
	require.Contains(t, lines[1], "this one 201")
	require.Contains(t, lines[2], "65536 are allowed")
	require.Contains(t, lines[3], "is not text")
	require.Equal(t, "true", lines[4])
	require.Len(t, s.values, 1)
	require.Len(t, s.values[strings.Repeat("k", glue.MaxKVKey)], glue.MaxKVValue)
}

func TestEngine_ServicesAreDeniedByDefault(t *testing.T) {
	t.Parallel()
	engine := newEngine(t)
	ungranted := func(src runtime.Source) runtime.Source { return src }
	for name, c := range map[string]struct {
		code     string
		grant    func(runtime.Source) runtime.Source
		services runtime.Services
		want     string
	}{
		"kv without a grant":     {`gw.kv.set("a", "b")`, ungranted, (&shelf{}).services(), "not granted to this version: its manifest must have kv"},
		"secret without a grant": {`gw.secret("API_KEY")`, ungranted, (&shelf{}).services(), `not granted to this version: its manifest must name the secret "API_KEY"`},
		"another secret":         {`gw.secret("OTHER")`, withServices, (&shelf{}).services(), `must name the secret "OTHER"`},
		"a secret that is gone":  {`gw.secret("GONE")`, withServices, (&shelf{}).services(), "there is no such secret"},
		"no name":                {`gw.secret("")`, withServices, (&shelf{}).services(), "not granted"},
		"kv of another admin":    {`gw.kv.get("a")`, withServices, runtime.Services{}, "does not offer it"},
		"secret of another one":  {`gw.secret("API_KEY")`, withServices, runtime.Services{}, "does not offer it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, _ := run(t.Context(), t, engine, c.grant(luaSource(c.code)), runtime.Request{Services: c.services})
			require.Equal(t, runtime.Failed, result.Kind)
			require.Contains(t, result.Message, c.want)
		})
	}
}

func TestEngine_SecretsAreMasked(t *testing.T) {
	t.Parallel()
	engine := newEngine(t)
	for name, src := range map[string]runtime.Source{
		"Lua": luaSource(`
			local key = gw.secret("API_KEY")
			print("the key is " .. key) gw.progress(50, key)
			if key ~= "hunter2-and-" .. "more" then error("wrong") end
			return "key=" .. key`),
		"JavaScript": jsSource(`
			const key = await gw.secret("API_KEY");
			console.log("the key is " + key); gw.progress(50, key);
			if (key !== "hunter2-and-" + "more") throw new Error("wrong");
			"key=" + key`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &shelf{}
			result, told := run(t.Context(), t, engine, withServices(src), runtime.Request{Services: s.services()})
			require.Equal(t, runtime.Succeeded, result.Kind, result.Message)
			require.Equal(t, "key=***", result.Message)
			require.Equal(t, []string{"the key is ***"}, told.lines)
			require.Equal(t, "***", told.note)
			require.Equal(t, []string{"API_KEY"}, s.asked)
		})
	}
}

// hostCall is a module whose result is the answer of gluewheel.call.
func hostCall(name, arguments string) []byte {
	call := rt.From("gluewheel", "call", []byte{rt.I32, rt.I32, rt.I32, rt.I32}, []byte{rt.I32})
	answer := rt.From("gluewheel", "answer", []byte{rt.I32, rt.I32}, []byte{rt.I32})
	size := func(s string) []byte { return rt.Int(int64(len(s))) }
	place := rt.Int(1000)
	return rt.Module{
		Imports: []rt.Import{call, answer, setText},
		Pages:   1,
		Data:    []byte(name + arguments),
		Funcs: []rt.Func{{Export: "_start", Body: rt.Body(
			rt.I32Const, 0, rt.I32Const, size(name), rt.I32Const, size(name), rt.I32Const, size(arguments), rt.Call, 0, rt.Drop,
			rt.I32Const, place, rt.I32Const, place, rt.I32Const, rt.Int(4000), rt.Call, 1, rt.Call, 2)}},
	}.Encode()
}

// TestEngine_ServicesOfWASM reaches them through gluewheel.call.
func TestEngine_ServicesOfWASM(t *testing.T) {
	t.Parallel()
	engine := newEngine(t)
	for name, c := range map[string]struct{ function, arguments, want string }{
		"set":    {"kv.set", `["a","v"]`, `{}`},
		"get":    {"kv.get", `["none"]`, `{"results":[null]}`},
		"list":   {"kv.list", `[]`, `{"results":[[]]}`},
		"secret": {"secret", `["API_KEY"]`, `{"results":["***"]}`},
		"base64": {"base64.encode", `["ab"]`, `{"results":["YWI="]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := withServices(wasmSource(hostCall(c.function, c.arguments)))
			result, _ := run(t.Context(), t, engine, src, runtime.Request{Services: (&shelf{}).services()})
			require.Equal(t, runtime.Succeeded, result.Kind, result.Message)
			require.Equal(t, c.want, result.Message)
		})
	}
}

// TestEngine_SameNamesEverywhere: what one language has under gw, the others have.
func TestEngine_SameNamesEverywhere(t *testing.T) {
	t.Parallel()
	engine := newEngine(t)
	names := []string{"json.encode", "json.decode", "log", "debug", "info", "warn", "error"}
	for _, f := range hostapi.Functions() {
		names = append(names, f.Name)
		result, _ := run(t.Context(), t, engine, wasmSource(hostCall(f.Name, "[]")), runtime.Request{})
		require.NotContains(t, result.Message, "no such function", f.Name)
	}
	for name, src := range map[string]runtime.Source{
		"Lua": luaSource(`
			local missing = ""
			for module, name in gw.param():gmatch("([%w_]+)%.?([%w_]*),") do
				local f = gw[module]
				if name ~= "" then f = f and f[name] end
				if type(f) ~= "function" then missing = missing .. " " .. module .. "." .. name end
			end
			return missing`),
		"JavaScript": jsSource(`
			gw.param().split(",").filter((n) => n && typeof n.split(".").reduce((v, part) => v?.[part], gw) !== "function").join(" ")`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, _ := run(t.Context(), t, engine, src, runtime.Request{Param: strings.Join(names, ",") + ","})
			require.Equal(t, runtime.Succeeded, result.Kind, result.Message)
			require.Empty(t, result.Message)
		})
	}
}

func TestEngine_ServicesEndWithTheRun(t *testing.T) {
	t.Parallel()
	engine := newEngine(t)
	slow := runtime.Services{
		KV: func(ctx context.Context, _ runtime.KVRequest) (runtime.KVResponse, error) {
			<-ctx.Done()
			return runtime.KVResponse{}, ctx.Err()
		},
		Secret: func(ctx context.Context, _ string) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		},
	}
	for name, src := range map[string]runtime.Source{
		"Lua kv":            luaSource(`gw.kv.get("a")`),
		"Lua again":         luaSource(`while true do pcall(gw.kv.set, "a", "b") end`),
		"JavaScript secret": jsSource(`await gw.secret("API_KEY")`),
		"JavaScript many":   jsSource(`await Promise.all(Array.from({ length: 100 }, () => gw.kv.get("a")))`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeoutCause(t.Context(), 500*time.Millisecond, runtime.ErrTimeout)
			defer cancel()
			started := time.Now()
			result, _ := run(ctx, t, engine, withServices(src), runtime.Request{Services: slow})
			require.Equal(t, runtime.TimedOut, result.Kind, result.Message)
			require.Less(t, time.Since(started), 30*time.Second)
		})
	}
}

// TestEngine_InprocIsNotForEveryExecutor: who does not allow it refuses the version.
func TestEngine_InprocIsNotForEveryExecutor(t *testing.T) {
	t.Parallel()
	src := wasmSource(hostCall("uuid", "[]"))
	src.Isolation = runtime.IsolationInproc
	engine := newEngine(t)
	_, err := engine.Prepare(t.Context(), src)
	require.ErrorContains(t, err, "--allow-inproc")

	trusting := inproc.New(inproc.Config{Sandbox: engine})
	t.Cleanup(func() { require.NoError(t, trusting.Close()) })
	result, told := run(t.Context(), t, trusting, src, runtime.Request{})
	require.Equal(t, runtime.Succeeded, result.Kind, result.Message)
	require.Contains(t, told.lines[0], "inside the executor's own process")
}
