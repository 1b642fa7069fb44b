package executor_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/executor"
	"github.com/gluewheel/gluewheel/executor/executortest"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

// BenchmarkExecutor_Batches is the whole way of a native run, batches of 100 over 500
// jobs: accepted, journalled, run, logged, called back, acknowledged.
func BenchmarkExecutor_Batches(b *testing.B) {
	const batch, jobs, clients = 100, 500, 4
	var ended atomic.Int64
	all := make(chan struct{})
	admin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if n := bytes.Count(body, []byte(`"handleCode"`)); n > 0 && ended.Add(int64(n)) >= int64(b.N)*batch {
			close(all)
		}
		_, _ = io.WriteString(w, `{"code":200}`)
	}))
	defer admin.Close()
	e, err := executor.New(executor.Config{
		AppName: "bench", AdminAddresses: []string{admin.URL}, Token: executortest.Token,
		DataDir: b.TempDir(), Listen: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(b, err)
	require.NoError(b, e.Handle("noop", func(context.Context, *executor.Job) error { return nil }))
	ctx, stop := context.WithCancel(context.Background())
	var run, send sync.WaitGroup
	run.Go(func() { require.NoError(b, e.Run(ctx)) })
	<-e.Ready()

	b.ResetTimer()
	var next atomic.Int64
	for range clients {
		send.Go(func() {
			for {
				n := next.Add(1) - 1
				if n >= int64(b.N) {
					return
				}
				triggers := make([]protocol.Trigger, batch)
				for i := range triggers {
					id := n*batch + int64(i)
					triggers[i] = bean(int32(id%jobs+1), id+1, "noop", "")
				}
				body, _ := json.Marshal(protocol.BatchRequest{Triggers: triggers})
				req, _ := http.NewRequest(http.MethodPost, "http://"+e.Addr()+protocol.PathBatch, bytes.NewReader(body))
				req.Header.Set(protocol.HeaderToken, executortest.Token)
				resp, err := http.DefaultClient.Do(req)
				if err != nil {
					b.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
		})
	}
	send.Wait()
	<-all
	b.StopTimer()
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*batch), "µs/run")
	stop()
	run.Wait()
	http.DefaultClient.CloseIdleConnections()
}
