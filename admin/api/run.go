package api

import (
	"context"

	"github.com/gluewheel/gluewheel/admin/job"
)

type runStore interface {
	Run(ctx context.Context, id int64) (job.RunSummary, error)
	Runs(ctx context.Context, f job.RunFilter, p job.Paging) (job.Page[job.RunSummary], error)
}

// Run is one run of a job.
type Run struct {
	ID          int64     `json:"id"`
	JobID       int32     `json:"job_id"`
	JobName     string    `json:"job_name" doc:"Empty when the job is gone."`
	GroupID     int32     `json:"group_id"`
	AppName     string    `json:"app_name" doc:"Of the group; empty when it is gone."`
	FireAt      Time      `json:"fire_at" doc:"The planned instant."`
	DueAt       Time      `json:"due_at" doc:"When it is sent."`
	Cause       RunCause  `json:"cause"`
	Shard       int32     `json:"shard" doc:"-1 for the parent of a broadcast."`
	ShardTotal  int32     `json:"shard_total"`
	Attempt     int16     `json:"attempt" doc:"0 first, then one a retry."`
	RetriesLeft int16     `json:"retries_left"`
	ParentID    *int64    `json:"parent_id" nullable:"true" doc:"The run that caused this one."`
	Param       *string   `json:"param" nullable:"true" doc:"In place of the job's."`
	Addresses   []string  `json:"addresses" nullable:"false" doc:"In place of the group's; empty for none."`
	JobVersion  int64     `json:"job_version"`
	GlueVersion int32     `json:"glue_version" doc:"The version that it runs; 0 for none."`
	VersionPin  *int32    `json:"version_pin" nullable:"true" doc:"The version that it was asked to run, by a trigger, or as the repetition or retry of such a run; 0 of a test-run, null for the live one."`
	State       RunState  `json:"state"`
	Address     string    `json:"address" doc:"The executor that it was sent to."`
	Route       *RunRoute `json:"route,omitempty" doc:"Why to that executor; absent until one is chosen."`
	ClaimedAt   *Time     `json:"claimed_at" nullable:"true"`
	StartedAt   *Time     `json:"started_at" nullable:"true"`
	EndedAt     *Time     `json:"ended_at" nullable:"true"`
	Outcome     *RunState `json:"outcome,omitempty" doc:"The state in which it ended."`
	Reason      string    `json:"reason" doc:"A code that says why it is in this state."`
	Message     string    `json:"message"`
	Code        int32     `json:"code" doc:"XXL-JOB's: 200, 500 or 502; 0 when nothing ran."`
	RangeTo     *Time     `json:"range_to" nullable:"true" doc:"Last instant, when it stands for many missed fires."`
	RangeCount  int32     `json:"range_count"`
	LateResult  *string   `json:"late_result" nullable:"true" doc:"A result that came after the end was fixed."`
	IsTest      bool      `json:"is_test"`
	Usage       *Usage    `json:"usage,omitempty" doc:"Of ended runs, if the executor told."`
}

// Usage is what a run consumed.
type Usage struct {
	WallMS    int64 `json:"wall_ms"`
	CPUMS     int64 `json:"cpu_ms"`
	PeakBytes int64 `json:"peak_bytes" doc:"Of memory; 0 when it could not be told."`
	LogBytes  int64 `json:"log_bytes"`
	HostCalls int64 `json:"host_calls"`
}

// RunDetail is a run with the end of its log, which is kept of failed ones.
type RunDetail struct {
	Run
	LogTail *string `json:"log_tail" nullable:"true"`
}

func runOf(r job.RunSummary) Run {
	out := Run{
		ID: r.ID, JobID: r.JobID, JobName: r.JobName, GroupID: r.GroupID, AppName: r.AppName,
		FireAt: instant(r.FireAt), DueAt: instant(r.DueAt), Cause: RunCause(r.Cause.String()),
		Shard: r.Shard, ShardTotal: r.ShardTotal, Attempt: r.Attempt, RetriesLeft: r.RetriesLeft,
		ParentID: r.ParentID, Param: r.Param, Addresses: notNil(r.Addresses),
		JobVersion: r.JobVersion, GlueVersion: r.GlueVersion, VersionPin: r.VersionPin, Route: routeOf(r.Run), State: RunState(r.State.String()), Address: r.Address,
		ClaimedAt: instantOf(r.ClaimedAt), StartedAt: instantOf(r.StartedAt), EndedAt: instantOf(r.EndedAt),
		Reason: r.Reason, Message: r.Message, Code: r.Code, RangeTo: instantOf(r.RangeTo), RangeCount: r.RangeCount,
		LateResult: r.LateResult, IsTest: r.IsTest, Usage: (*Usage)(r.Usage),
	}
	if r.Outcome != nil {
		outcome := RunState(r.Outcome.String())
		out.Outcome = &outcome
	}
	return out
}

type listRunsInput struct {
	Paging
	State   []RunState `query:"state" nullable:"false" maxItems:"12" doc:"One or more, separated by commas."`
	Cause   []RunCause `query:"cause" nullable:"false" maxItems:"6" doc:"One or more, separated by commas."`
	JobID   int32      `query:"job_id" minimum:"1" maximum:"2147483647"`
	GroupID int32      `query:"group_id" minimum:"1" maximum:"2147483647"`
	From    Time       `query:"from" doc:"Planned instants from here …"`
	To      Time       `query:"to" doc:"… to before here."`
	Query   string     `query:"q" maxLength:"200" doc:"Part of the job's name."`
	Sort    string     `query:"sort" enum:"fire_at,-fire_at" default:"-fire_at" doc:"What is listed first: -fire_at for the newest. By the UTC days of the planned instants, and within a day in the order in which the runs were planned."`
}

func (s *server) listRuns(ctx context.Context, in *listRunsInput) (*body[List[Run]], error) {
	f := job.RunFilter{
		JobID: in.JobID, GroupIDs: groupsSeen(ctx, in.GroupID), From: in.From.Time, To: in.To.Time, Query: in.Query,
		OldestFirst: in.Sort == "fire_at",
	}
	for _, name := range in.State {
		state, _ := job.ParseState(string(name)) // the schema lets known names through only
		f.States = append(f.States, state)
	}
	for _, name := range in.Cause {
		cause, _ := job.ParseCause(string(name))
		f.Causes = append(f.Causes, cause)
	}
	page, err := s.deps.Store.Runs(ctx, f, in.paging())
	if err != nil {
		return nil, err
	}
	return listOf(page, runOf), nil
}

func (s *server) getRun(_ context.Context, r job.RunSummary, _ *RunID) (*body[RunDetail], error) {
	return answer(RunDetail{runOf(r), r.LogTail}), nil
}

// killRun answers with the run as it stands after the request: an executor ends it
// within its grace time.
func (s *server) killRun(ctx context.Context, r job.RunSummary, in *RunID) (*body[Run], error) {
	if r.State.Terminal() {
		return nil, job.ErrEnded
	}
	// What happens at an executor is in no transaction: it is written down first.
	if err := s.deps.Store.WriteAudit(ctx); err != nil {
		return nil, err
	}
	if err := s.deps.Kill(ctx, r.Run, callerOf(ctx).Username); err != nil {
		return nil, err
	}
	r, err := s.deps.Store.Run(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return answer(runOf(r)), nil
}
