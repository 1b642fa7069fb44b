package job

// Sent is what executors are sent of a job beside its code, and what binds the sending.
// A run keeps what its claim found, whatever is edited later.
type Sent struct {
	Handler       string `db:"handler"`
	Param         string `db:"param"`
	TimeoutS      int32  `db:"timeout_s"`
	BlockStrategy string `db:"block_strategy"`
	Idempotent    bool   `db:"idempotent"`
}

// Sent is what executors are sent of the job now.
func (j *Job) Sent() Sent {
	return Sent{
		Handler: j.Handler, Param: j.Param, TimeoutS: j.TimeoutS, BlockStrategy: j.BlockStrategy, Idempotent: j.Idempotent,
	}
}

// WithSent is the job as it would be if it said s.
func (j Job) WithSent(s Sent) *Job {
	j.Handler, j.Param, j.TimeoutS, j.BlockStrategy, j.Idempotent = s.Handler, s.Param, s.TimeoutS, s.BlockStrategy, s.Idempotent
	return &j
}

// PastKey names a job at one of its versions.
type PastKey struct {
	JobID   int32 `db:"job_id"`
	Version int64 `db:"version"`
}

// PastSent is what a job said at a version.
type PastSent struct {
	PastKey
	Sent
}
