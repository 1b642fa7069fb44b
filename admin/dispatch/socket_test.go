package dispatch

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/complete"
	"github.com/gluewheel/gluewheel/admin/execclient"
	"github.com/gluewheel/gluewheel/admin/job"
)

// closingPeer is a foreign executor on a real socket. It reads each POST /run and
// closes the connection; /log says that the file exists.
func closingPeer(t *testing.T) (url string, runs *atomic.Int32) {
	t.Helper()
	runs = &atomic.Int32{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.URL.Path == "/log" {
			_, _ = w.Write([]byte(`{"code":200,"data":{"fromLineNum":1,"toLineNum":0,"logContent":"","isEnd":false}}`))
			return
		}
		runs.Add(1)
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Errorf("take connection: %v", err)
			return
		}
		conn.Close()
	}))
	t.Cleanup(srv.Close)
	return srv.URL, runs
}

// The whole way of a run at such a peer: it receives the request once, the run is
// unknown, and is found to be running.
func TestDispatch_APeerThatReadsAndCloses(t *testing.T) {
	t.Parallel()
	url, runs := closingPeer(t)
	client := execclient.New(execclient.Config{Token: "tok"})
	t.Cleanup(client.Close)
	b := setup(t)
	b.hosts.set(url)
	done, err := complete.New(complete.Config{Store: b.store, Log: slog.New(slog.DiscardHandler), Added: func([]job.Fire) {}})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- done.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	d := b.another(t, 2, func(c *Config) { c.Sender, c.Complete = client, done })
	run(t, d)

	f := b.trigger(t, b.job(t))
	d.Dispatch([]job.Fire{f})
	eventually(t, "unknown, or resolved already", func() bool { return b.row(t, f.RunID).State >= job.Running })
	eventually(t, "running", func() bool { return b.row(t, f.RunID).State == job.Running })
	require.Equal(t, int32(1), runs.Load())

	require.NoError(t, done.End(t.Context(), []job.Result{{RunID: f.RunID, State: job.Succeeded, Reason: job.ReasonOK, Code: 200}}))
	require.Equal(t, job.Succeeded, b.row(t, f.RunID).State)
}
