package joblog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"
)

// ErrNotFound: there is no log under that id, or no longer.
var ErrNotFound = errors.New("log not found")

// flushEvery bounds how long a line waits in memory, and so what a crash can cost.
const flushEvery = 250 * time.Millisecond

// Config is where logs lie and how long.
type Config struct {
	// Dir is the directory of the logs alone; it is created.
	Dir string
	// RetentionDays is how long logs are kept; 0 or less keeps them until MaxBytes.
	RetentionDays int
	// MaxBytes bounds all logs together, the oldest leave first. Default 10 GiB.
	MaxBytes int64
	// MaxRunBytes is what is kept of one run; the rest is dropped after a note. Default
	// 1 GiB, the most that a manifest may ask for: what code may write is bounded there.
	MaxRunBytes int64
	// Location is the zone of the times in the lines. Default time.Local.
	Location *time.Location
	// Log takes what an operator should know. Default: nothing is logged.
	Log *slog.Logger
}

// Store holds the logs of all runs. Its methods may be called concurrently.
type Store struct {
	cfg  Config
	log  *slog.Logger
	root *os.Root // confines every file to Dir
	owns ownIndex

	mu      sync.Mutex // guards what follows, the segment and the writers
	sealed  []segmentID
	segment *segment // nil until the first line
	open    map[int64]*Writer
	warned  time.Time // when a failure was last logged
}

// Open finds the logs that are there.
func Open(cfg Config) (*Store, error) {
	cfg.MaxBytes = cmp.Or(cfg.MaxBytes, 10<<30)
	cfg.MaxRunBytes = cmp.Or(cfg.MaxRunBytes, 1<<30)
	cfg.Location = cmp.Or(cfg.Location, time.Local)
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("create log directory: %w", err)
	}
	root, err := os.OpenRoot(cfg.Dir)
	if err != nil {
		return nil, fmt.Errorf("open log directory: %w", err)
	}
	s := &Store{
		cfg:  cfg,
		log:  cmp.Or(cfg.Log, slog.New(slog.DiscardHandler)).With("component", "joblog"),
		root: root,
		open: make(map[int64]*Writer),
	}
	if err := s.list(); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return s, nil
}

// list finds the segments, and indexes those that a crash left open.
func (s *Store) list() error {
	entries, err := fs.ReadDir(s.root.FS(), ".")
	if err != nil {
		return fmt.Errorf("list logs: %w", err)
	}
	names := make(map[string]bool, len(entries))
	for _, e := range entries {
		names[e.Name()] = true
	}
	for name := range names {
		id, ok := parseSegment(name)
		if !ok {
			continue
		}
		s.sealed = append(s.sealed, id)
		if names[id.base()+indexSuffix] {
			continue
		}
		if err := reindex(s.root, id); err != nil {
			s.log.Warn("log segment cannot be indexed, its logs are out of reach", "segment", name, "error", err)
		}
	}
	slices.SortFunc(s.sealed, segmentID.compare)
	return nil
}

// Begin opens the log of a run that has none yet.
func (s *Store) Begin(logID int64) *Writer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writer(&Writer{store: s, logID: logID, first: 1})
}

// Resume opens the log of a run that wrote before a restart; at is as for Read.
func (s *Store) Resume(logID int64, at time.Time) *Writer {
	w := &Writer{store: s, logID: logID, first: 1}
	trace, err := s.trace(logID, at)
	if err != nil && !errors.Is(err, ErrNotFound) {
		s.log.Warn("earlier log cannot be read", "run_id", logID, "error", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(trace.places); n > 0 {
		w.first = trace.places[n-1].next()
		for _, p := range trace.places {
			w.bytes += int64(p.bytes)
		}
	}
	if trace.own != "" {
		w.own, err = openOwn(s.root, trace.own)
		s.warn(err)
	}
	return s.writer(w)
}

func (s *Store) writer(w *Writer) *Writer {
	s.open[w.logID] = w
	return w
}

// Run flushes and cleans until ctx ends.
func (s *Store) Run(ctx context.Context) error {
	flush := time.NewTicker(flushEvery)
	defer flush.Stop()
	clean := time.NewTicker(time.Hour)
	defer clean.Stop()
	s.clean(time.Now())
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-flush.C:
			s.flush()
		case now := <-clean.C:
			s.clean(now)
		}
	}
}

// Close writes what memory holds. Open writers are not ended: their runs may go on
// after a restart.
func (s *Store) Close() error {
	s.flush()
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for _, w := range s.open {
		w.done = true
		err = errors.Join(err, w.own.close())
	}
	if s.segment != nil {
		err = errors.Join(err, s.segment.seal(s.root))
		s.segment = nil
	}
	return errors.Join(err, s.root.Close())
}

func (s *Store) flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.open {
		s.flushRun(w, 0)
	}
	if s.segment != nil {
		s.warn(s.segment.flush())
	}
}

// flushRun makes a frame of what a run has buffered. The caller holds mu.
func (s *Store) flushRun(w *Writer, flags byte) {
	if w.lines == 0 && flags == 0 {
		return
	}
	f := frame{logID: w.logID, first: w.first, lines: w.lines, bytes: len(w.buf), flags: flags}
	if err := s.place(w, f); err != nil {
		s.warn(err)
	} else {
		w.first += w.lines
	}
	w.lines, w.buf = 0, w.buf[:0]
}

// place puts a frame into the run's own file or the segment.
func (s *Store) place(w *Writer, f frame) error {
	if w.own != nil {
		return w.own.append(f, w.buf)
	}
	seg, err := s.current()
	if err != nil {
		return err
	}
	if w.bytes <= spillBytes {
		return seg.append(f, w.buf)
	}
	if w.own, err = openOwn(s.root, runFile(seg.id.hour, w.logID)); err != nil {
		return err
	}
	if err := seg.append(frame{logID: w.logID, first: w.first, flags: flagSpilled}, nil); err != nil {
		return err
	}
	return w.own.append(f, w.buf)
}

// current is the segment to write to. The caller holds mu.
func (s *Store) current() (*segment, error) {
	hour := time.Now().UTC().Truncate(time.Hour)
	if s.segment != nil && !s.segment.full() && !s.segment.id.hour.Before(hour) {
		return s.segment, nil
	}
	if s.segment != nil {
		s.warn(s.segment.seal(s.root))
		s.sealed = append(s.sealed, s.segment.id)
		s.segment = nil
	}
	id := segmentID{hour: hour, n: 1}
	if n := len(s.sealed); n > 0 && !s.sealed[n-1].hour.Before(hour) {
		id = segmentID{hour: s.sealed[n-1].hour, n: s.sealed[n-1].n + 1}
	}
	seg, err := createSegment(s.root, id)
	if err != nil {
		return nil, err
	}
	s.segment = seg
	return seg, nil
}

// warn logs a failure, at most once a minute. The caller holds mu.
func (s *Store) warn(err error) {
	if err == nil || time.Since(s.warned) < time.Minute {
		return
	}
	s.warned = time.Now()
	s.log.Warn("job logs are incomplete", "error", err)
}
