package api

import (
	"context"
	"strings"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/glue"
)

type jobStore interface {
	Job(ctx context.Context, id int32) (job.Job, error)
	JobSummary(ctx context.Context, id int32) (job.Summary, error)
	Jobs(ctx context.Context, f job.Filter, p job.Paging) (job.Page[job.Summary], error)
	JobsByID(ctx context.Context, ids []int32) ([]job.Job, error)
	CreateJob(ctx context.Context, j job.Job) (job.Job, error)
	UpdateJob(ctx context.Context, j job.Job, next job.NextFunc) (job.Write, error)
	StartJob(ctx context.Context, id int32, next job.NextFunc) (job.Write, error)
	StopJob(ctx context.Context, id int32) (job.Write, error)
	DeleteJob(ctx context.Context, id int32) (job.Write, error)
	DeleteJobAt(ctx context.Context, id int32, version int64) (job.Write, error)
	Trigger(ctx context.Context, req job.TriggerRequest) (job.Fire, error)
}

// JobFields are what people enter and may change later.
type JobFields struct {
	GroupID          int32           `json:"group_id"`
	Name             string          `json:"name"`
	Description      string          `json:"description,omitempty"`
	Author           string          `json:"author" doc:"Who answers for the job."`
	AlarmEmail       string          `json:"alarm_email,omitempty" doc:"Addresses, separated by commas."`
	ScheduleType     ScheduleType    `json:"schedule_type,omitempty" default:"NONE"`
	ScheduleConf     string          `json:"schedule_conf,omitempty" doc:"Cron expression; whole seconds for FIX_RATE (from fire to fire) and FIX_DELAY (from the end of a run to the next fire); an RFC 3339 instant for ONCE."`
	TimeZone         string          `json:"time_zone,omitempty" doc:"IANA name; empty for the server's."`
	DSTPolicy        DSTPolicy       `json:"dst_policy,omitempty" default:"xxl" doc:"A time that the clock skips: never (xxl), or once right after the gap (run-once)."`
	ValidFrom        *Time           `json:"valid_from,omitempty" nullable:"true" doc:"Nothing is fired before it."`
	ValidUntil       *Time           `json:"valid_until,omitempty" nullable:"true" doc:"Nothing is fired after it."`
	MisfireStrategy  MisfireStrategy `json:"misfire_strategy,omitempty" default:"DO_NOTHING"`
	CatchUpLimit     int32           `json:"catch_up_limit,omitempty" minimum:"1" default:"100" doc:"The most fires that CATCH_UP makes up for."`
	RouteStrategy    RouteStrategy   `json:"route_strategy,omitempty" default:"FIRST"`
	BlockStrategy    BlockStrategy   `json:"block_strategy,omitempty" default:"SERIAL_EXECUTION"`
	MaxConcurrent    int32           `json:"max_concurrent,omitempty" doc:"The most runs that are under way at the same time, over all executors; further ones wait, or are discarded if block_strategy is DISCARD_LATER. 0 for no limit. Not for broadcasts."`
	Handler          string          `json:"handler,omitempty" doc:"Name of the handler of a BEAN job."`
	Param            string          `json:"param,omitempty"`
	TimeoutS         int32           `json:"timeout_s,omitempty" doc:"Seconds; 0 for none."`
	RetryCount       int32           `json:"retry_count,omitempty"`
	RetryDelayS      int32           `json:"retry_delay_s,omitempty" doc:"Seconds before a retry; 0 for at once."`
	RetryBackoff     RetryBackoff    `json:"retry_backoff,omitempty" default:"FIXED" doc:"EXPONENTIAL doubles the delay with each retry."`
	RetryMaxDelayS   int32           `json:"retry_max_delay_s,omitempty" doc:"The longest delay in seconds; 0 for a day."`
	RetryJitterPct   int32           `json:"retry_jitter_pct,omitempty" doc:"How much shorter or longer a delay may be, at random, in percent."`
	DiscardIsFailure bool            `json:"discard_is_failure,omitempty" doc:"A run that DISCARD_LATER refuses has failed: it is retried and alarms, as in XXL-JOB."`
	Idempotent       bool            `json:"idempotent,omitempty" doc:"Runs that are lost or unknown may be repeated."`
	ChildJobIDs      []int32         `json:"child_job_ids,omitempty" nullable:"false" doc:"Jobs that run after each success."`
	Tags             []string        `json:"tags,omitempty" nullable:"false" maxItems:"20" doc:"Words to find it by."`
	ChildrenOnce     bool            `json:"children_once,omitempty" doc:"Of a broadcast: the children run once, when all shards have succeeded, and not after each shard."`
	PassResult       bool            `json:"pass_result,omitempty" doc:"The result is the children's parameter; with children_once the results of all shards, as a JSON array."`
}

// JobInput makes a job.
type JobInput struct {
	JobFields
	GlueType GlueType `json:"glue_type" doc:"Fixed once the job is made."`
}

// JobEdit replaces all that can be changed; a field that is left out gets its default.
type JobEdit struct {
	JobFields
	GlueType GlueType `json:"glue_type,omitempty" doc:"May be left out; it cannot be changed."`
	Version  int64    `json:"version" doc:"As read: if it has moved on, nothing is changed (409)."`
}

func (in *JobFields) job() job.Job {
	return job.Job{
		GroupID: in.GroupID, Name: in.Name, Description: in.Description, Author: in.Author, AlarmEmail: in.AlarmEmail,
		ScheduleType: job.ScheduleType(in.ScheduleType), ScheduleConf: in.ScheduleConf, TimeZone: in.TimeZone,
		DSTPolicy: job.DSTPolicy(in.DSTPolicy), ValidFrom: timeOf(in.ValidFrom), ValidUntil: timeOf(in.ValidUntil),
		MisfireStrategy: job.MisfireStrategy(in.MisfireStrategy), CatchUpLimit: in.CatchUpLimit,
		RouteStrategy: job.RouteStrategy(in.RouteStrategy), BlockStrategy: string(in.BlockStrategy), MaxConcurrent: in.MaxConcurrent,
		Handler: in.Handler, Param: in.Param, TimeoutS: in.TimeoutS,
		RetryCount: in.RetryCount, RetryDelayS: in.RetryDelayS, RetryBackoff: job.RetryBackoff(in.RetryBackoff),
		RetryMaxDelayS: in.RetryMaxDelayS, RetryJitterPct: in.RetryJitterPct,
		DiscardIsFailure: in.DiscardIsFailure, Idempotent: in.Idempotent,
		ChildJobIDs: in.ChildJobIDs, Tags: in.Tags, ChildrenOnce: in.ChildrenOnce, PassResult: in.PassResult,
	}
}

// Job is a job as stored, with what people want to see beside it.
type Job struct {
	ID               int32           `json:"id"`
	GroupID          int32           `json:"group_id"`
	AppName          string          `json:"app_name" doc:"Of the group."`
	GroupTitle       string          `json:"group_title"`
	Name             string          `json:"name"`
	Description      string          `json:"description"`
	Author           string          `json:"author"`
	AlarmEmail       string          `json:"alarm_email"`
	ScheduleType     ScheduleType    `json:"schedule_type"`
	ScheduleConf     string          `json:"schedule_conf"`
	TimeZone         string          `json:"time_zone"`
	DSTPolicy        DSTPolicy       `json:"dst_policy"`
	ValidFrom        *Time           `json:"valid_from" nullable:"true"`
	ValidUntil       *Time           `json:"valid_until" nullable:"true"`
	MisfireStrategy  MisfireStrategy `json:"misfire_strategy"`
	CatchUpLimit     int32           `json:"catch_up_limit"`
	RouteStrategy    RouteStrategy   `json:"route_strategy"`
	BlockStrategy    BlockStrategy   `json:"block_strategy"`
	MaxConcurrent    int32           `json:"max_concurrent"`
	Handler          string          `json:"handler"`
	Param            string          `json:"param"`
	TimeoutS         int32           `json:"timeout_s"`
	RetryCount       int32           `json:"retry_count"`
	RetryDelayS      int32           `json:"retry_delay_s"`
	RetryBackoff     RetryBackoff    `json:"retry_backoff"`
	RetryMaxDelayS   int32           `json:"retry_max_delay_s"`
	RetryJitterPct   int32           `json:"retry_jitter_pct"`
	DiscardIsFailure bool            `json:"discard_is_failure"`
	Idempotent       bool            `json:"idempotent"`
	GlueType         GlueType        `json:"glue_type"`
	GlueVersion      int32           `json:"glue_version" doc:"Number of the live version; 0 for none."`
	ChildJobIDs      []int32         `json:"child_job_ids" nullable:"false"`
	Tags             []string        `json:"tags" nullable:"false"`
	ChildrenOnce     bool            `json:"children_once"`
	PassResult       bool            `json:"pass_result"`
	Enabled          bool            `json:"enabled" doc:"Its schedule is started."`
	LastFire         *Time           `json:"last_fire" nullable:"true"`
	NextFire         *Time           `json:"next_fire" nullable:"true"`
	Version          int64           `json:"version" doc:"Moves with every edit, start, stop and publish."`
	CreatedAt        Time            `json:"created_at"`
	UpdatedAt        Time            `json:"updated_at"`
	LastRun          *LastRun        `json:"last_run,omitempty" doc:"Absent when it never ran."`
	History          []HistoryRun    `json:"history,omitempty" nullable:"false" doc:"Its latest runs, the newest first, if they were asked for."`
}

// LastRun is a job's newest run that an executor has got, or that ended without one.
type LastRun struct {
	ID      int64    `json:"id"`
	State   RunState `json:"state"`
	FireAt  Time     `json:"fire_at"`
	EndedAt *Time    `json:"ended_at" nullable:"true"`
}

// WriteEffect tells what a write did to runs on their way.
type WriteEffect struct {
	Cancelled      int `json:"cancelled" doc:"Planned runs that were cancelled."`
	AlreadyClaimed int `json:"already_claimed" doc:"Open runs that go on as they were."`
}

// JobWritten is a job after a write to it.
type JobWritten struct {
	Job
	WriteEffect
}

func effectOf(w job.Write) WriteEffect {
	return WriteEffect{Cancelled: w.Cancelled, AlreadyClaimed: w.AlreadyClaimed}
}

func jobOf(j job.Summary) Job {
	out := Job{
		ID: j.ID, GroupID: j.GroupID, AppName: j.AppName, GroupTitle: j.GroupTitle, Name: j.Name,
		Description: j.Description, Author: j.Author, AlarmEmail: j.AlarmEmail,
		ScheduleType: ScheduleType(j.ScheduleType), ScheduleConf: j.ScheduleConf, TimeZone: j.TimeZone,
		DSTPolicy: DSTPolicy(j.DSTPolicy), ValidFrom: instantOf(j.ValidFrom), ValidUntil: instantOf(j.ValidUntil),
		MisfireStrategy: MisfireStrategy(j.MisfireStrategy), CatchUpLimit: j.CatchUpLimit,
		RouteStrategy: RouteStrategy(j.RouteStrategy), BlockStrategy: BlockStrategy(j.BlockStrategy), MaxConcurrent: j.MaxConcurrent,
		Handler: j.Handler, Param: j.Param, TimeoutS: j.TimeoutS, RetryCount: j.RetryCount,
		RetryDelayS: j.RetryDelayS, RetryBackoff: RetryBackoff(j.RetryBackoff),
		RetryMaxDelayS: j.RetryMaxDelayS, RetryJitterPct: j.RetryJitterPct,
		DiscardIsFailure: j.DiscardIsFailure, ChildrenOnce: j.ChildrenOnce, PassResult: j.PassResult, Idempotent: j.Idempotent, GlueType: GlueType(j.GlueType),
		GlueVersion: j.GlueVersion, ChildJobIDs: notNil(j.ChildJobIDs), Tags: notNil(j.Tags), Enabled: j.Enabled,
		LastFire: instantOf(j.LastFire), NextFire: instantOf(j.NextFire), Version: j.Version,
		CreatedAt: instant(j.CreatedAt), UpdatedAt: instant(j.UpdatedAt),
	}
	if r := j.LastRun; r != nil {
		out.LastRun = &LastRun{ID: r.ID, State: RunState(r.State.String()), FireAt: instant(r.FireAt), EndedAt: instantOf(r.EndedAt)}
	}
	return out
}

type listJobsInput struct {
	Paging
	GroupID  int32    `query:"group_id" minimum:"1" maximum:"2147483647"`
	Query    string   `query:"q" maxLength:"200" doc:"Part of the name."`
	Enabled  string   `query:"enabled" enum:"true,false" doc:"Whether the schedule is started."`
	GlueType GlueType `query:"glue_type"`
	Handler  string   `query:"handler" maxLength:"255" doc:"Part of the handler's name."`
	Author   string   `query:"author" maxLength:"64" doc:"Part of the author's name."`
	Tag      string   `query:"tag" maxLength:"50" doc:"One of its tags."`
	Sort     string   `query:"sort" enum:"id,-id,name,-name,next_fire,-next_fire" default:"-id" doc:"What is listed first; - for the other way round."`
	With     string   `query:"with" enum:"history" doc:"history: add the latest 30 runs of each job."`
}

func (s *server) listJobs(ctx context.Context, in *listJobsInput) (*body[List[Job]], error) {
	f := job.Filter{
		GroupIDs: groupsSeen(ctx, in.GroupID), Query: in.Query, GlueType: glue.Type(in.GlueType),
		Handler: in.Handler, Author: in.Author,
		Tag: in.Tag, Sort: job.Sort(strings.TrimPrefix(in.Sort, "-")), Descending: strings.HasPrefix(in.Sort, "-"),
	}
	if in.Enabled != "" {
		enabled := in.Enabled == "true"
		f.Enabled = &enabled
	}
	page, err := s.deps.Store.Jobs(ctx, f, in.paging())
	if err != nil {
		return nil, err
	}
	list := listOf(page, jobOf)
	if in.With == "history" {
		err = s.addHistory(ctx, list.Body.Items)
	}
	return list, err
}

// groupsSeen are the groups that a list is cut down to: one that was asked for (0 = all)
// of those that the caller may see.
func groupsSeen(ctx context.Context, groupID int32) []int32 {
	c := callerOf(ctx)
	switch {
	case groupID == 0:
		return c.Groups()
	case c.May(c.right, groupID):
		return []int32{groupID}
	default:
		return []int32{}
	}
}

func (s *server) showJob(ctx context.Context, id int32) (*tagged[Job], error) {
	j, err := s.deps.Store.JobSummary(ctx, id)
	if err != nil {
		return nil, err
	}
	return withTag(jobOf(j), j.Version), nil
}

func (s *server) showWritten(ctx context.Context, id int32, w job.Write) (*tagged[JobWritten], error) {
	j, err := s.deps.Store.JobSummary(ctx, id)
	if err != nil {
		return nil, err
	}
	return withTag(JobWritten{jobOf(j), effectOf(w)}, j.Version), nil
}

func (s *server) getJob(ctx context.Context, j job.Job, _ *ObjectID) (*tagged[Job], error) {
	return s.showJob(ctx, j.ID)
}

// triedObject is the input of a write without a body.
type triedObject struct {
	ObjectID
	Trial
}

// JobDeleted tells what became of the runs of a deleted job.
type JobDeleted struct{ WriteEffect }

type deleteObjectInput struct {
	ObjectID
	Condition
	Trial
}

func (s *server) deleteJob(ctx context.Context, j job.Job, in *deleteObjectInput) (*body[JobDeleted], error) {
	if err := in.met(j.Version); err != nil {
		return nil, err
	}
	w, err := s.deps.Store.DeleteJobAt(ctx, j.ID, in.only(j.Version))
	if err != nil {
		return nil, err
	}
	return answer(JobDeleted{effectOf(w)}), nil
}

func (s *server) startJob(ctx context.Context, j job.Job, _ *triedObject) (*tagged[JobWritten], error) {
	w, err := s.deps.Store.StartJob(ctx, j.ID, s.next(j))
	if err != nil {
		return nil, err
	}
	return s.showWritten(ctx, j.ID, w)
}

func (s *server) stopJob(ctx context.Context, j job.Job, _ *triedObject) (*tagged[JobWritten], error) {
	w, err := s.deps.Store.StopJob(ctx, j.ID)
	if err != nil {
		return nil, err
	}
	return s.showWritten(ctx, j.ID, w)
}
