package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/executor/protocol"
)

func open(t *testing.T, cfg Config) *Journal {
	t.Helper()
	j, err := Open(cfg)
	require.NoError(t, err)
	return j
}

// reopen closes j, if it is still open, and replays its directory.
func reopen(t *testing.T, j *Journal) *Journal {
	t.Helper()
	require.NoError(t, j.Close())
	again := open(t, j.cfg)
	t.Cleanup(func() { require.NoError(t, again.Close()) })
	return again
}

func trigger(id int64, source string) protocol.Trigger {
	return protocol.Trigger{
		JobID: 7, LogID: protocol.Int(id), ExecutorHandler: "h", ExecutorParams: "p", GlueType: "GLUE_LUA",
		GlueSource: source, Gluewheel: &protocol.TriggerX{Epoch: 3, Manifest: []byte(`{"log_bytes":5}`)},
	}
}

func result(id int64) protocol.Callback {
	msg := fmt.Sprintf("result %d", id)
	return protocol.Callback{
		LogID: protocol.Int(id), HandleCode: protocol.CodeOK, HandleMsg: &msg,
		Gluewheel: &protocol.CallbackX{Outcome: protocol.OutcomeSucceeded},
	}
}

func accept(t *testing.T, j *Journal, triggers ...protocol.Trigger) {
	t.Helper()
	for _, tr := range triggers {
		require.Equal(t, []bool{false}, j.Reserve(tr))
	}
	_, err := j.Commit(triggers)
	require.NoError(t, err)
}

func reserve(j *Journal, ids ...int64) []bool {
	var triggers []protocol.Trigger
	for _, id := range ids {
		triggers = append(triggers, trigger(id, ""))
	}
	return j.Reserve(triggers...)
}

func ids[T any](list []T, id func(T) protocol.Int) []int64 {
	var all []int64
	for _, v := range list {
		all = append(all, int64(id(v)))
	}
	return all
}

func triggerID(t protocol.Trigger) protocol.Int  { return t.LogID }
func resultID(cb protocol.Callback) protocol.Int { return cb.LogID }

func TestJournal_EachPhaseSurvivesARestart(t *testing.T) {
	t.Parallel()
	j := open(t, Config{Dir: t.TempDir()})
	accept(t, j, trigger(1, "a"), trigger(2, "a"), trigger(3, "b"), trigger(4, ""), trigger(5, "a"))
	require.NoError(t, j.Start(2))
	require.NoError(t, j.Start(3))
	require.NoError(t, j.End(result(3)))
	require.NoError(t, j.Start(4))
	require.NoError(t, j.End(result(4)))
	require.NoError(t, j.Ack(4))

	for restart := range 3 { // the state lives through snapshots of snapshots
		j = reopen(t, j)
		r := j.Recover()
		require.Equal(t, []protocol.Trigger{trigger(1, "a"), trigger(5, "a")}, r.Queued, "restart %d", restart)
		require.Equal(t, []protocol.Trigger{trigger(2, "a")}, r.Begun)
		require.Equal(t, []protocol.Callback{result(3)}, r.Unacked)
		require.ElementsMatch(t, []int64{1, 2, 3, 5}, j.Held())
		require.True(t, j.Holds(3))
		require.False(t, j.Holds(4))
		require.Equal(t, []bool{true, true, true, true, true, false}, reserve(j, 1, 2, 3, 4, 5, 6))
		j.Release(6)
		require.NoError(t, j.Start(2), "a write begins the next generation")
	}
}

func TestJournal_DroppedUnrun(t *testing.T) {
	t.Parallel()
	j := open(t, Config{Dir: t.TempDir()})
	accept(t, j, trigger(1, "a"))
	require.NoError(t, j.End(result(1)))
	r := reopen(t, j).Recover()
	require.Empty(t, r.Queued)
	require.Equal(t, []int64{1}, ids(r.Unacked, resultID))
}

func TestJournal_ReserveWaitsForTheOther(t *testing.T) {
	t.Parallel()
	for name, committed := range map[string]bool{"committed": true, "released": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := open(t, Config{Dir: t.TempDir()})
			t.Cleanup(func() { require.NoError(t, j.Close()) })
			require.Equal(t, []bool{false, false}, reserve(j, 1, 2))
			repeat := make(chan []bool)
			go func() { repeat <- reserve(j, 2, 3) }()
			select {
			case <-repeat:
				require.Fail(t, "the other has not decided yet")
			case <-time.After(20 * time.Millisecond):
			}
			if committed {
				_, err := j.Commit([]protocol.Trigger{trigger(1, ""), trigger(2, "")})
				require.NoError(t, err)
			} else {
				j.Release(1, 2)
			}
			require.Equal(t, []bool{committed, false}, <-repeat)
		})
	}
}

func TestJournal_SourcesAreSharedAndWrittenOnce(t *testing.T) {
	t.Parallel()
	j := open(t, Config{Dir: t.TempDir()})
	source := strings.Repeat("x", 1<<20)
	for id := range int64(50) {
		accept(t, j, trigger(id+1, source))
		require.NoError(t, j.End(result(id+1)))
		require.NoError(t, j.Ack(id+1))
	}
	require.Less(t, j.gen.size, int64(2<<20), "one copy in the file")
	require.Less(t, j.state.bytes, int64(2<<20), "one copy in memory")
	accept(t, j, trigger(100, source))
	require.Equal(t, []protocol.Trigger{trigger(100, source)}, reopen(t, j).Recover().Queued)
}

func TestJournal_SourceDroppedWhileItsTriggerIsWritten(t *testing.T) {
	t.Parallel()
	j := open(t, Config{Dir: t.TempDir(), GenerationBytes: 1})
	op := &acceptOp{triggers: []protocol.Trigger{trigger(1, "a")}, atMS: time.Now().UnixMilli()}
	_, err := op.encode(j.state, nil)
	require.NoError(t, err)
	j.state.dropUnusedSources()
	op.apply(j.state, true)
	require.NoError(t, j.Start(1), "a snapshot needs the source")
	require.Equal(t, []protocol.Trigger{trigger(1, "a")}, reopen(t, j).Recover().Begun)
}

func TestJournal_TornTail(t *testing.T) {
	t.Parallel()
	whole := t.TempDir()
	j := open(t, Config{Dir: whole})
	accept(t, j, trigger(1, "a"))
	safe := j.gen.size
	accept(t, j, trigger(2, "a"))
	raw, err := os.ReadFile(j.path(j.gen.number))
	require.NoError(t, err)
	name := filepath.Base(j.path(j.gen.number))
	require.NoError(t, j.Close())

	damages := map[string]func([]byte) []byte{
		"last byte missing":  func(b []byte) []byte { return b[:len(b)-1] },
		"half a length":      func(b []byte) []byte { return b[:safe+2] },
		"length of nonsense": func(b []byte) []byte { return append(b[:safe:safe], slices.Repeat([]byte{0xff}, 40)...) },
		"zeros":              func(b []byte) []byte { return append(b[:safe:safe], make([]byte, 100)...) },
		"a bit turned":       func(b []byte) []byte { b = slices.Clone(b); b[safe+20] ^= 4; return b },
	}
	for name2, damage := range damages {
		t.Run(name2, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), damage(raw), 0o600))
			j := open(t, Config{Dir: dir})
			require.Equal(t, []int64{1}, ids(j.Recover().Queued, triggerID))
			accept(t, j, trigger(3, "a"))
			require.Equal(t, []int64{1, 3}, ids(reopen(t, j).Recover().Queued, triggerID))
		})
	}
}

func TestJournal_UnknownFormatIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, filePrefix+"0000000000000001")
	require.NoError(t, os.WriteFile(path, appendRecord(nil, recordHeader, []byte("gluewheel journal 9")), 0o600))
	_, err := Open(Config{Dir: dir})
	require.ErrorContains(t, err, "unknown format")
}

func TestJournal_GenerationsStaySmall(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j := open(t, Config{Dir: dir, GenerationBytes: 4 << 10})
	accept(t, j, trigger(1_000_000, "kept"))
	for id := range int64(500) {
		accept(t, j, trigger(id+1, "s"))
		require.NoError(t, j.Start(id+1))
		require.NoError(t, j.End(result(id+1)))
		require.NoError(t, j.Ack(id+1))
	}
	require.Greater(t, j.gen.number, int64(10))
	numbers, err := j.generations()
	require.NoError(t, err)
	require.Len(t, numbers, 1)
	require.Less(t, j.gen.size, int64(16<<10))

	j = reopen(t, j)
	require.Equal(t, []int64{1_000_000}, j.Held())
	require.Equal(t, []bool{true, true, false}, reserve(j, 1, 500, 501))
}

func TestJournal_CrashBetweenGenerations(t *testing.T) {
	t.Parallel()
	j := open(t, Config{Dir: t.TempDir()})
	accept(t, j, trigger(1, "a"))
	old, err := os.ReadFile(j.path(j.gen.number))
	require.NoError(t, err)
	oldPath := j.path(j.gen.number)
	require.NoError(t, j.Close())
	j = open(t, j.cfg)
	require.NoError(t, j.End(result(1)))
	// The old file is still there, and the next one was begun but not finished.
	require.NoError(t, os.WriteFile(oldPath, old, 0o600))
	require.NoError(t, os.WriteFile(j.path(j.gen.number+1)+tempSuffix, []byte("half"), 0o600))
	r := reopen(t, j).Recover()
	require.Empty(t, r.Queued)
	require.Equal(t, []int64{1}, ids(r.Unacked, resultID))
}

func TestJournal_Bounds(t *testing.T) {
	t.Parallel()
	cases := map[string]Config{"entries": {MaxOpen: 2}, "bytes": {MaxBytes: 100_000}}
	for name, cfg := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg.Dir = t.TempDir()
			j := open(t, cfg)
			t.Cleanup(func() { require.NoError(t, j.Close()) })
			accept(t, j, trigger(1, strings.Repeat("a", 60_000)))
			accept(t, j, trigger(2, strings.Repeat("b", 60_000)))
			require.Equal(t, []bool{false}, reserve(j, 3))
			_, err := j.Commit([]protocol.Trigger{trigger(3, "")})
			require.ErrorIs(t, err, ErrFull)

			require.NoError(t, j.End(result(1)))
			require.NoError(t, j.Ack(1))
			accept(t, j, trigger(3, ""))
		})
	}
}

func TestJournal_SeenIDsExpire(t *testing.T) {
	t.Parallel()
	s := newSeen()
	now := time.Date(2026, 1, 2, 12, 30, 0, 0, time.UTC)
	s.add(hourOf(now.Add(-25*time.Hour).UnixMilli()), 1)
	s.add(hourOf(now.Add(-24*time.Hour).UnixMilli()), 2)
	s.add(hourOf(now.UnixMilli()), 3)
	s.expire(now)
	require.False(t, s.has(1))
	require.True(t, s.has(2))
	require.True(t, s.has(3))
}

func TestJournal_AnotherInstantIsAnotherTrigger(t *testing.T) {
	t.Parallel()
	j := open(t, Config{Dir: t.TempDir()})
	before, after := trigger(1, ""), trigger(1, "")
	before.LogDateTimeMS, after.LogDateTimeMS = 1_763_700_000_123, 1_763_700_060_123
	accept(t, j, before)
	require.Equal(t, []bool{true}, j.Reserve(after), "never two open ones under one id")
	require.NoError(t, j.End(result(1)))
	require.NoError(t, j.Ack(1))

	j = reopen(t, j)
	require.Equal(t, []bool{true}, j.Reserve(before))
	require.Equal(t, []bool{false}, j.Reserve(after), "the database was made anew")
	j.Release(1)
}

func TestJournal_OneProcessADirectory(t *testing.T) {
	t.Parallel()
	j := open(t, Config{Dir: t.TempDir()})
	_, err := Open(j.cfg)
	require.ErrorIs(t, err, ErrLocked)
	require.NoError(t, j.Close())
	require.NoError(t, open(t, j.cfg).Close())
}

func TestJournal_Closed(t *testing.T) {
	t.Parallel()
	j := open(t, Config{Dir: t.TempDir()})
	require.NoError(t, j.Close())
	require.ErrorIs(t, j.Start(1), ErrClosed)
}

// fullDisk is a disk that takes nothing while full is set.
type fullDisk struct {
	mu   sync.Mutex
	full bool
}

func (d *fullDisk) set(full bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.full = full
}

func (d *fullDisk) isFull() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.full
}

func (d *fullDisk) create(path string) (file, error) {
	if d.isFull() {
		return nil, syscall.ENOSPC
	}
	f, err := os.Create(path)
	return &fullFile{File: f, disk: d}, err
}

// fullFile takes the half of a write when its disk is full, as a real one may.
type fullFile struct {
	*os.File
	disk *fullDisk
}

func (f *fullFile) Write(p []byte) (int, error) {
	if f.disk.isFull() {
		n, err := f.File.Write(p[:len(p)/2])
		return n, errors.Join(err, syscall.ENOSPC)
	}
	return f.File.Write(p)
}

func TestJournal_DiskFull(t *testing.T) {
	t.Parallel()
	var disk fullDisk
	j := open(t, Config{Dir: t.TempDir()})
	j.gen.create = disk.create
	accept(t, j, trigger(1, "a"), trigger(2, "a"), trigger(3, "b"))
	require.NoError(t, j.Start(1))

	disk.set(true)
	require.Equal(t, []bool{false}, reserve(j, 4))
	_, err := j.Commit([]protocol.Trigger{trigger(4, "a")})
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.ErrorIs(t, j.Start(2), syscall.ENOSPC)
	require.ErrorIs(t, j.End(result(1)), syscall.ENOSPC)
	require.ElementsMatch(t, []int64{1, 2, 3}, j.Held(), "nothing accepted is lost, nothing refused is kept")

	t.Run("a crash now loses only what was not durable", func(t *testing.T) {
		dir := t.TempDir()
		require.NoError(t, os.CopyFS(dir, os.DirFS(j.cfg.Dir)))
		crashed := open(t, Config{Dir: dir})
		r := crashed.Recover()
		require.Equal(t, []int64{2, 3}, ids(r.Queued, triggerID))
		require.Equal(t, []int64{1}, ids(r.Begun, triggerID))
		require.NoError(t, crashed.Close())
	})

	disk.set(false)
	j.repair()
	require.Equal(t, []bool{false}, reserve(j, 4), "it was refused, so it may come again")
	_, err = j.Commit([]protocol.Trigger{trigger(4, "a")})
	require.NoError(t, err)
	require.NoError(t, j.Start(2))

	r := reopen(t, j).Recover()
	require.Equal(t, []int64{3, 4}, ids(r.Queued, triggerID))
	require.Equal(t, []int64{2}, ids(r.Begun, triggerID))
	require.Equal(t, []int64{1}, ids(r.Unacked, resultID))
}

func TestJournal_RunRepairs(t *testing.T) {
	t.Parallel()
	var disk fullDisk
	j := open(t, Config{Dir: t.TempDir()})
	j.gen.create = disk.create
	accept(t, j, trigger(1, "a"))
	disk.set(true)
	require.Error(t, j.End(result(1)))
	disk.set(false)

	var run sync.WaitGroup
	ctx, stop := cancelable(t)
	run.Go(func() { _ = j.Run(ctx) })
	require.Eventually(t, func() bool {
		j.turn <- struct{}{}
		defer func() { <-j.turn }()
		return !j.gen.failing
	}, 30*time.Second, 10*time.Millisecond)
	stop()
	run.Wait()
	require.Equal(t, []int64{1}, ids(reopen(t, j).Recover().Unacked, resultID))
}

// TestJournal_Hammer has many callers share the journal, with small generations, and
// compares what a restart finds with what they were told.
func TestJournal_Hammer(t *testing.T) {
	t.Parallel()
	j := open(t, Config{Dir: t.TempDir(), GenerationBytes: 8 << 10})
	const callers, each = 8, 60
	var wg sync.WaitGroup
	for c := range int64(callers) {
		wg.Go(func() {
			for i := range int64(each) {
				id := c*each + i + 1
				tr := trigger(id, fmt.Sprintf("source %d", i%5))
				if j.Reserve(tr)[0] {
					t.Errorf("id %d is new", id)
					return
				}
				if _, err := j.Commit([]protocol.Trigger{tr}); err != nil {
					t.Errorf("commit: %v", err)
				}
				steps := []func() error{
					func() error { return j.Start(id) },
					func() error { return j.End(result(id)) },
					func() error { return j.Ack(id) },
				}
				for _, step := range steps[:id%4] {
					if err := step(); err != nil {
						t.Errorf("step: %v", err)
					}
				}
			}
		})
	}
	wg.Wait()
	r := reopen(t, j).Recover()
	phases := map[int64][]int64{
		0: ids(r.Queued, triggerID), 1: ids(r.Begun, triggerID), 2: ids(r.Unacked, resultID),
	}
	for phase, found := range phases {
		require.Len(t, found, callers*each/4)
		for _, id := range found {
			require.Equal(t, phase, id%4)
		}
	}
	for _, tr := range r.Queued {
		require.Equal(t, trigger(int64(tr.LogID), fmt.Sprintf("source %d", (tr.LogID-1)%each%5)), tr)
	}
}

func BenchmarkJournal_Life(b *testing.B) {
	j, err := Open(Config{Dir: b.TempDir()})
	require.NoError(b, err)
	source := strings.Repeat("x", 4<<10)
	var mu sync.Mutex
	next := int64(0)
	b.SetParallelism(64)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			mu.Lock()
			next++
			id := next
			mu.Unlock()
			tr := trigger(id, source)
			j.Reserve(tr)
			_, err := j.Commit([]protocol.Trigger{tr})
			err = errors.Join(err, j.Start(id), j.End(result(id)), j.Ack(id))
			if err != nil {
				b.Error(err)
				return
			}
		}
	})
	require.NoError(b, j.Close())
}
