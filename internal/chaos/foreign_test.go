//go:build chaos

package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"sync"
	"time"

	"github.com/stretchr/testify/require"
)

const foreignApp = "chaos-foreign"

// foreign is an executor as XXL-JOB's are where it matters. Each job has a queue, and a
// log id that waits in it is refused a second time; one that left it is run again. The
// log is made after that, so there is a moment in which nothing tells that a run has
// begun. It knows nothing of journals.
type foreign struct {
	paths
	w       *world
	name    string
	witness *Witness
	path    string // of the witness
	server  http.Server
	client  http.Client
	work    sync.WaitGroup
	ctx     context.Context

	mu      sync.Mutex
	gap     time.Duration // between a run's leaving the queue and its log
	queues  map[int32]chan foreignTrigger
	queued  map[int64]bool
	logs    map[int64]time.Time // when a run's log was there first
	denials []Denial
	busy    int                   // runs between their queue and their end
	started map[int64]int         // how often each run was
	arrived map[int64][]time.Time // requests that it saw
	// questions are those for a run's log.
	questions map[int64][]time.Time
}

// foreignQueue is more than any test sends at once.
const foreignQueue = 1000

// foreignTrigger is what it reads of a trigger.
type foreignTrigger struct {
	JobID  int32  `json:"jobId"`
	LogID  int64  `json:"logId"`
	LogMS  int64  `json:"logDateTime"`
	Params string `json:"executorParams"`
}

func (w *world) addForeign(name string) {
	path := filepath.Join(w.dir, name+".witness")
	witness, err := OpenWitness(path, time.Now)
	require.NoError(w.t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(w.t, err)
	ctx, stop := context.WithCancel(context.Background())
	f := &foreign{
		paths: w.newPaths(name, listener.Addr().String()), w: w, name: name, witness: witness, path: path, ctx: ctx,
		queues: map[int32]chan foreignTrigger{}, queued: map[int64]bool{}, logs: map[int64]time.Time{},
		started: map[int64]int{}, arrived: map[int64][]time.Time{}, questions: map[int64][]time.Time{},
	}
	f.client.Timeout = 3 * time.Second
	mux := http.NewServeMux()
	mux.HandleFunc("POST /beat", f.ok)
	mux.HandleFunc("POST /idleBeat", f.ok)
	mux.HandleFunc("POST /run", f.run)
	mux.HandleFunc("POST /log", f.log)
	f.server.Handler = mux
	f.work.Go(func() { _ = f.server.Serve(listener) })
	f.work.Go(f.beat)
	w.foreign = append(w.foreign, f)
	w.t.Cleanup(func() {
		stop()
		f.server.Close()
		f.work.Wait()
		witness.Close()
	})
}

func (f *foreign) ok(rw http.ResponseWriter, _ *http.Request) { answer(rw, nil) }

func answer(rw http.ResponseWriter, data any) { answerCode(rw, 200, "Success", data) }

func answerCode(rw http.ResponseWriter, code int, msg string, data any) {
	rw.Header().Set("Content-Type", "application/json;charset=UTF-8")
	_ = json.NewEncoder(rw).Encode(map[string]any{"code": code, "msg": msg, "data": data})
}

func (f *foreign) run(rw http.ResponseWriter, r *http.Request) {
	var t foreignTrigger
	if err := json.NewDecoder(r.Body).Decode(&t); err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	if !f.enqueue(t) {
		answerCode(rw, 500, fmt.Sprintf("repeate trigger job, logId:%d", t.LogID), nil)
		return
	}
	answer(rw, nil)
}

// enqueue reports whether the queue of the job took the trigger.
func (f *foreign) enqueue(t foreignTrigger) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.arrived[t.LogID] = append(f.arrived[t.LogID], time.Now())
	if f.queued[t.LogID] {
		return false
	}
	queue := f.queues[t.JobID]
	if queue == nil {
		queue = make(chan foreignTrigger, foreignQueue)
		f.queues[t.JobID] = queue
		f.work.Go(func() { f.serve(queue) })
	}
	f.queued[t.LogID] = true
	queue <- t
	return true
}

// serve runs a job's triggers one after the other.
func (f *foreign) serve(queue chan foreignTrigger) {
	for {
		select {
		case <-f.ctx.Done():
			return
		case t := <-queue:
			f.execute(t)
		}
	}
}

// execute runs the code. The log comes before the handler is called, and after the run
// has left the queue.
func (f *foreign) execute(t foreignTrigger) {
	f.mu.Lock()
	delete(f.queued, t.LogID)
	f.busy++
	gap := f.gap
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.busy--
		f.mu.Unlock()
	}()
	pauseFor(f.ctx, gap)
	f.mu.Lock()
	if _, there := f.logs[t.LogID]; !there {
		f.logs[t.LogID] = time.Now()
	}
	f.started[t.LogID]++
	f.mu.Unlock()
	if err := f.witness.Start(t.LogID, t.JobID); err != nil {
		return
	}
	q, _ := url.ParseQuery(t.Params) // the suite's own
	if d, err := time.ParseDuration(q.Get("sleep")); err == nil {
		pauseFor(f.ctx, d)
	}
	if err := f.witness.End(f.ctx, t.LogID, t.JobID, EndOK); err != nil {
		return
	}
	f.work.Go(func() { f.report(t) })
}

// report sends the result until an admin takes it.
func (f *foreign) report(t foreignTrigger) {
	result := []map[string]any{{"logId": t.LogID, "logDateTim": t.LogMS, "handleCode": 200, "handleMsg": "done"}}
	for !f.call("/api/callback", result) && f.ctx.Err() == nil {
		pauseFor(f.ctx, time.Second)
	}
}

func pauseFor(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

func (f *foreign) log(rw http.ResponseWriter, r *http.Request) {
	var in struct {
		LogID int64 `json:"logId"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	f.mu.Lock()
	_, there := f.logs[in.LogID]
	f.questions[in.LogID] = append(f.questions[in.LogID], time.Now())
	if !there {
		f.denials = append(f.denials, Denial{Run: in.LogID, At: time.Now()})
	}
	f.mu.Unlock()
	if there {
		answer(rw, map[string]any{"fromLineNum": 1, "toLineNum": 1, "logContent": "started\n", "isEnd": false})
		return
	}
	answer(rw, map[string]any{"fromLineNum": 1, "toLineNum": 0, "logContent": "readLog fail, logFile not exists", "isEnd": true})
}

// beat registers every few seconds.
func (f *foreign) beat() {
	for f.ctx.Err() == nil {
		f.call("/api/registry", map[string]any{
			"registryGroup": "EXECUTOR", "registryKey": foreignApp, "registryValue": f.base() + "/",
		})
		pauseFor(f.ctx, 5*time.Second)
	}
}

// call reports whether one of the admins took it.
func (f *foreign) call(path string, in any) bool {
	b, _ := json.Marshal(in) // of plain values
	for _, l := range f.out {
		if f.post(fmt.Sprintf("http://%s%s", l.Addr(), path), b) {
			return true
		}
	}
	return false
}

func (f *foreign) post(url string, body []byte) bool {
	req, err := http.NewRequestWithContext(f.ctx, "POST", url, bytes.NewReader(body))
	if err != nil {
		return false
	}
	req.Header.Set("XXL-JOB-ACCESS-TOKEN", token)
	req.Header.Set("Content-Type", "application/json;charset=UTF-8")
	resp, err := f.client.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	var out struct {
		Code int `json:"code"`
	}
	text, err := io.ReadAll(resp.Body)
	return err == nil && json.Unmarshal(text, &out) == nil && out.Code == 200
}
