package joblog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"
)

// maxAnswer bounds the text of one Read, in bytes; the reader comes back for the rest.
const maxAnswer = 512 << 10

// Piece is a part of a run's log.
type Piece struct {
	From int    // number of the first line asked for, from 1
	To   int    // number of the last line in Text; 0 when there is none
	Text string // whole lines
	End  bool   // the run ended here and nothing follows
}

// Read gives the log of a run from a line on, as much as fits into one answer. at is
// when the run was planned: its log is looked for from shortly before then; a zero or
// wrong at costs a longer search.
func (s *Store) Read(logID int64, at time.Time, from int) (Piece, error) {
	from = max(from, 1)
	t, err := s.trace(logID, at)
	if err != nil {
		return Piece{}, fmt.Errorf("read log of run %d: %w", logID, err)
	}
	piece := Piece{From: from}
	var text []byte
	rest := slices.IndexFunc(t.places, func(p place) bool { return p.next() > from })
	if rest < 0 {
		piece.End = t.ended
		return piece, nil
	}
	for i, p := range t.places[rest:] {
		if i > 0 && len(text)+p.bytes > maxAnswer {
			break
		}
		chunk, err := s.text(p)
		if err != nil {
			return Piece{}, fmt.Errorf("read log of run %d: %w", logID, err)
		}
		if p.lines > 0 {
			text = append(text, skipLines(chunk, from-p.first)...)
			piece.To = p.next() - 1
		}
		piece.End = t.ended && rest+i == len(t.places)-1
	}
	piece.Text = string(text)
	return piece, nil
}

// Tail gives the last whole lines of a run's log that fit into n bytes.
func (s *Store) Tail(logID int64, at time.Time, n int) (string, error) {
	t, err := s.trace(logID, at)
	if err != nil {
		return "", fmt.Errorf("read log tail of run %d: %w", logID, err)
	}
	var text []byte
	for _, p := range slices.Backward(t.places) {
		chunk, err := s.text(p)
		if err != nil {
			return "", fmt.Errorf("read log tail of run %d: %w", logID, err)
		}
		text = append(chunk, text...)
		if len(text) > n {
			_, whole, _ := bytes.Cut(text[len(text)-n-1:], []byte{'\n'})
			return string(whole), nil
		}
	}
	return string(text), nil
}

// place is a frame and the file that holds it.
type place struct {
	frame
	file string
}

// trace is where a run's log lies, in order.
type trace struct {
	places []place
	own    string // the run's own file, if it has one
	ended  bool
}

func (t *trace) add(file string, hour time.Time, frames []frame) {
	for _, f := range frames {
		t.places = append(t.places, place{frame: f, file: file})
		t.ended = t.ended || f.flags&flagEnd != 0
		if f.flags&flagSpilled != 0 {
			t.own = runFile(hour, f.logID)
		}
	}
}

// trace looks the run up, after everything it wrote so far was flushed.
func (s *Store) trace(logID int64, at time.Time) (trace, error) {
	sealed, live := s.snapshot(logID)
	var t trace
	// A database that rounds to whole seconds may move the instant into the next hour.
	from := at.Add(-time.Hour).UTC().Truncate(time.Hour)
	first, _ := slices.BinarySearchFunc(sealed, segmentID{hour: from}, segmentID.compare)
	if err := s.searchAll(&t, logID, sealed[first:]); err != nil {
		return t, err
	}
	t.add(live.file, live.hour, live.frames)
	if len(t.places) == 0 {
		if err := s.searchAll(&t, logID, sealed[:first]); err != nil {
			return t, err
		}
	}
	if len(t.places) == 0 {
		return t, ErrNotFound
	}
	return t, s.traceOwn(&t)
}

// liveFrames are those of the segment being written.
type liveFrames struct {
	file   string
	hour   time.Time
	frames []frame
}

func (s *Store) snapshot(logID int64) (sealed []segmentID, live liveFrames) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w := s.open[logID]; w != nil {
		s.flushRun(w, 0)
	}
	if s.segment != nil {
		s.warn(s.segment.flush())
		live = liveFrames{
			file:   s.segment.id.base() + segmentSuffix,
			hour:   s.segment.id.hour,
			frames: slices.Clone(s.segment.byRun[logID]),
		}
	}
	return slices.Clone(s.sealed), live
}

// searchAll searches sealed segments until the run's end. One that was cleaned away or
// has no index is passed over.
func (s *Store) searchAll(t *trace, logID int64, sealed []segmentID) error {
	for _, id := range sealed {
		if t.ended || t.own != "" {
			return nil
		}
		frames, err := search(s.root, id, logID)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("search segment %s: %w", id.base(), err)
		}
		t.add(id.base()+segmentSuffix, id.hour, frames)
	}
	return nil
}

// traceOwn adds the frames of the run's own file.
func (s *Store) traceOwn(t *trace) error {
	if t.own == "" {
		return nil
	}
	frames, err := s.owns.frames(s.root, t.own)
	t.add(t.own, time.Time{}, frames)
	return err
}

func (s *Store) text(p place) ([]byte, error) {
	f, err := s.root.Open(p.file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text := make([]byte, p.bytes)
	_, err = io.ReadFull(io.NewSectionReader(f, p.offset, int64(p.bytes)), text)
	return text, err
}

func skipLines(text []byte, n int) []byte {
	for ; n > 0; n-- {
		_, text, _ = bytes.Cut(text, []byte{'\n'})
	}
	return text
}
