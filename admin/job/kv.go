package job

import "errors"

// ErrKVFull refuses one more key in a job's store.
var ErrKVFull = errors.New("the job's store is full")

// RunPlace is where an open run belongs: what an executor that asks on its behalf may
// have depends on it.
type RunPlace struct {
	JobID   int32  `db:"job_id"`
	GroupID int32  `db:"group_id"`
	Address string `db:"address"` // of the executor that it was sent to
}
