package hostapi_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/hostapi"
)

func TestHTTP_Requests(t *testing.T) {
	t.Parallel()
	const url = "https://a.test/"
	for name, c := range map[string]struct {
		function string
		args     []any
		want     runtime.HTTPRequest
		failure  string
	}{
		"get":                 {"http.get", []any{url}, runtime.HTTPRequest{Method: "GET", URL: url}, ""},
		"get with options":    {"http.get", []any{url, map[string]any{"headers": map[string]any{"a": "b", "n": 1.0}, "timeout_ms": 5.0}}, runtime.HTTPRequest{Method: "GET", URL: url, Headers: map[string]string{"a": "b", "n": "1"}, TimeoutMS: 5}, ""},
		"post":                {"http.post", []any{url, "\xffbody"}, runtime.HTTPRequest{Method: "POST", URL: url, Body: []byte("\xffbody")}, ""},
		"request":             {"http.request", []any{map[string]any{"method": "patch", "url": url, "body": "x"}}, runtime.HTTPRequest{Method: "PATCH", URL: url, Body: []byte("x")}, ""},
		"request of get":      {"http.request", []any{map[string]any{"url": url}}, runtime.HTTPRequest{Method: "GET", URL: url}, ""},
		"options win nothing": {"http.get", []any{url, map[string]any{"url": "https://b.test/", "method": "PUT"}}, runtime.HTTPRequest{Method: "GET", URL: url}, ""},
		"no address":          {"http.get", nil, runtime.HTTPRequest{}, "argument 1 must be text"},
		"an unknown option":   {"http.get", []any{url, map[string]any{"proxy": "x"}}, runtime.HTTPRequest{}, `there is no option "proxy"`},
		"options as text":     {"http.get", []any{url, "x"}, runtime.HTTPRequest{}, "must be a table with names, not text"},
		"a header of a list":  {"http.get", []any{url, map[string]any{"headers": map[string]any{"a": []any{}}}}, runtime.HTTPRequest{}, "option headers: a: argument 1 must be text, not a list"},
		"a large body":        {"http.post", []any{url, strings.Repeat("x", hostapi.MaxBody+1)}, runtime.HTTPRequest{}, "are allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got runtime.HTTPRequest
			host := hostapi.New(hostapi.Config{
				Output: runtime.NewOutput(0, nil),
				HTTP: func(_ context.Context, req runtime.HTTPRequest) (runtime.HTTPResponse, error) {
					got = req
					return runtime.HTTPResponse{Status: 200, Headers: map[string]string{"x": "y"}, Body: []byte("fine")}, nil
				},
			})
			results, err := call(t, host, c.function, c.args...)
			if c.failure != "" {
				require.ErrorContains(t, err, c.failure)
				return
			}
			require.NoError(t, err)
			require.Equal(t, []any{map[string]any{"status": 200.0, "headers": map[string]any{"x": "y"}, "body": "fine"}}, results)
			if len(got.Headers) == 0 {
				got.Headers = nil
			}
			if len(got.Body) == 0 {
				got.Body = nil
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestHTTP_BytesInBase64(t *testing.T) {
	t.Parallel()
	var sent []byte
	host := hostapi.New(hostapi.Config{
		Output: runtime.NewOutput(0, nil),
		HTTP: func(_ context.Context, req runtime.HTTPRequest) (runtime.HTTPResponse, error) {
			sent = req.Body
			return runtime.HTTPResponse{Status: 200, Body: []byte("\x00\xff")}, nil
		},
	})
	const url = "https://a.test/"
	answer := hostapi.Answer(t.Context(), host, "http.post", `["`+url+`","AQI=",{"encoding":"base64"}]`)
	require.JSONEq(t, `{"results":[{"status":200,"headers":{},"body":"AP8="}]}`, string(answer))
	require.Equal(t, []byte{1, 2}, sent)
	answer = hostapi.Answer(t.Context(), host, "http.get", `["`+url+`"]`)
	require.Contains(t, string(answer), "ask for it with encoding base64")
	for _, wrong := range []string{`["` + url + `","?",{"encoding":"base64"}]`, `["` + url + `","",{"encoding":"hex"}]`} {
		require.Contains(t, string(hostapi.Answer(t.Context(), host, "http.post", wrong)), `"error":"gw.http.post: option `)
	}
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	host := hostapi.New(hostapi.Config{
		Invocation: runtime.Invocation{ShardIndex: 1, ShardTotal: 3},
		Output:     runtime.NewOutput(0, nil),
		HTTP: func(context.Context, runtime.HTTPRequest) (runtime.HTTPResponse, error) {
			return runtime.HTTPResponse{}, errors.New("no net")
		},
	})
	for name, c := range map[string]struct{ function, arguments, want string }{
		"results":             {"shard", "", `{"results":[1,3]}`},
		"nothing":             {"progress", "[50]", `{}`},
		"an error":            {"http.get", `["x"]`, `{"error":"gw.http.get: no net"}`},
		"no such function":    {"fork", "", `{"error":"gw.fork: there is no such function"}`},
		"no arguments":        {"hash", "{}", `{"error":"gw.hash: arguments must be a JSON array"}`},
		"bytes, but not text": {"base64.decode", `["/w=="]`, `{"error":"gw.base64.decode: the result is not text; of http, ask for it with encoding base64"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.JSONEq(t, c.want, string(hostapi.Answer(t.Context(), host, c.function, c.arguments)))
		})
	}
}
