package runtime

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
)

const (
	// DefaultLogBytes is the output kept of a run that names no limit.
	DefaultLogBytes = 10 << 20
	// MaxLine is the longest log line in bytes; longer ones go on in the next line.
	MaxLine = 32 << 10
)

// Output passes the log lines of one run on, valid and bounded: invalid UTF-8 is
// replaced, long lines are split, and what exceeds the limit is dropped after a note
// that says so. Its methods may be called concurrently; emit sees one call at a time.
type Output struct {
	mu    sync.Mutex
	emit  func(line string)
	limit int64
	kept  int64
	cut   bool
	masks []string // the longest first, so that none shows the end of another
}

// NewOutput passes at most limit bytes on to emit; 0 means [DefaultLogBytes], and a
// nil emit counts only.
func NewOutput(limit int64, emit func(line string)) *Output {
	if limit <= 0 {
		limit = DefaultLogBytes
	}
	if emit == nil {
		emit = func(string) {}
	}
	return &Output{emit: emit, limit: limit}
}

const (
	// minMask is the shortest text that is masked, in bytes: shorter ones stand in
	// honest lines by chance.
	minMask = 4
	// maxMasks bounds the texts that are masked.
	maxMasks = 1000
	mask     = "***"
)

// Mask has secret replaced by *** from now on, each of its lines for itself as well. It
// keeps secrets out of logs by accident; code that means to tell one can.
func (o *Output) Mask(secret string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	texts := []string{secret}
	if strings.Contains(secret, "\n") {
		texts = append(texts, strings.Split(secret, "\n")...)
	}
	for _, text := range texts {
		if text = strings.TrimSpace(text); len(text) >= minMask && len(o.masks) < maxMasks && !slices.Contains(o.masks, text) {
			o.masks = append(o.masks, text)
		}
	}
	slices.SortStableFunc(o.masks, func(a, b string) int { return len(b) - len(a) })
}

// Masked is text without the secrets.
func (o *Output) Masked(text string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.masked(text)
}

func (o *Output) masked(text string) string {
	for _, secret := range o.masks {
		text = strings.ReplaceAll(text, secret, mask)
	}
	return text
}

// Line logs text, which may hold several lines.
func (o *Output) Line(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	text = o.masked(text)
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		for len(line) > MaxLine {
			o.line(line[:MaxLine])
			line = line[MaxLine:]
		}
		o.line(line)
	}
}

// Full reports whether output is being dropped.
func (o *Output) Full() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.cut
}

// Bytes is how much was passed on.
func (o *Output) Bytes() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.kept
}

func (o *Output) line(line string) {
	line = strings.ToValidUTF8(strings.TrimSuffix(line, "\r"), "\uFFFD")
	size := int64(len(line)) + 1
	switch {
	case o.cut:
	case o.kept+size > o.limit:
		o.cut = true
		o.emit(fmt.Sprintf("[log cut: the run wrote more than its limit of %d bytes]", o.limit))
	default:
		o.kept += size
		o.emit(line)
	}
}

// Stream is an io.Writer that cuts the bytes of one stream into lines for the Output.
// It never fails, so that a chatty program is not killed by a full log.
type Stream struct {
	out     *Output
	partial []byte
}

// Stream gives a writer for one stream, to be used by one goroutine at a time.
func (o *Output) Stream() *Stream { return &Stream{out: o} }

// Write implements io.Writer.
func (s *Stream) Write(p []byte) (int, error) {
	n := len(p)
	for {
		line, rest, found := bytes.Cut(p, []byte{'\n'})
		if !found {
			break
		}
		s.out.Line(string(append(s.partial, line...)))
		s.partial, p = s.partial[:0], rest
	}
	s.partial = append(s.partial, p...)
	for len(s.partial) > MaxLine {
		s.out.Line(string(s.partial[:MaxLine]))
		s.partial = append(s.partial[:0], s.partial[MaxLine:]...)
	}
	return n, nil
}

// Flush logs a last line that had no line end.
func (s *Stream) Flush() {
	if len(s.partial) > 0 {
		s.out.Line(string(s.partial))
		s.partial = nil
	}
}
