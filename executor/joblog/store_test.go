package joblog

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func open(t *testing.T, cfg Config) *Store {
	t.Helper()
	cfg.Location = time.UTC
	s, err := Open(cfg)
	require.NoError(t, err)
	return s
}

// setup is a store in a directory of its own, closed at the end.
func setup(t *testing.T) *Store {
	t.Helper()
	s := open(t, Config{Dir: t.TempDir()})
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// crash copies what is on disk now into a new store, as if the process had died.
func crash(t *testing.T, s *Store) *Store {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(s.cfg.Dir)))
	again := open(t, Config{Dir: dir})
	t.Cleanup(func() { require.NoError(t, again.Close()) })
	return again
}

func read(t *testing.T, s *Store, id int64, from int) Piece {
	t.Helper()
	p, err := s.Read(id, time.Now(), from)
	require.NoError(t, err)
	return p
}

// texts cuts the times off.
func texts(p Piece) []string {
	var all []string
	for line := range strings.Lines(p.Text) {
		all = append(all, strings.TrimSuffix(line[len(timeLayout):], "\n"))
	}
	return all
}

func TestStore_FollowsARun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := setup(t)
		w := s.Begin(42)
		w.Line("first")
		w.Printf("sec%s", "ond")
		p := read(t, s, 42, 1)
		require.Equal(t, "2000-01-01 00:00:00.000 first\n2000-01-01 00:00:00.000 second\n", p.Text)
		require.Equal(t, Piece{From: 1, To: 2, Text: p.Text}, p)

		none := read(t, s, 42, 3)
		require.Equal(t, Piece{From: 3}, none, "nothing yet, and not the end")

		time.Sleep(1500 * time.Millisecond)
		w.Line("third")
		require.Equal(t, "2000-01-01 00:00:01.500 third\n", read(t, s, 42, 3).Text)
		w.Close()
		w.Line("after the end")
		w.Close()
		require.Equal(t, Piece{From: 4, End: true}, read(t, s, 42, 4))
		all := read(t, s, 42, 0)
		require.Equal(t, []string{"first", "second", "third"}, texts(all))
		require.Equal(t, 1, all.From)
		require.True(t, all.End)
	})
}

func TestStore_UnknownRun(t *testing.T) {
	t.Parallel()
	s := setup(t)
	_, err := s.Read(7, time.Now(), 1)
	require.ErrorIs(t, err, ErrNotFound)
	_, err = s.Tail(7, time.Time{}, 10)
	require.ErrorIs(t, err, ErrNotFound)
}

func TestStore_RunWithoutALineHasAnEnd(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.Begin(1).Close()
	require.Equal(t, Piece{From: 1, End: true}, read(t, s, 1, 1))
}

func TestStore_TextIsMadeStorable(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		in   string
		want []string
	}{
		"several lines":   {"a\nb\r\nc\n", []string{"a", "b", "c"}},
		"empty":           {"", []string{""}},
		"empty lines":     {"a\n\nb", []string{"a", "", "b"}},
		"NUL":             {"a\x00b", []string{"ab"}},
		"invalid UTF-8":   {"a\xffb", []string{"a\uFFFDb"}},
		"too long":        {strings.Repeat("x", maxLine+1), []string{strings.Repeat("x", maxLine), "x"}},
		"cut at a letter": {"x" + strings.Repeat("é", maxLine/2), []string{"x" + strings.Repeat("é", maxLine/2-1), "é"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := setup(t)
			w := s.Begin(1)
			w.Line(c.in)
			w.Close()
			require.Equal(t, c.want, texts(read(t, s, 1, 1)))
		})
	}
}

func TestStore_AnswersAreBounded(t *testing.T) {
	t.Parallel()
	s := setup(t)
	w := s.Begin(1)
	const lines = 20_000
	for i := range lines {
		w.Printf("%0100d", i)
	}
	w.Close()
	require.FileExists(t, filepath.Join(s.cfg.Dir, runFile(time.Now(), 1)), "2 MB are a file of their own")
	next := 1
	for {
		p := read(t, s, 1, next)
		require.LessOrEqual(t, len(p.Text), maxAnswer)
		require.Equal(t, next, p.From)
		for i, line := range texts(p) {
			require.Equal(t, fmt.Sprintf("%0100d", next-1+i), line)
		}
		next = p.To + 1
		if p.End {
			break
		}
	}
	require.Equal(t, lines+1, next)
	tail, err := s.Tail(1, time.Now(), 64<<10)
	require.NoError(t, err)
	require.LessOrEqual(t, len(tail), 64<<10)
	require.Greater(t, len(tail), 63<<10)
	require.True(t, strings.HasPrefix(tail, "20"), "whole lines")
	require.Contains(t, tail, fmt.Sprintf("%0100d\n", lines-1))
}

func TestStore_TailOfAShortLog(t *testing.T) {
	t.Parallel()
	s := setup(t)
	w := s.Begin(1)
	w.Line("one")
	w.Line("two")
	whole := read(t, s, 1, 1).Text
	for n, want := range map[int]string{
		1000:           whole,
		len(whole):     whole,
		len(whole) - 1: whole[len(whole)/2:],
		3:              "",
	} {
		tail, err := s.Tail(1, time.Now(), n)
		require.NoError(t, err)
		require.Equal(t, want, tail, "%d bytes", n)
	}
}

func TestStore_ARunIsCutAtItsLimit(t *testing.T) {
	t.Parallel()
	const most = 2 << 20
	s := open(t, Config{Dir: t.TempDir(), MaxRunBytes: most})
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	w := s.Begin(1)
	line := strings.Repeat("x", maxLine)
	for range most/maxLine + 10 {
		w.Line(line)
	}
	w.Close()
	tail, err := s.Tail(1, time.Now(), 200)
	require.NoError(t, err)
	require.Contains(t, tail, "[log cut: the run wrote more than")
	require.LessOrEqual(t, w.bytes, int64(most+maxLine))
}

func TestStore_ALongLogIsReadWhileItGrows(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for id := range int64(2 * maxIndexed) { // more than the index remembers
		w := s.Begin(id)
		line, next := strings.Repeat("x", 1<<10), 1
		for range 3 {
			for range 2 << 10 {
				w.Line(line)
			}
			p := read(t, s, id, next)
			require.NotEmpty(t, p.Text)
			next += 2 << 10
			w.Printf("line %d", next)
			require.Equal(t, []string{fmt.Sprintf("line %d", next)}, texts(read(t, s, id, next)))
			require.Equal(t, p, read(t, s, id, next-2<<10), "what was read stays")
			next++
		}
		w.Close()
		require.True(t, read(t, s, id, next).End)
	}
	require.Len(t, s.owns.files, maxIndexed)
}

func TestStore_RunsOverHoursAndSegments(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := setup(t)
		planned := time.Now()
		w := s.Begin(1)
		w.Line("hour 0")
		s.flush()
		for hour := range 5 {
			time.Sleep(time.Hour)
			w.Printf("hour %d", hour+1)
			s.flush()
			other := s.Begin(int64(100 + hour))
			other.Printf("other %d", hour)
			other.Close()
		}
		w.Close()
		require.Len(t, s.sealed, 5)
		want := []string{"hour 0", "hour 1", "hour 2", "hour 3", "hour 4", "hour 5"}
		for _, at := range []time.Time{planned, planned.Add(30 * time.Minute), {}, planned.Add(24 * time.Hour)} {
			p, err := s.Read(1, at, 1)
			require.NoError(t, err)
			if at.After(planned.Add(time.Hour)) {
				require.NotEmpty(t, p.Text, "a wrong instant still finds a log")
				continue
			}
			require.Equal(t, want, texts(p))
			require.True(t, p.End)
		}
		require.Equal(t, []string{"other 2"}, texts(read(t, s, 102, 1)))
	})
}

func TestStore_AFullSegmentIsSealed(t *testing.T) {
	t.Parallel()
	s := setup(t)
	const runs = segmentFrames + 10
	for id := range int64(runs) {
		w := s.Begin(id + 1)
		w.Line("x")
		w.Close()
	}
	require.Len(t, s.sealed, 1)
	for _, id := range []int64{1, 2, segmentFrames, segmentFrames + 1, runs} {
		require.Equal(t, []string{"x"}, texts(read(t, s, id, 1)), "run %d", id)
	}
	entries, err := os.ReadDir(s.cfg.Dir)
	require.NoError(t, err)
	require.Len(t, entries, 3, "two segments and an index for all runs")
}

func TestStore_SurvivesACrash(t *testing.T) {
	t.Parallel()
	s := setup(t)
	ended, cut, big := s.Begin(1), s.Begin(2), s.Begin(3)
	ended.Line("ended")
	ended.Close()
	cut.Line("begun")
	for range 3 * spillBytes / maxLine {
		big.Line(strings.Repeat("x", maxLine))
	}
	s.flush()
	cut.Line("still in memory")

	// A torn frame at the end of both files.
	dir := s.cfg.Dir
	for _, name := range []string{s.segment.id.base() + segmentSuffix, runFile(time.Now(), 3)} {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_APPEND|os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = f.Write(frame{logID: 2, first: 2, lines: 1, bytes: 100}.appendHeader(nil))
		require.NoError(t, err)
		require.NoError(t, f.Close())
	}
	again := crash(t, s)
	require.True(t, read(t, again, 1, 1).End)
	begun := read(t, again, 2, 1)
	require.Equal(t, []string{"begun"}, texts(begun))
	require.False(t, begun.End)

	for id, lines := range map[int64]int{2: 1, 3: 3 * spillBytes / maxLine} {
		w := again.Resume(id, time.Now())
		w.Line("goes on")
		w.Close()
		p := read(t, again, id, lines+1)
		require.Equal(t, []string{"goes on"}, texts(p), "run %d", id)
		require.True(t, p.End)
	}
	fresh := again.Resume(9, time.Now())
	fresh.Line("never wrote before")
	require.Equal(t, 1, read(t, again, 9, 1).To)
}

func TestStore_RunFlushesAndEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := setup(t)
		ctx, cancel := context.WithCancel(t.Context())
		var run sync.WaitGroup
		run.Go(func() { require.NoError(t, s.Run(ctx)) })
		s.Begin(1).Line("on disk soon")
		time.Sleep(2 * flushEvery)
		synctest.Wait()
		cancel()
		run.Wait()
		require.Equal(t, []string{"on disk soon"}, texts(read(t, crash(t, s), 1, 1)))
	})
}

func TestStore_Clean(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		cfg  Config
		kept []int64 // of runs 0 (now), 1 (a day ago) … 5
	}{
		"by age":            {Config{RetentionDays: 2}, []int64{0, 1, 2}},
		"by size":           {Config{RetentionDays: 30, MaxBytes: 2500}, []int64{0, 1}},
		"never the present": {Config{MaxBytes: 1}, []int64{0}},
		"kept":              {Config{}, []int64{0, 1, 2, 3, 4, 5}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c.cfg.Dir = t.TempDir()
				s := open(t, c.cfg)
				for day := range 6 {
					w := s.Begin(int64(5 - day))
					w.Line(strings.Repeat("x", 1000))
					w.Close()
					if day < 5 {
						time.Sleep(24 * time.Hour)
					}
				}
				s.flush()
				s.clean(time.Now())
				var kept []int64
				for id := range int64(6) {
					if _, err := s.Read(id, time.Time{}, 1); err == nil {
						kept = append(kept, id)
					}
				}
				require.Equal(t, c.kept, kept)
				require.NoError(t, s.Close())
			})
		})
	}
}

func TestStore_ForeignFilesAreLeftAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"notes.log", "2020-01-02T15-1.log", "x", "2020-01-02T15.log"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("mine"), 0o600))
	}
	s := open(t, Config{Dir: dir})
	require.Empty(t, s.sealed)
	require.NoError(t, s.Close())
}

func TestParseSegment(t *testing.T) {
	t.Parallel()
	id := segmentID{hour: time.Date(2026, 1, 2, 15, 0, 0, 0, time.UTC), n: 12}
	require.Equal(t, "2026-01-02T15-0012", id.base())
	parsed, ok := parseSegment(id.base() + segmentSuffix)
	require.True(t, ok)
	require.Equal(t, id, parsed)
	for _, name := range []string{"", ".log", "2026-01-02T15.log", "2026-01-02T15-12.log", "2026-01-02T15-0012.idx", "2026-13-02T15-0012.log"} {
		_, ok := parseSegment(name)
		require.False(t, ok, name)
	}
}

func TestStore_Hammer(t *testing.T) {
	t.Parallel()
	s := setup(t)
	var writers, readers sync.WaitGroup
	done := make(chan struct{})
	for r := range 2 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					_, _ = s.Read(int64(r), time.Now(), 1)
					s.flush()
				}
			}
		})
	}
	const runs, lines = 40, 300
	for id := range int64(runs) {
		writers.Go(func() {
			w := s.Begin(id)
			defer w.Close()
			for i := range lines {
				w.Printf("%d %d %s", id, i, strings.Repeat("x", int(id)*20))
			}
		})
	}
	writers.Wait()
	close(done)
	readers.Wait()
	for id := range int64(runs) {
		var all []string
		for next := 1; ; {
			p := read(t, s, id, next)
			all = append(all, texts(p)...)
			if next = p.To + 1; p.End {
				break
			}
		}
		require.Len(t, all, lines)
		require.True(t, slices.IsSortedFunc(all, func(a, b string) int {
			var x, y int
			_, _ = fmt.Sscanf(a, "%d %d", new(int), &x)
			_, _ = fmt.Sscanf(b, "%d %d", new(int), &y)
			return x - y
		}))
	}
}

func BenchmarkStore_ShortRun(b *testing.B) {
	s, err := Open(Config{Dir: b.TempDir()})
	require.NoError(b, err)
	id := int64(0)
	for b.Loop() {
		id++
		w := s.Begin(id)
		for range 5 {
			w.Line("a line of a usual length, which says something")
		}
		w.Close()
		if id%1000 == 0 {
			s.flush()
		}
	}
	require.NoError(b, s.Close())
}

func TestStore_ADiskThatTakesNothing(t *testing.T) {
	t.Parallel()
	s := setup(t)
	w := s.Begin(1)
	w.Line("before")
	s.flush()
	good := s.segment.file
	closed, err := os.Create(filepath.Join(t.TempDir(), "closed"))
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	s.segment.file = closed

	w.Line("kept in memory")
	s.flush()
	other := s.Begin(2)
	for range 2 * maxUnwritten / maxLine {
		other.Line(strings.Repeat("x", maxLine-100))
	}
	require.Less(t, len(s.segment.buf), maxUnwritten+2*bufferBytes, "memory is bounded")

	s.segment.file = good
	w.Line("after")
	w.Close()
	p := read(t, s, 1, 1)
	require.Equal(t, []string{"before", "kept in memory", "after"}, texts(p))
	require.True(t, p.End)
}
