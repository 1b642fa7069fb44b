package chaos

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// How a witnessed run ended, in its own words.
const (
	EndOK      = "ok"
	EndFail    = "fail"
	EndStopped = "stopped" // its context ended first
)

// Witness appends what a run does to a file that no database touches. A line is on
// disk before the method returns, so a kill at any moment leaves the truth behind.
type Witness struct {
	file *os.File
	now  func() time.Time
}

// OpenWitness opens or makes the file of one executor. now is the clock that it
// believes, which is the machine's whatever the process is told.
func OpenWitness(path string, now func() time.Time) (*Witness, error) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open witness: %w", err)
	}
	return &Witness{f, now}, nil
}

// Start notes that a run's code begins.
func (w *Witness) Start(run int64, job int32) error { return w.write("start", run, job, "-") }

// End notes how it ends; how is one of the End constants. A run that was told to stop
// while that was being written, as its context says, is noted too: the executor may call
// it killed, although it ended by itself.
func (w *Witness) End(ctx context.Context, run int64, job int32, how string) error {
	err := w.write("end", run, job, how)
	if err == nil && how == EndOK && ctx.Err() != nil {
		err = w.write("stopped", run, job, "-")
	}
	return err
}

// write makes one write call of a whole line, which O_APPEND keeps together.
func (w *Witness) write(what string, run int64, job int32, how string) error {
	if _, err := fmt.Fprintf(w.file, "%s %d %d %d %s\n", what, run, job, w.now().UnixMicro(), how); err != nil {
		return fmt.Errorf("write witness: %w", err)
	}
	if err := w.file.Sync(); err != nil {
		return fmt.Errorf("sync witness: %w", err)
	}
	return nil
}

// Close closes the file.
func (w *Witness) Close() error { return w.file.Close() }

// Start is one beginning of a run's code, and its end if it had one.
type Start struct {
	Executor string // its name in the suite
	Run      int64
	Job      int32
	At       time.Time
	End      time.Time // zero: the process died first
	How      string    // one of the End constants; empty without an end
	Stopped  bool      // told to stop in the moment of its end
}

// ReadWitness reads the starts of one executor's file in their order. A file that was
// never made is an executor that ran nothing.
func ReadWitness(path, executor string) ([]Start, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read witness: %w", err)
	}
	defer f.Close()
	var starts []Start
	open, ended := map[int64][]int{}, map[int64]int{} // run → its starts without an end, the one that ended last
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var what, how string
		var run, micro int64
		var job int32
		if _, err := fmt.Sscan(lines.Text(), &what, &run, &job, &micro, &how); err != nil {
			return nil, fmt.Errorf("read witness line %q: %w", lines.Text(), err)
		}
		at := time.UnixMicro(micro)
		begun := open[run]
		last, done := ended[run]
		switch {
		case what == "start":
			open[run] = append(begun, len(starts))
			starts = append(starts, Start{Executor: executor, Run: run, Job: job, At: at})
		case what == "end" && len(begun) > 0:
			// The latest: after a crash the first start stays without an end.
			n := len(begun) - 1
			open[run], ended[run] = begun[:n], begun[n]
			starts[begun[n]].End, starts[begun[n]].How = at, how
		case what == "stopped" && done:
			starts[last].Stopped = true
		default:
			return nil, fmt.Errorf("witness of %s: %s of run %d without a start", executor, what, run)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read witness: %w", err)
	}
	return starts, nil
}
