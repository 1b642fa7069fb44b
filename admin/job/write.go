package job

import "time"

// Write tells what a write to a job did.
type Write struct {
	Version        int64 // the job's version after the write
	Cancelled      int   // planned runs that were cancelled
	AlreadyClaimed int   // open runs that go on as they were
}

// NextFunc computes a job's next fire strictly after an instant of the database's
// clock. Its error refuses the write; wrap a FieldError for what the user can mend.
type NextFunc func(after time.Time) (time.Time, error)

// TriggerRequest asks for one run now, whether or not the job is started.
type TriggerRequest struct {
	JobID     int32
	Cause     Cause    // CauseManual or CauseAPI
	Param     *string  // nil = the job's; an empty string is passed on as empty
	Addresses []string // nil = the group's
	// Version is the number of the version that it and its retries run; 0 = the live one.
	Version int32
}

// ChangeKind is what a Change is about.
type ChangeKind string

const (
	ChangeAll   ChangeKind = "all"   // anything may have changed: drop whole caches
	ChangeJob   ChangeKind = "job"   // a job or its GLUE versions
	ChangeGroup ChangeKind = "group" // a group or its addresses
	// ChangeExecutors: an executor registered that was not there before, or left.
	ChangeExecutors ChangeKind = "executors"
)

// Change tells caches what to drop.
type Change struct {
	Kind ChangeKind
	ID   int32 // of the job or group; 0 with ChangeAll and ChangeExecutors
}
