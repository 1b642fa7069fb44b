package wire_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/access"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/seal"
)

// The groups are 1 (app-test) and 2 (app), each with a token of its own.
const (
	ordersToken = "token-of-the-group-app-test"
	stockToken  = "token-of-the-group-app"
)

type tokenStore []job.GroupToken

func (s tokenStore) GroupTokens(context.Context, int32) ([]job.GroupToken, error) { return s, nil }

func (s tokenStore) GroupApps(context.Context) ([]job.GroupApp, error) {
	return []job.GroupApp{{ID: 1, AppName: "app-test"}, {ID: 2, AppName: "app"}}, nil
}

func (s tokenStore) TouchGroupTokens(context.Context, []int32) error { return nil }

func (s tokenStore) ResealGroupToken(context.Context, job.GroupToken, []byte) error { return nil }

func newAccess(t *testing.T, global string) *access.Access {
	t.Helper()
	ring, err := seal.Parse(seal.NewKey())
	require.NoError(t, err)
	var store tokenStore
	for i, token := range []string{ordersToken, stockToken} {
		made, err := access.Seal(ring, int32(i+1), token)
		require.NoError(t, err)
		made.ID, made.Sent = int32(i+11), true
		store = append(store, made)
	}
	a, err := access.New(access.Config{Store: store, Seal: ring, Token: global, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	require.NoError(t, a.Load(t.Context()))
	return a
}

const (
	tokenHeader = "XXL-JOB-ACCESS-TOKEN"
	appHeader   = "XXL-JOB-APPNAME"
)

func TestRegistry_OfAGroupsToken(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, token, header, key string
		msg                      string // of the refusal; "" = taken
		tokenID                  int32
	}{
		{"its own group", ordersToken, "", "app-test", "", 11},
		{"its own group, 3.5", ordersToken, "app-test", "app-test", "", 11},
		{"another group", ordersToken, "", "app", "The access token is wrong.", 0},
		{"another group's name in the header", ordersToken, "app", "app", "invalid request, accessToken or appname invalid.", 0},
		{"another group's name in the body", ordersToken, "app-test", "app", "invalid request, accessToken or appname invalid.", 0},
		{"no group", ordersToken, "", "newcomer", "The access token is wrong.", 0},
		{"no group, 3.5", ordersToken, "newcomer", "newcomer", "invalid request, accessToken or appname invalid.", 0},
		{"no group, the global token", "tok", "", "newcomer", "", 0},
		{"no group, the global token, 3.5", "tok", "newcomer", "newcomer", "", 0},
		{"a group, the global token", "tok", "", "app", "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, "tok")
			body := fmt.Sprintf(`{"registryGroup":"EXECUTOR","registryKey":%q,"registryValue":"http://127.0.0.1:9999/"}`, c.key)
			for _, path := range []string{"/api/registry", "/xxl-job-admin/api/registryRemove"} {
				code, msg := b.msg(t, path, body, tokenHeader, c.token, appHeader, c.header)
				if c.msg != "" {
					require.Equal(t, 500, code)
					require.Equal(t, c.msg, msg)
					continue
				}
				require.Equal(t, 200, code, msg)
			}
			require.Len(t, b.removed, len(b.beats))
			if c.msg == "" {
				require.Equal(t, c.tokenID, b.beats[0].TokenID)
				require.Equal(t, c.token != "tok", b.beats[0].Restricted)
			}
		})
	}
}

func TestCallback_OfAGroupsToken(t *testing.T) {
	t.Parallel()
	b := setup(t, "")
	code, msg := b.msg(t, "/api/callback", `[{"logId":7,"handleCode":200},{"logId":107,"handleCode":200}]`, tokenHeader, ordersToken)
	require.Equal(t, 200, code, msg)
	require.Len(t, b.endings, 1, "another group's run is none of ours")
	require.Equal(t, int64(7), b.endings[0].RunID)
}

// serve runs the endpoints as the admin does: bodies are streams.
func serve(t *testing.T, b *bundle) string {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	l := server.Listener
	t.Cleanup(func() { require.NoError(t, b.app.ShutdownWithTimeout(30*time.Second)) })
	go func() { _ = b.app.Listener(l) }() // ends with the app
	return "http://" + l.Addr().String()
}

func streamed(t *testing.T, token string, readTimeout time.Duration) *bundle {
	t.Helper()
	return setupWith(t, token, fiber.Config{Immutable: true, DisableStartupMessage: true, StreamRequestBody: true, BodyLimit: 5 << 20, ReadTimeout: readTimeout})
}

func postStream(t *testing.T, url, token string, size int64, body io.Reader) (string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/api/callback", body)
	require.NoError(t, err)
	req.ContentLength = size
	req.Header.Set(tokenHeader, token)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	return string(answer), err
}

// TestCallback_OfALongQueue: executors up to 3.3 send all that waits in one request.
func TestCallback_OfALongQueue(t *testing.T) {
	t.Parallel()
	b := streamed(t, "tok", time.Minute)
	url := serve(t, b)
	const results = 5000
	item := `{"logId":%d,"handleCode":500,"handleMsg":"` + strings.Repeat("x", 2000) + `"}`
	var body bytes.Buffer
	for i := range results {
		body.WriteString("[,"[min(i, 1):min(i, 1)+1] + fmt.Sprintf(item, i+1))
	}
	body.WriteString("]")
	require.Greater(t, body.Len(), 5<<20)
	answer, err := postStream(t, url, "tok", int64(body.Len()), bytes.NewReader(body.Bytes()))
	require.NoError(t, err)
	require.Contains(t, answer, `"code":200`)
	require.Len(t, b.endings, results)
	answer, err = postStream(t, url, "no", int64(body.Len()), bytes.NewReader(body.Bytes()))
	if err == nil { // it is answered before the body is read, and the rest is cut off
		require.Contains(t, answer, "The access token is wrong.")
	}
	require.Len(t, b.endings, results)
}

// endless gives blanks, one at a time.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	time.Sleep(50 * time.Millisecond) // a peer that trickles
	p[0] = ' '
	return 1, nil
}

func TestCallback_WithoutMeasureIsRefused(t *testing.T) {
	t.Parallel()
	b := streamed(t, "tok", 2*time.Second)
	url := serve(t, b)
	began := time.Now()
	_, err := postStream(t, url, "tok", 1<<30, io.LimitReader(endless{}, 1<<30))
	require.Less(t, time.Since(began), time.Minute, "%v", err)
	began = time.Now()
	_, err = postStream(t, url, "tok", 6<<20, endless{})
	require.Less(t, time.Since(began), time.Minute, "%v", err)
	require.Empty(t, b.endings)
}
