// Package executortest has a stand-in for an admin, for tests of executors.
package executortest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/executor/protocol"
)

// Token is what the admin expects and what its requests carry.
const Token = "executortest-token"

// wait bounds every wait for something to arrive.
const wait = time.Minute

// Admin takes registrations and results as an admin does, and can be away.
type Admin struct {
	URL string

	mu            sync.Mutex
	changed       chan struct{} // closed and replaced at each change
	away          bool
	wrapped       bool // understands dialect C's callbacks only
	registrations []protocol.Registry
	removals      []protocol.Registry
	results       map[int64][]protocol.Callback
	modules       map[string][]byte
	extra         map[string]http.HandlerFunc // by path
}

// NewAdmin starts an admin that lives as long as the test.
func NewAdmin(t *testing.T) *Admin {
	t.Helper()
	a := &Admin{changed: make(chan struct{}), results: make(map[int64][]protocol.Callback), modules: make(map[string][]byte)}
	s := httptest.NewServer(http.HandlerFunc(a.serve))
	t.Cleanup(s.Close)
	a.URL = s.URL
	return a
}

// SetAway makes every request fail, or no longer.
func (a *Admin) SetAway(away bool) { a.change(func() { a.away = away }) }

// SetWrapped makes the admin understand dialect C's callbacks only.
func (a *Admin) SetWrapped() { a.change(func() { a.wrapped = true }) }

// Handle has requests to one more path answered by h.
func (a *Admin) Handle(path string, h http.HandlerFunc) {
	a.change(func() {
		if a.extra == nil {
			a.extra = make(map[string]http.HandlerFunc)
		}
		a.extra[path] = h
	})
}

// AddModule offers a module under its digest.
func (a *Admin) AddModule(digest string, code []byte) { a.change(func() { a.modules[digest] = code }) }

func (a *Admin) change(f func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f()
	close(a.changed)
	a.changed = make(chan struct{})
}

// Until waits until ok holds, which may use what the methods below give.
func (a *Admin) Until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	timeout := time.After(wait)
	for {
		a.mu.Lock()
		changed := a.changed
		a.mu.Unlock()
		if ok() {
			return
		}
		select {
		case <-changed:
		case <-timeout:
			require.Fail(t, "no "+what, "results: %+v", a.allResults())
		}
	}
}

// Result waits for a run's result.
func (a *Admin) Result(t *testing.T, runID int64) protocol.Callback {
	t.Helper()
	a.Until(t, fmt.Sprintf("result of run %d", runID), func() bool { return len(a.Results(runID)) > 0 })
	return a.Results(runID)[0]
}

// Results is what has come for a run so far.
func (a *Admin) Results(runID int64) []protocol.Callback {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.results[runID]
}

func (a *Admin) allResults() map[int64][]protocol.Callback {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.results
}

// Registrations is what has registered so far.
func (a *Admin) Registrations() []protocol.Registry {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.registrations
}

// Removals is what has been removed so far.
func (a *Admin) Removals() []protocol.Registry {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.removals
}

func (a *Admin) serve(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	away, extra := a.away, a.extra[r.URL.Path]
	a.mu.Unlock()
	if extra != nil && !away && r.Header.Get(protocol.HeaderToken) == Token {
		extra(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	switch {
	case away || err != nil:
		w.WriteHeader(http.StatusServiceUnavailable)
	case r.Header.Get(protocol.HeaderToken) != Token:
		refuse(w, protocol.MsgBadToken)
	case strings.HasPrefix(r.URL.Path, protocol.PathArtifact):
		a.module(w, strings.TrimPrefix(r.URL.Path, protocol.PathArtifact))
	default:
		a.call(w, r.URL.Path, body)
	}
}

func (a *Admin) call(w http.ResponseWriter, path string, body []byte) {
	var err error
	switch path {
	case "/api/registry", "/api/registryRemove":
		err = a.register(path, body)
	case "/api/callback":
		err = a.callback(body)
	default:
		err = fmt.Errorf(protocol.MsgUnknownPath, path)
	}
	if err != nil {
		refuse(w, protocol.MsgInvokeError+" "+err.Error())
		return
	}
	answer(w, protocol.CodeOK, protocol.MsgSuccess)
}

func (a *Admin) register(path string, body []byte) error {
	var r protocol.Registry
	if err := json.Unmarshal(body, &r); err != nil {
		return err
	}
	a.change(func() {
		if path == "/api/registry" {
			a.registrations = append(a.registrations, r)
		} else {
			a.removals = append(a.removals, r)
		}
	})
	return nil
}

func (a *Admin) callback(body []byte) error {
	a.mu.Lock()
	wrapped := a.wrapped
	a.mu.Unlock()
	var list []protocol.Callback
	var object struct {
		CallbackList []protocol.Callback `json:"callbackList"`
	}
	var err error
	if wrapped {
		err = json.Unmarshal(body, &object)
		list = object.CallbackList
	} else {
		err = json.Unmarshal(body, &list)
	}
	if err != nil {
		return err
	}
	a.change(func() {
		for _, cb := range list {
			a.results[int64(cb.LogID)] = append(a.results[int64(cb.LogID)], cb)
		}
	})
	return nil
}

func (a *Admin) module(w http.ResponseWriter, digest string) {
	a.mu.Lock()
	code, ok := a.modules[digest]
	a.mu.Unlock()
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	_, _ = w.Write(code) // a reader that left has its own error
}

func refuse(w http.ResponseWriter, msg string) { answer(w, protocol.CodeFail, msg) }

func answer(w http.ResponseWriter, code int, msg string) {
	_ = json.NewEncoder(w).Encode(protocol.Envelope{Code: protocol.Int(code), Msg: &msg}) // as above
}

// Call posts v to an executor as an admin does, and gives the answer.
func Call(t *testing.T, addr, path string, v any) *protocol.Envelope {
	t.Helper()
	var e protocol.Envelope
	require.NoError(t, json.Unmarshal(post(t, addr, path, v), &e))
	return &e
}

// CallBatch posts triggers to an executor's batch path.
func CallBatch(t *testing.T, addr string, triggers ...protocol.Trigger) protocol.BatchAnswer {
	t.Helper()
	var b protocol.BatchAnswer
	require.NoError(t, json.Unmarshal(post(t, addr, protocol.PathBatch, protocol.BatchRequest{Triggers: triggers}), &b))
	return b
}

func post(t *testing.T, addr, path string, v any) []byte {
	t.Helper()
	body, err := json.Marshal(v)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr+path, strings.NewReader(string(body)))
	require.NoError(t, err)
	req.Header.Set(protocol.HeaderToken, Token)
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, http.StatusOK, resp.StatusCode)
	answer, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return answer
}
