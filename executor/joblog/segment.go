package joblog

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

const (
	segmentSuffix = ".log"
	indexSuffix   = ".idx"
	runSuffix     = ".run"
	hourLayout    = "2006-01-02T15"
)

// Bounds of one segment. A frame costs some 100 bytes of memory until it is full.
const (
	segmentBytes  = 64 << 20
	segmentFrames = 100_000
	// writeBytes is how much is gathered for one write.
	writeBytes = 256 << 10
	// maxUnwritten is how much is kept for a disk that takes no more; then text is lost.
	maxUnwritten = 4 << 20
)

// segmentID names a segment; segments of an hour count from 1.
type segmentID struct {
	hour time.Time // UTC
	n    int
}

func (id segmentID) base() string { return fmt.Sprintf("%s-%04d", id.hour.Format(hourLayout), id.n) }

func (id segmentID) compare(other segmentID) int {
	if c := id.hour.Compare(other.hour); c != 0 {
		return c
	}
	return id.n - other.n
}

// runFile names a run's own file, in the hour in which it was begun.
func runFile(hour time.Time, logID int64) string {
	return fmt.Sprintf("%s-%d%s", hour.UTC().Format(hourLayout), logID, runSuffix)
}

// parseSegment reads the name of a segment.
func parseSegment(name string) (id segmentID, ok bool) {
	base, found := strings.CutSuffix(name, segmentSuffix)
	if !found || len(base) <= len(hourLayout) {
		return id, false
	}
	hour, err := time.Parse(hourLayout, base[:len(hourLayout)])
	if err != nil {
		return id, false
	}
	_, err = fmt.Sscanf(base[len(hourLayout):], "-%d", &id.n)
	id.hour = hour
	return id, err == nil && id.base() == base
}

// hourOfFile is the hour in the name of any file of ours.
func hourOfFile(name string) (hour time.Time, ok bool) {
	if len(name) <= len(hourLayout) {
		return hour, false
	}
	hour, err := time.Parse(hourLayout, name[:len(hourLayout)])
	return hour, err == nil
}

// segment is the one being written. It is guarded by Store.mu.
type segment struct {
	id     segmentID
	file   *os.File
	size   int64 // bytes in the file and in buf
	buf    []byte
	frames []frame           // in order of writing, for the index
	byRun  map[int64][]frame // the same, for readers
}

func (s *segment) add(f frame) {
	s.frames = append(s.frames, f)
	s.byRun[f.logID] = append(s.byRun[f.logID], f)
}

// append buffers a frame with its text.
func (s *segment) append(f frame, text []byte) error {
	if len(s.buf) > writeBytes {
		if err := s.flush(); err != nil && len(s.buf) > maxUnwritten && len(text) > 0 {
			return fmt.Errorf("%d bytes of logs wait for the disk: %w", len(s.buf), err)
		}
	}
	s.buf = f.appendHeader(s.buf)
	f.offset = s.size + headerBytes
	s.buf = append(s.buf, text...)
	s.size += headerBytes + int64(len(text))
	s.add(f)
	return nil
}

// flush writes what is buffered. What cannot be written stays for the next attempt.
func (s *segment) flush() error {
	if len(s.buf) == 0 {
		return nil
	}
	if _, err := s.file.WriteAt(s.buf, s.size-int64(len(s.buf))); err != nil {
		return err
	}
	s.buf = s.buf[:0]
	return nil
}

func (s *segment) full() bool {
	return s.size >= segmentBytes || len(s.frames) >= segmentFrames
}

func createSegment(root *os.Root, id segmentID) (*segment, error) {
	f, err := root.OpenFile(id.base()+segmentSuffix, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	return &segment{id: id, file: f, byRun: make(map[int64][]frame)}, nil
}

// seal writes the index and closes the segment.
func (s *segment) seal(root *os.Root) error {
	return errors.Join(s.flush(), writeIndex(root, s.id, s.frames), s.file.Close())
}
