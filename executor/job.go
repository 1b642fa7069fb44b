package executor

import (
	"bytes"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/gluewheel/gluewheel/runtime"
)

// Job is what a handler knows of the run that it makes. Its methods may be called
// concurrently.
type Job struct {
	req  runtime.Request
	slog *slog.Logger

	mu     sync.Mutex
	result string
}

func newJob(req runtime.Request) *Job {
	return &Job{req: req, slog: slog.New(newLogHandler(req.Log))}
}

// ID is the job's id at the admin.
func (j *Job) ID() int32 { return j.req.JobID }

// RunID is the run's id at the admin, XXL-JOB's log id. Each attempt has its own.
func (j *Job) RunID() int64 { return j.req.RunID }

// Param is the job's parameter, or the one that it was triggered with.
func (j *Job) Param() string { return j.req.Param }

// Shard is this run's part of a broadcast: index from 0, of total. Other runs are 0 of 1.
func (j *Job) Shard() (index, total int) { return j.req.ShardIndex, j.req.ShardTotal }

// Attempt is 0 for the first try, then 1 more a retry. XXL-JOB's admins do not tell.
func (j *Job) Attempt() int { return j.req.Attempt }

// FireAt is the instant that the run was planned for.
func (j *Job) FireAt() time.Time { return j.req.FireAt }

// Timeout is the job's; 0 is none. The handler's context enforces it.
func (j *Job) Timeout() time.Duration { return j.req.Timeout }

// Logf writes to the run's log, which people read at the admin.
func (j *Job) Logf(format string, args ...any) { j.req.Log(fmt.Sprintf(format, args...)) }

// Log is a logger into the run's log.
func (j *Job) Log() *slog.Logger { return j.slog }

// Progress tells how far the run is, in percent, with a note.
func (j *Job) Progress(percent float64, note string) { j.req.Progress(percent, note) }

// SetResult sets the text that a successful run shows at the admin. The last call counts.
func (j *Job) SetResult(text string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.result = text
}

func (j *Job) resultText() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.result
}

// newLogHandler writes records as lines; the log adds the time.
func newLogHandler(line func(string)) slog.Handler {
	return slog.NewTextHandler(lineWriter(line), &slog.HandlerOptions{
		Level: slog.LevelDebug,
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey && len(groups) == 0 {
				return slog.Attr{}
			}
			return a
		},
	})
}

// lineWriter takes one record a write.
type lineWriter func(string)

func (w lineWriter) Write(p []byte) (int, error) {
	w(string(bytes.TrimSuffix(p, []byte{'\n'})))
	return len(p), nil
}
