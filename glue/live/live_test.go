package live

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gluewheel/gluewheel/glue"
	"github.com/gluewheel/gluewheel/runtime"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeEngine makes programs that know whether they are open.
type fakeEngine struct {
	prepared atomic.Int32
	open     atomic.Int32
	gate     chan struct{} // nil: prepare at once
}

func (e *fakeEngine) Types() []string { return []string{string(glue.Lua), string(glue.WASM)} }
func (e *fakeEngine) Close() error    { return nil }

func (e *fakeEngine) Prepare(ctx context.Context, src runtime.Source) (runtime.Program, error) {
	if e.gate != nil {
		select {
		case <-e.gate:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	if string(src.Code) == "bad" {
		return nil, &runtime.InvalidError{Line: 1, Message: "syntax"}
	}
	e.prepared.Add(1)
	e.open.Add(1)
	return &fakeProgram{engine: e, src: src}, nil
}

type fakeProgram struct {
	engine *fakeEngine
	src    runtime.Source
	closed atomic.Bool
}

func (p *fakeProgram) Run(context.Context, runtime.Request) runtime.Result { return runtime.Result{} }

func (p *fakeProgram) Close() error {
	if p.closed.Swap(true) {
		return errors.New("closed twice")
	}
	p.engine.open.Add(-1)
	return nil
}

func setup(t *testing.T) (*Set, *fakeEngine) {
	t.Helper()
	engine := &fakeEngine{}
	s, err := New(Config{Engines: []runtime.Engine{engine}})
	require.NoError(t, err)
	return s, engine
}

func lua(job int32, stamp int64, source string) Version {
	return Version{JobID: job, Type: glue.Lua, Stamp: stamp, Source: source}
}

func acquire(t *testing.T, s *Set, v Version) *Lease {
	t.Helper()
	l, err := s.Acquire(t.Context(), v)
	require.NoError(t, err)
	return l
}

func code(l *Lease) string { return string(l.Program().(*fakeProgram).src.Code) }

func TestSet_SameVersionIsPreparedOnce(t *testing.T) {
	t.Parallel()
	s, engine := setup(t)
	a, b := acquire(t, s, lua(1, 10, "x")), acquire(t, s, lua(1, 10, "x"))
	require.Same(t, a.Program(), b.Program())
	a.Release()
	b.Release()
	c := acquire(t, s, lua(1, 10, "x"))
	require.Same(t, a.Program(), c.Program(), "the newest stays warm")
	c.Release()
	require.EqualValues(t, 1, engine.prepared.Load())
	s.Close()
	require.Zero(t, engine.open.Load())
}

func TestSet_OldVersionDrains(t *testing.T) {
	t.Parallel()
	s, engine := setup(t)
	old := acquire(t, s, lua(1, 10, "old"))
	for name, v := range map[string]Version{
		"stamp":    lua(1, 11, "new"),
		"older":    lua(1, 9, "new"),
		"manifest": {JobID: 1, Type: glue.Lua, Stamp: 10, Source: "new", Manifest: glue.Manifest{Hosts: []string{"x"}}},
		"digest":   {JobID: 1, Type: glue.Lua, Stamp: 10, Source: "new", Digest: "sha256:1"},
		"number":   {JobID: 1, Type: glue.Lua, Stamp: 10, Source: "new", Number: 2},
	} {
		next := acquire(t, s, v)
		require.Equal(t, "new", code(next), "another %s is another version", name)
		next.Release()
	}
	require.False(t, old.Program().(*fakeProgram).closed.Load(), "its run is not disturbed")
	require.EqualValues(t, 2, engine.open.Load())
	old.Release()
	require.True(t, old.Program().(*fakeProgram).closed.Load())
	other := acquire(t, s, lua(2, 10, "other job"))
	other.Release()
	s.Forget(1)
	require.EqualValues(t, 1, engine.open.Load())
	s.Forget(1)
	s.Forget(2)
	require.Zero(t, engine.open.Load())
}

func TestSet_ForgetWaitsForTheRun(t *testing.T) {
	t.Parallel()
	s, engine := setup(t)
	l := acquire(t, s, lua(1, 10, "x"))
	s.Forget(1)
	require.EqualValues(t, 1, engine.open.Load())
	l.Release()
	require.Zero(t, engine.open.Load())
}

func TestSet_Failures(t *testing.T) {
	t.Parallel()
	s, engine := setup(t)
	_, err := s.Acquire(t.Context(), lua(1, 10, "bad"))
	var invalid *runtime.InvalidError
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, 1, invalid.Line)
	_, err = s.Acquire(t.Context(), Version{JobID: 1, Type: glue.PHP})
	require.ErrorIs(t, err, ErrNoEngine)
	_, err = s.Acquire(t.Context(), Version{JobID: 1, Type: glue.WASM, Module: true, Digest: "sha256:x"})
	require.ErrorContains(t, err, "fetches no modules")
	good := acquire(t, s, lua(1, 10, "good"))
	require.Equal(t, "good", code(good), "a failure is not remembered")
	good.Release()
	s.Close()
	require.Zero(t, engine.open.Load())
}

func TestSet_WaiterGivesUpAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, engine := setup(t)
		engine.gate = make(chan struct{})
		var leader sync.WaitGroup
		leader.Go(func() {
			l, err := s.Acquire(context.Background(), lua(1, 10, "x"))
			require.NoError(t, err)
			l.Release()
		})
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := s.Acquire(ctx, lua(1, 10, "x"))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		close(engine.gate)
		leader.Wait()
		again := acquire(t, s, lua(1, 10, "x"))
		again.Release()
		require.EqualValues(t, 1, engine.prepared.Load())
		s.Close()
		require.Zero(t, engine.open.Load())
	})
}

func TestSet_Types(t *testing.T) {
	t.Parallel()
	s, engine := setup(t)
	require.Equal(t, []glue.Type{glue.Lua, glue.WASM}, s.Types())
	require.True(t, s.Runs(glue.Lua))
	require.False(t, s.Runs(glue.Bean))
	_, err := New(Config{Engines: []runtime.Engine{engine, engine}})
	require.ErrorContains(t, err, "two engines run")
}

func TestSet_Hammer(t *testing.T) {
	t.Parallel()
	s, engine := setup(t)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 300 {
				v := lua(int32(i%3), int64((i+w)%4), "x")
				l, err := s.Acquire(context.Background(), v)
				if err != nil {
					t.Error(err)
					return
				}
				if p := l.Program().(*fakeProgram); p.closed.Load() || p.src.Version != v.Stamp {
					t.Errorf("wrong or closed program for stamp %d", v.Stamp)
				}
				l.Release()
				if i%40 == 0 {
					s.Forget(int32(i % 3))
				}
			}
		})
	}
	wg.Wait()
	s.Close()
	require.Zero(t, engine.open.Load())
}

// fakeAdmin serves modules and counts.
type fakeAdmin struct {
	modules map[string][]byte
	fetched atomic.Int32
}

func (a *fakeAdmin) fetch(_ context.Context, digest string, runID int64, epoch int32) ([]byte, error) {
	a.fetched.Add(1)
	if runID != 7 || epoch != 3 {
		return nil, errors.New("not dispatched to you")
	}
	code, ok := a.modules[digest]
	if !ok {
		return nil, fmt.Errorf("no module %s", digest)
	}
	return code, nil
}

func setupModules(t *testing.T, maxBytes int64) (*Modules, *fakeAdmin, string) {
	t.Helper()
	admin, dir := &fakeAdmin{modules: make(map[string][]byte)}, t.TempDir()
	m, err := OpenModules(ModulesConfig{Dir: dir, MaxBytes: maxBytes, Fetch: admin.fetch})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m, admin, dir
}

func (a *fakeAdmin) add(code string) (digest string) {
	digest = glue.Digest([]byte(code))
	a.modules[digest] = []byte(code)
	return digest
}

func TestModules_FetchedOnce(t *testing.T) {
	t.Parallel()
	m, admin, dir := setupModules(t, 0)
	digest := admin.add("module")
	for range 3 {
		code, err := m.Get(t.Context(), digest, 7, 3)
		require.NoError(t, err)
		require.Equal(t, "module", string(code))
	}
	require.EqualValues(t, 1, admin.fetched.Load())

	name := strings.TrimPrefix(digest, digestPrefix)
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("damaged"), 0o600))
	code, err := m.Get(t.Context(), digest, 7, 3)
	require.NoError(t, err)
	require.Equal(t, "module", string(code), "what is on disk is checked")
	require.EqualValues(t, 2, admin.fetched.Load())
}

func TestModules_Refusals(t *testing.T) {
	t.Parallel()
	m, admin, dir := setupModules(t, 0)
	digest := admin.add("module")
	_, err := m.Get(t.Context(), digest, 8, 3)
	require.ErrorContains(t, err, "not dispatched to you")
	admin.modules[digest] = []byte("something else")
	_, err = m.Get(t.Context(), digest, 7, 3)
	require.ErrorIs(t, err, ErrDigest)
	for _, bad := range []string{"", "sha256:", "sha256:../../etc/passwd", "md5:" + strings.Repeat("a", 64), strings.Repeat("a", 64)} {
		_, err := m.Get(t.Context(), bad, 7, 3)
		require.ErrorContains(t, err, "is not a digest")
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestModules_LeastRecentlyUsedLeaves(t *testing.T) {
	t.Parallel()
	m, admin, dir := setupModules(t, 250)
	get := func(digest string) {
		_, err := m.Get(t.Context(), digest, 7, 3)
		require.NoError(t, err)
	}
	var digests []string
	for i := range 3 {
		digests = append(digests, admin.add(strings.Repeat(fmt.Sprint(i), 100)))
	}
	age := func(digest string, d time.Duration) {
		at := time.Now().Add(-d)
		require.NoError(t, os.Chtimes(filepath.Join(dir, strings.TrimPrefix(digest, digestPrefix)), at, at))
	}
	get(digests[0])
	get(digests[1])
	age(digests[0], 2*time.Hour)
	age(digests[1], time.Hour)
	get(digests[0]) // used again: the second is the oldest now
	get(digests[2])
	require.EqualValues(t, 3, admin.fetched.Load())
	get(digests[0])
	require.EqualValues(t, 3, admin.fetched.Load())

	age(digests[0], unusedFor+time.Hour)
	get(digests[1])
	require.EqualValues(t, 4, admin.fetched.Load(), "it had left")
	require.NoFileExists(t, filepath.Join(dir, strings.TrimPrefix(digests[0], digestPrefix)), "unused for a month")
}

func TestModules_ACacheThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	m, admin, dir := setupModules(t, 0)
	require.NoError(t, os.RemoveAll(dir))
	code, err := m.Get(t.Context(), admin.add("module"), 7, 3)
	require.NoError(t, err)
	require.Equal(t, "module", string(code))
}

func TestSet_RunsAModule(t *testing.T) {
	t.Parallel()
	m, admin, _ := setupModules(t, 0)
	engine := &fakeEngine{}
	s, err := New(Config{Engines: []runtime.Engine{engine}, Modules: m})
	require.NoError(t, err)
	digest := admin.add("wasm")
	l := acquire(t, s, Version{
		JobID: 1, Type: glue.WASM, Module: true, Digest: digest, RunID: 7, Epoch: 3,
		Manifest: glue.Manifest{MemoryBytes: 1, CPUSeconds: 2, LogBytes: 3, Hosts: []string{"a.test"}},
	})
	src := l.Program().(*fakeProgram).src
	require.Equal(t, "wasm", string(src.Code))
	require.Equal(t, digest, src.Digest)
	require.Equal(t, runtime.Limits{MemoryBytes: 1, CPU: 2 * time.Second, LogBytes: 3}, src.Limits)
	require.Equal(t, []string{"a.test"}, src.Grants.Hosts)
	again := acquire(t, s, Version{
		JobID: 1, Type: glue.WASM, Module: true, Digest: digest, RunID: 8, Epoch: 1,
		Manifest: glue.Manifest{MemoryBytes: 1, CPUSeconds: 2, LogBytes: 3, Hosts: []string{"a.test"}},
	})
	require.Same(t, l.Program(), again.Program(), "another run of the same version")
	l.Release()
	again.Release()
	s.Close()
}
