package job

import "time"

// Step is a part of a run's way that is over, for traces.
type Step struct {
	Name  StepName
	RunID int64
	JobID int32
	Begin time.Time
	End   time.Time

	Attempt int    // 0 for the first
	Address string // of StepDispatch
	// Result is a verdict of StepDispatch, or the state of StepRun and StepComplete.
	Result string
	// Failed tells that it did not go well, and Text why, if somebody said so.
	Failed bool
	Text   string
}

// StepName says which part of the way it was.
type StepName string

// The steps of a run. What runs on the executor is told by the executor.
const (
	StepRun      StepName = "run"      // all of it, from the planned instant to the stored end
	StepPlan     StepName = "plan"     // its row was written
	StepDispatch StepName = "dispatch" // one request to an executor
	StepComplete StepName = "complete" // from the result's coming to its commit
)
