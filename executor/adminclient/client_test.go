package adminclient

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gluewheel/gluewheel/executor/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func setup(t *testing.T, handlers ...http.HandlerFunc) *Client {
	t.Helper()
	cfg := Config{AppName: "app-test", Token: "tok", Timeout: 5 * time.Second}
	for _, h := range handlers {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		cfg.Addresses = append(cfg.Addresses, s.URL+"/xxl-job-admin/")
	}
	c, err := New(cfg)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func says(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }
}

func TestClient_Call(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		answer  http.HandlerFunc
		refused string
		failure string
	}{
		"dialect A": {answer: says(`{"code":200,"msg":null,"content":null}`)},
		"dialect B": {answer: says(`{"code":200,"data":null,"msg":"Success","success":true}`)},
		"refused":   {answer: says(`{"code":500,"msg":"The access token is wrong."}`), refused: "The access token is wrong."},
		"HTTP 404":  {answer: http.NotFound, failure: "HTTP status 404"},
		"redirect":  {answer: http.RedirectHandler("/elsewhere", http.StatusFound).ServeHTTP, failure: "HTTP status 302"},
		"not JSON":  {answer: says(`<html>`), failure: "is not an envelope"},
		"empty":     {answer: says(``), failure: "is not an envelope"},
		"endless":   {answer: says(string(make([]byte, maxAnswer+1))), failure: "answer exceeds"},
		"lost halfway": {answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "{")
		}, failure: "unexpected EOF"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := setup(t, c.answer)
			err := client.Call(t.Context(), client.Addresses()[0], CallRegistry, []byte("{}"))
			switch {
			case c.refused != "":
				var refused *RefusedError
				require.ErrorAs(t, err, &refused)
				require.Equal(t, c.refused, refused.Msg)
			case c.failure != "":
				require.ErrorContains(t, err, c.failure)
			default:
				require.NoError(t, err)
			}
		})
	}
}

func TestClient_SendsWhatAdminsExpect(t *testing.T) {
	t.Parallel()
	client := setup(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || r.URL.Path != "/xxl-job-admin/api/registry" ||
			r.Header.Get(protocol.HeaderToken) != "tok" || r.Header.Get(protocol.HeaderAppName) != "app-test" ||
			r.Header.Get("Content-Type") != protocol.ContentType || string(body) != `{"jobId":7}` {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		_, _ = io.WriteString(w, `{"code":200}`)
	})
	require.NoError(t, client.First(t.Context(), CallRegistry, protocol.IdleBeat{JobID: 7}))
}

func TestClient_FirstStopsAtTheFirstSuccess(t *testing.T) {
	t.Parallel()
	var third atomic.Int32
	client := setup(t, http.NotFound, says(`{"code":200}`), func(http.ResponseWriter, *http.Request) { third.Add(1) })
	require.NoError(t, client.First(t.Context(), CallRegistry, nil))
	require.Zero(t, third.Load())

	none := setup(t, http.NotFound, says(`{"code":500,"msg":"no"}`))
	err := none.First(t.Context(), CallRegistry, nil)
	require.ErrorContains(t, err, "HTTP status 404")
	require.ErrorContains(t, err, "refused with code 500: no")
}

func TestClient_GivesUpInTime(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	client := setup(t, func(http.ResponseWriter, *http.Request) { <-hang })
	t.Cleanup(func() { close(hang) })
	client.cfg.Timeout = 50 * time.Millisecond
	err := client.Call(t.Context(), client.Addresses()[0], CallRegistry, nil)
	require.ErrorContains(t, err, "no answer within 50ms")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, client.Call(ctx, client.Addresses()[0], CallRegistry, nil), context.Canceled)
}

// TestClient_NeverRepeats counts the requests at a peer that reads and closes.
func TestClient_NeverRepeats(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var requests atomic.Int32
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			if n, _ := conn.Read(make([]byte, 4096)); n > 0 {
				requests.Add(1)
			}
			_ = conn.Close()
		}
	}()
	client, err := New(Config{Addresses: []string{"http://" + ln.Addr().String()}, AppName: "a", Token: "t"})
	require.NoError(t, err)
	require.Error(t, client.Call(t.Context(), client.Addresses()[0], CallCallback, []byte("[]")))
	require.NoError(t, ln.Close())
	<-done
	require.EqualValues(t, 1, requests.Load())
	client.Close()
}

func TestClient_Module(t *testing.T) {
	t.Parallel()
	client := setup(t, http.NotFound, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && r.URL.Path == "/xxl-job-admin/gw/artifact/sha256:ab" &&
			r.URL.Query().Get("run") == "7" && r.URL.Query().Get("epoch") == "3" && r.Header.Get(protocol.HeaderToken) == "tok" {
			_, _ = io.WriteString(w, "module")
		}
	})
	code, err := client.Module(t.Context(), "sha256:ab", 7, 3)
	require.NoError(t, err)
	require.Equal(t, "module", string(code))

	none := setup(t, http.NotFound)
	_, err = none.Module(t.Context(), "sha256:ab", 7, 3)
	require.ErrorContains(t, err, "HTTP status 404")
}

func TestNew_ChecksItsAddresses(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "127.0.0.1:8080", "ftp://x", "http://", "://"} {
		_, err := New(Config{Addresses: []string{address}, AppName: "a", Token: "t"})
		require.Error(t, err, address)
	}
	_, err := New(Config{Addresses: []string{"http://x"}, AppName: "a"})
	require.Error(t, err, "no token")
}
