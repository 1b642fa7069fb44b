package joblog

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	// bufferBytes is how much of a run waits in memory before it becomes a frame.
	bufferBytes = 32 << 10
	// maxLine is the longest line in bytes; longer text goes on in the next one.
	maxLine = bufferBytes
	// spillBytes is the size from which a run gets a file of its own.
	spillBytes = 1 << 20
)

// timeLayout opens each line. XXL-JOB's has whole seconds.
const timeLayout = "2006-01-02 15:04:05.000 "

// Writer takes the lines of one run. Its methods may be called concurrently.
type Writer struct {
	store *Store
	logID int64

	// All below is guarded by store.mu.
	buf   []byte
	lines int   // in buf
	first int   // number of buf's first line
	bytes int64 // of all lines, buf included
	cut   bool
	own   *ownFile // nil below spillBytes
	done  bool
}

// Line writes text, each of its lines under the present time. After Close it does nothing.
func (w *Writer) Line(text string) {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	if w.done {
		return
	}
	stamp := time.Now().In(w.store.cfg.Location).Format(timeLayout)
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		for _, piece := range pieces(clean(line)) {
			w.line(stamp, piece)
		}
	}
}

// Printf writes a formatted line.
func (w *Writer) Printf(format string, args ...any) { w.Line(fmt.Sprintf(format, args...)) }

// Close ends the log: a reader is told that nothing follows.
func (w *Writer) Close() {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	if w.done {
		return
	}
	w.done = true
	w.store.flushRun(w, flagEnd)
	delete(w.store.open, w.logID)
	w.store.warn(w.own.close())
}

func (w *Writer) line(stamp, text string) {
	if w.cut {
		return
	}
	if most := w.store.cfg.MaxRunBytes; w.bytes+int64(len(text)) > most {
		w.cut = true
		text = fmt.Sprintf("[log cut: the run wrote more than %d bytes]", most)
	}
	before := len(w.buf)
	w.buf = append(append(append(w.buf, stamp...), text...), '\n')
	w.bytes += int64(len(w.buf) - before)
	w.lines++
	if len(w.buf) >= bufferBytes {
		w.store.flushRun(w, 0)
	}
}

// clean makes a line storable as text anywhere: no NUL, no \r, valid UTF-8.
func clean(line string) string {
	line = strings.ToValidUTF8(strings.TrimSuffix(line, "\r"), "\uFFFD")
	return strings.ReplaceAll(line, "\x00", "")
}

// pieces cuts an over-long line between characters.
func pieces(line string) []string {
	var all []string
	for len(line) > maxLine {
		end := maxLine
		for !utf8.RuneStart(line[end]) {
			end--
		}
		all = append(all, line[:end])
		line = line[end:]
	}
	return append(all, line)
}
