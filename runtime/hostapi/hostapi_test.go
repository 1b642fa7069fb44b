package hostapi_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/hostapi"
)

func call(t *testing.T, h *hostapi.Host, name string, args ...any) ([]any, error) {
	t.Helper()
	for _, f := range hostapi.Functions() {
		if f.Name == name {
			return f.Call(t.Context(), h, args)
		}
	}
	require.Fail(t, "no function "+name)
	return nil, nil
}

func newHost(stop <-chan struct{}) *hostapi.Host {
	inv := runtime.Invocation{Param: "p", ShardIndex: 1, ShardTotal: 3}
	return hostapi.New(hostapi.Config{Invocation: inv, Stop: stop, Output: runtime.NewOutput(0, nil)})
}

func TestFunctions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		function string
		args     []any
		want     []any
		failure  string
	}{
		"param":           {"param", nil, []any{"p"}, ""},
		"shard":           {"shard", nil, []any{1.0, 3.0}, ""},
		"not cancelled":   {"cancelled", nil, []any{false}, ""},
		"sha256":          {"hash", []any{"sha256", ""}, []any{"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}, ""},
		"md5":             {"hash", []any{"md5", ""}, []any{"d41d8cd98f00b204e9800998ecf8427e"}, ""},
		"unknown hash":    {"hash", []any{"rot13", ""}, nil, `unknown hash "rot13"`},
		"hash of nothing": {"hash", []any{"md5"}, nil, "argument 2 must be text, not nothing"},
		"base64":          {"base64.encode", []any{"\x00\xff"}, []any{"AP8="}, ""},
		"base64 back":     {"base64.decode", []any{"AP8="}, []any{"\x00\xff"}, ""},
		"broken base64":   {"base64.decode", []any{"?"}, nil, "decode base64"},
		"negative sleep":  {"sleep", []any{-1.0}, nil, "argument 1 must be between"},
		"endless sleep":   {"sleep", []any{1e300}, nil, "argument 1 must be between"},
		"sleep of a text": {"sleep", []any{true}, nil, "argument 1 must be a number, not a boolean"},
		"http":            {"http.get", []any{"http://x"}, nil, "not granted"},
		"kv":              {"kv.get", []any{"x"}, nil, "not granted"},
		"secret":          {"secret", []any{"x"}, nil, "not granted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			host := newHost(nil)
			got, err := call(t, host, c.function, c.args...)
			require.EqualValues(t, 1, host.Calls())
			if c.failure != "" {
				require.ErrorContains(t, err, c.failure)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestFunctions_UUID(t *testing.T) {
	t.Parallel()
	first, err := call(t, newHost(nil), "uuid")
	require.NoError(t, err)
	second, err := call(t, newHost(nil), "uuid")
	require.NoError(t, err)
	require.NotEqual(t, first, second)
	require.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, first[0])
}

func TestHost_ResultIsCut(t *testing.T) {
	t.Parallel()
	host := newHost(nil)
	_, err := call(t, host, "result", strings.Repeat("ü", hostapi.MaxResult))
	require.NoError(t, err)
	require.LessOrEqual(t, len(host.Result()), hostapi.MaxResult)
	require.True(t, strings.HasSuffix(host.Result(), "ü..."))
}

func TestHost_SleepEndsWithTheRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stop := make(chan struct{})
		host := newHost(stop)
		time.AfterFunc(time.Second, func() { close(stop) })
		started := time.Now()
		_, err := call(t, host, "sleep", 500.0)
		require.NoError(t, err)
		_, err = call(t, host, "sleep", 60_000.0)
		require.ErrorIs(t, err, hostapi.ErrStopped)
		require.Equal(t, time.Second, time.Since(started))
		require.True(t, host.Stopped())
	})
}
