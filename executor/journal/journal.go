package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/gluewheel/gluewheel/executor/protocol"
)

// Errors of a journal.
var (
	// ErrLocked: another process uses the directory.
	ErrLocked = errors.New("data directory is in use by another executor process")
	// ErrFull: too much is accepted and not yet acknowledged.
	ErrFull = errors.New("journal is full")
	// ErrClosed: the journal was closed.
	ErrClosed = errors.New("journal is closed")
)

// Config is how a journal is kept.
type Config struct {
	// Dir is the journal's own directory; it is created.
	Dir string
	// MaxOpen bounds the triggers that are accepted and not yet acknowledged; beyond it
	// Commit answers ErrFull. Default 100,000.
	MaxOpen int
	// MaxBytes bounds the memory of the same, sources included. Default 256 MiB.
	MaxBytes int64
	// GenerationBytes is how far a file grows before the next snapshot, at least; a
	// large snapshot doubles first. Default 32 MiB.
	GenerationBytes int64
	// Log takes what an operator should know. Default: nothing is logged.
	Log *slog.Logger
}

// Journal is an executor's memory on disk. Its methods may be called concurrently.
type Journal struct {
	cfg  Config
	log  *slog.Logger
	lock *os.File

	// turn is held by the caller that writes for all; its room of one is the lock. It is
	// taken before mu.
	turn chan struct{}
	gen  generation // guarded by turn

	mu       sync.Mutex // guards what follows
	state    *state
	inFlight map[int64]bool // reserved, neither committed nor released
	landed   *sync.Cond     // on mu: inFlight has shrunk
	next     *batch         // gathers until someone with the turn takes it
	closed   bool
}

// Open locks the directory and replays it. Nothing is written before the first commit.
func Open(cfg Config) (*Journal, error) {
	cfg.MaxOpen = cmp.Or(cfg.MaxOpen, 100_000)
	cfg.MaxBytes = cmp.Or(cfg.MaxBytes, 256<<20)
	cfg.GenerationBytes = cmp.Or(cfg.GenerationBytes, 32<<20)
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("create journal directory: %w", err)
	}
	lock, err := lockDir(cfg.Dir)
	if err != nil {
		return nil, err
	}
	j := &Journal{
		cfg:      cfg,
		log:      cmp.Or(cfg.Log, slog.New(slog.DiscardHandler)).With("component", "journal"),
		lock:     lock,
		turn:     make(chan struct{}, 1),
		state:    newState(),
		inFlight: make(map[int64]bool),
		next:     newBatch(),
	}
	j.landed = sync.NewCond(&j.mu)
	if err := j.replay(); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return j, nil
}

// Recovered is what a restart finds unfinished, each in the order of acceptance.
type Recovered struct {
	Queued  []protocol.Trigger  // accepted, not begun: run them
	Begun   []protocol.Trigger  // begun, not ended: lost, or run again when idempotent
	Unacked []protocol.Callback // ended: send them again
}

// Recover tells what was unfinished when the journal was opened.
func (j *Journal) Recover() Recovered {
	j.mu.Lock()
	defer j.mu.Unlock()
	var r Recovered
	for _, e := range j.state.inOrder() {
		switch e.phase {
		case accepted:
			r.Queued = append(r.Queued, e.trigger)
		case started:
			r.Begun = append(r.Begun, e.trigger)
		case ended:
			r.Unacked = append(r.Unacked, e.result)
		}
	}
	return r
}

// Reserve marks triggers as being accepted and reports for each whether it was accepted
// before: such a one is not reserved. It waits while one of the log ids is reserved by
// someone else, because only then is it known what became of it. The log ids must
// differ; what was reserved must be committed or released.
func (j *Journal) Reserve(triggers ...protocol.Trigger) (repeat []bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for j.anyInFlight(triggers) {
		j.landed.Wait()
	}
	repeat = make([]bool, len(triggers))
	for i, t := range triggers {
		if repeat[i] = j.state.knows(t); !repeat[i] {
			j.inFlight[int64(t.LogID)] = true
		}
	}
	return repeat
}

func (j *Journal) anyInFlight(triggers []protocol.Trigger) bool {
	return slices.ContainsFunc(triggers, func(t protocol.Trigger) bool { return j.inFlight[int64(t.LogID)] })
}

// Release gives reserved ids back unaccepted.
func (j *Journal) Release(ids ...int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.release(ids)
}

func (j *Journal) release(ids []int64) {
	for _, id := range ids {
		delete(j.inFlight, id)
	}
	j.landed.Broadcast()
}

// Commit makes reserved triggers durable, all or none, and ends their reservation.
// The triggers that come back share their sources' memory.
func (j *Journal) Commit(triggers []protocol.Trigger) ([]protocol.Trigger, error) {
	ids := make([]int64, len(triggers))
	for i := range triggers {
		ids[i] = int64(triggers[i].LogID)
	}
	defer j.Release(ids...)
	if err := j.room(len(triggers)); err != nil {
		return nil, err
	}
	op := &acceptOp{triggers: triggers, atMS: time.Now().UnixMilli()}
	if err := j.commit(op); err != nil {
		return nil, fmt.Errorf("journal triggers: %w", err)
	}
	return op.triggers, nil
}

// room refuses what would outgrow the limits. Concurrent commits may together exceed
// them by one batch each.
func (j *Journal) room(n int) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.state.entries)+n > j.cfg.MaxOpen {
		return fmt.Errorf("%w: %d triggers are queued, running or not acknowledged by the admin (limit %d)",
			ErrFull, len(j.state.entries), j.cfg.MaxOpen)
	}
	if j.state.bytes > j.cfg.MaxBytes {
		j.state.dropUnusedSources()
	}
	if j.state.bytes > j.cfg.MaxBytes {
		return fmt.Errorf("%w: open triggers and results take %d bytes (limit %d)", ErrFull, j.state.bytes, j.cfg.MaxBytes)
	}
	return nil
}

// Start makes durable that a run's code begins now. On an error it must not begin.
func (j *Journal) Start(id int64) error {
	if err := j.commit(&startOp{id: id, atMS: time.Now().UnixMilli()}); err != nil {
		return fmt.Errorf("journal start of run %d: %w", id, err)
	}
	return nil
}

// End makes results durable. On an error they are kept in memory, still count as held,
// and get into the journal as soon as it can be written; sending them is safe.
func (j *Journal) End(results ...protocol.Callback) error {
	if err := j.commit(&endOp{results: results}); err != nil {
		return fmt.Errorf("journal %d results: %w", len(results), err)
	}
	return nil
}

// Ack forgets results that the admin has taken. On an error they may be sent once more
// after a crash, which admins ignore.
func (j *Journal) Ack(ids ...int64) error {
	if err := j.commit(&ackOp{ids: ids}); err != nil {
		return fmt.Errorf("journal %d acknowledgements: %w", len(ids), err)
	}
	return nil
}

// Held lists the log ids that were accepted, or are being accepted, and whose result is
// not acknowledged.
func (j *Journal) Held() []int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	ids := make([]int64, 0, len(j.state.entries)+len(j.inFlight))
	ids = slices.AppendSeq(ids, maps.Keys(j.state.entries))
	return slices.AppendSeq(ids, maps.Keys(j.inFlight))
}

// Holds reports whether a log id is among those of Held.
func (j *Journal) Holds(id int64) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.state.entries[id] != nil
}

// repairEvery is how often Run looks after a journal that could not be written.
const repairEvery = time.Second

// Run retries a failed write until ctx ends, so that results which only memory holds
// reach the disk without waiting for the next trigger.
func (j *Journal) Run(ctx context.Context) error {
	tick := time.NewTicker(repairEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			j.repair()
		}
	}
}

// repair needs no logging: the failure was logged when it began, its end is by the writer.
func (j *Journal) repair() {
	j.turn <- struct{}{}
	defer func() { <-j.turn }()
	if j.gen.failing {
		_ = j.write(newBatch())
	}
}

// Close writes what is pending, if it can, and unlocks the directory. Once closed, it
// does nothing.
func (j *Journal) Close() error {
	j.mu.Lock()
	if j.closed {
		j.mu.Unlock()
		return nil
	}
	j.closed = true // nobody joins the batch any more
	last := j.next
	j.mu.Unlock()

	j.turn <- struct{}{}
	defer func() { <-j.turn }()
	if j.take(last) && (len(last.ops) > 0 || j.gen.failing) {
		last.err = j.write(last)
	}
	close(last.done)
	return errors.Join(j.gen.close(), j.lock.Close())
}
