package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/store"
	"github.com/gluewheel/gluewheel/admin/store/storetest"
	"github.com/gluewheel/gluewheel/executor/protocol"
	"github.com/gluewheel/gluewheel/glue"
)

// bundle is a dispatcher on a real ledger, with executors and everything beside it
// faked. Its addresses: http://ours:1 takes batches; all others are foreign.
type bundle struct {
	*Dispatcher
	url   string
	store *store.Store
	sql   *pgx.Conn
	group job.Group
	peer  *fakePeer
	ends  *fakeCompleter
	hosts *fakeHosts
}

const (
	oursAt    = "http://ours:1"
	foreignAt = "http://foreign:1"
)

func setup(t *testing.T, edit ...func(*Config)) *bundle {
	t.Helper()
	b := &bundle{url: storetest.URL(t), peer: newPeer(), ends: &fakeCompleter{}, hosts: &fakeHosts{addresses: []string{oursAt}}}
	b.store = storetest.Open(t, b.url)
	conn, err := pgx.Connect(t.Context(), b.url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	b.sql = conn
	require.NoError(t, b.store.KeepPartitions(t.Context()))
	b.group, err = b.store.CreateGroup(t.Context(), job.Group{AppName: "app", Title: "App"})
	require.NoError(t, err)
	b.Dispatcher = b.another(t, 1, edit...)
	return b
}

// another makes a dispatcher of a further admin, which shares the fakes.
func (b *bundle) another(t *testing.T, owner int32, edit ...func(*Config)) *Dispatcher {
	t.Helper()
	cfg := Config{
		Owner: owner, Store: storetest.Open(t, b.url), Router: first{}, Registry: b.hosts, Sender: b.peer,
		Complete: b.ends, Log: slog.New(slog.DiscardHandler),
	}
	for _, e := range edit {
		e(&cfg)
	}
	d, err := New(cfg)
	require.NoError(t, err)
	return d
}

// run works until the test or stop ends it.
func run(t *testing.T, d *Dispatcher) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- d.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			t.Error("the dispatcher does not end")
		}
	})
	t.Cleanup(stop)
	return stop
}

func (b *bundle) job(t *testing.T, edit ...func(*job.Job)) job.Job {
	t.Helper()
	j := job.Job{
		GroupID: b.group.ID, Name: "job", GlueType: glue.Bean, Handler: "demo", Param: "p",
		ScheduleType: job.ScheduleNone, MisfireStrategy: job.MisfireDoNothing, CatchUpLimit: 1,
		RouteStrategy: job.RouteFirst, BlockStrategy: protocol.BlockSerial, RetryBackoff: job.RetryFixed,
	}
	for _, e := range edit {
		e(&j)
	}
	made, err := b.store.CreateJob(t.Context(), j)
	require.NoError(t, err)
	return made
}

func (b *bundle) trigger(t *testing.T, j job.Job, edit ...func(*job.TriggerRequest)) job.Fire {
	t.Helper()
	req := job.TriggerRequest{JobID: j.ID, Cause: job.CauseManual}
	for _, e := range edit {
		e(&req)
	}
	f, err := b.store.Trigger(t.Context(), req)
	require.NoError(t, err)
	return f
}

type row struct {
	State   job.State
	Reason  string
	Address string
	Owner   int32
	Epoch   int32
	Resent  bool
}

func (b *bundle) row(t *testing.T, id int64) row {
	t.Helper()
	var r row
	err := b.sql.QueryRow(t.Context(), `SELECT state, reason, address, owner, epoch, resent FROM run WHERE id = $1`, id).
		Scan(&r.State, &r.Reason, &r.Address, &r.Owner, &r.Epoch, &r.Resent)
	require.NoError(t, err)
	return r
}

func (b *bundle) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := b.sql.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	require.Eventually(t, ok, 20*time.Second, 5*time.Millisecond, what)
}

// first routes to the first address, or fails.
type first struct{ err error }

func (r first) Pick(_ context.Context, _ *job.Job, addresses []string) (job.Choice, error) {
	return job.Choice{Address: addresses[0]}, r.err
}

type fakeHosts struct {
	mu        sync.Mutex
	addresses []string
}

func (h *fakeHosts) Addresses(*job.Group) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.addresses)
}

func (h *fakeHosts) set(addresses ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.addresses = addresses
}

func (h *fakeHosts) Target(_ int32, address string) job.Target {
	t := job.Target{Address: address, AppName: "app"}
	if address == oursAt {
		t.Dialect = job.DialectGluewheel
	}
	return t
}

// fakePeer plays all executors. answer says what a run gets; log what /log gives.
type fakePeer struct {
	mu     sync.Mutex
	sent   map[int64]int // run → how often it was sent
	last   map[int64]protocol.Trigger
	batch  []int // sizes of the requests
	at     map[int64]time.Time
	answer func(address string, id int64, nth int) job.Outcome
	log    func(id int64) (job.LogPiece, error)
}

func newPeer() *fakePeer {
	return &fakePeer{
		sent: map[int64]int{}, last: map[int64]protocol.Trigger{}, at: map[int64]time.Time{},
		answer: func(string, int64, int) job.Outcome { return accepted },
		log:    func(int64) (job.LogPiece, error) { return job.LogPiece{}, errors.New("no log") },
	}
}

var (
	accepted    = job.Outcome{Verdict: job.Accepted, Code: 200}
	noAnswer    = job.Outcome{Verdict: job.NoAnswer, Text: "closed"}
	unreachable = job.Outcome{Verdict: job.Unreachable, Text: "refused"}
)

func (p *fakePeer) Run(_ context.Context, t job.Target, trigger *protocol.Trigger) job.Outcome {
	return p.RunBatch(context.Background(), t, []protocol.Trigger{*trigger})[0]
}

func (p *fakePeer) RunBatch(_ context.Context, t job.Target, triggers []protocol.Trigger) []job.Outcome {
	p.mu.Lock()
	p.batch = append(p.batch, len(triggers))
	nth, answer := make([]int, len(triggers)), p.answer
	for i, tr := range triggers {
		id := int64(tr.LogID)
		p.sent[id]++
		nth[i], p.last[id], p.at[id] = p.sent[id], tr, time.Now()
	}
	p.mu.Unlock()
	out := make([]job.Outcome, len(triggers))
	for i, tr := range triggers {
		out[i] = answer(t.Address, int64(tr.LogID), nth[i])
	}
	return out
}

func (p *fakePeer) Log(_ context.Context, _ job.Target, id int64, _ time.Time, _ int) (job.LogPiece, error) {
	p.mu.Lock()
	log := p.log
	p.mu.Unlock()
	return log(id)
}

func (p *fakePeer) count(id int64) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sent[id]
}

func (p *fakePeer) trigger(id int64) protocol.Trigger {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last[id]
}

// fakeCompleter keeps what dispatch reports, in order.
type fakeCompleter struct {
	mu       sync.Mutex
	accepted []int64
	endings  []job.Ending
}

func (c *fakeCompleter) Accepted(taken []job.Acceptance) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range taken {
		c.accepted = append(c.accepted, a.RunID)
	}
}

func (c *fakeCompleter) Report(endings []job.Ending) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.endings = append(c.endings, endings...)
}

func (c *fakeCompleter) has(id int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Contains(c.accepted, id)
}

func (c *fakeCompleter) end(id int64) (job.Ending, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.endings {
		if e.RunID == id {
			return e, true
		}
	}
	return job.Ending{}, false
}
