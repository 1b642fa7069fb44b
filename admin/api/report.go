package api

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/report"
)

type reportStore interface {
	Overview(ctx context.Context, groups []int32) (job.Overview, error)
	RunCounts(ctx context.Context, groups []int32, from, to time.Time, step time.Duration) ([]job.RunCount, error)
	JobFigures(ctx context.Context, f job.FiguresFilter) ([]job.JobFigures, error)
	History(ctx context.Context, jobIDs []int32, limit int) ([]job.HistoryRun, error)
	VersionCounts(ctx context.Context, jobID int32) ([]job.VersionCount, error)
}

// Summary is the state of things at one look.
type Summary struct {
	Jobs        JobTotals      `json:"jobs"`
	RunsToday   RunTotals      `json:"runs_today" doc:"Since midnight in the server's zone, at whole hours of UTC."`
	SuccessRate *float64       `json:"success_rate" nullable:"true" doc:"Of today's runs that succeeded or failed, 0 to 1; null when there are none."`
	Executors   ExecutorTotals `json:"executors"`
	LatenessMS  Lateness       `json:"lateness_ms" doc:"From the instant due to the start, of the last hour's runs."`
}

// JobTotals counts jobs.
type JobTotals struct {
	Total   int64 `json:"total"`
	Enabled int64 `json:"enabled" doc:"Whose schedule is started."`
}

// RunTotals counts runs by the time of their end.
type RunTotals struct {
	Total     int64 `json:"total" doc:"All that ended, and those that are running."`
	Succeeded int64 `json:"succeeded"`
	Failed    int64 `json:"failed" doc:"Failed, timed out or lost."`
	Running   int64 `json:"running" doc:"Now; exact up to 10000."`
}

// ExecutorTotals counts registered executors.
type ExecutorTotals struct {
	Alive int `json:"alive"`
	Total int `json:"total"`
}

// Lateness is in milliseconds.
type Lateness struct {
	P50 int64 `json:"p50"`
	P99 int64 `json:"p99"`
}

type summaryInput struct {
	GroupID int32 `query:"group_id" minimum:"1" maximum:"2147483647"`
}

func (s *server) reportSummary(ctx context.Context, in *summaryInput) (*body[Summary], error) {
	groups := groupsSeen(ctx, in.GroupID)
	now, err := s.deps.Store.Overview(ctx, groups)
	if err != nil {
		return nil, err
	}
	clock := time.Now()
	counts, err := s.deps.Store.RunCounts(ctx, groups, s.midnight(clock), clock.Add(time.Hour), time.Hour)
	if err != nil {
		return nil, err
	}
	out := Summary{
		Jobs:       JobTotals{now.Jobs, now.EnabledJobs},
		LatenessMS: Lateness{now.LatenessP50.Milliseconds(), now.LatenessP99.Milliseconds()},
		RunsToday:  RunTotals{Running: now.Running, Total: now.Running},
	}
	for _, c := range counts {
		out.RunsToday.Total += c.Runs
		switch c.Outcome {
		case job.Succeeded:
			out.RunsToday.Succeeded += c.Runs
		case job.Failed, job.TimedOut, job.Lost:
			out.RunsToday.Failed += c.Runs
		}
	}
	if n := out.RunsToday.Succeeded + out.RunsToday.Failed; n > 0 {
		rate := float64(out.RunsToday.Succeeded) / float64(n)
		out.SuccessRate = &rate
	}
	out.Executors, err = s.executorTotals(ctx)
	return answer(out), err
}

// midnight is when today began in the server's zone, or the whole hour of UTC before.
func (s *server) midnight(now time.Time) time.Time {
	zone, err := time.LoadLocation(s.deps.System.TimeZone)
	if err != nil { // the server's zone has no name
		zone = time.Local
	}
	y, m, d := now.In(zone).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, zone).UTC().Truncate(time.Hour)
}

func (s *server) executorTotals(ctx context.Context) (t ExecutorTotals, err error) {
	seen, err := s.appsSeen(ctx, 0)
	if err != nil {
		return t, err
	}
	all, err := s.deps.Store.Executors(ctx)
	if err != nil {
		return t, err
	}
	for _, e := range all {
		if seen != nil && !slices.Contains(seen, e.AppName) {
			continue
		}
		t.Total++
		if alive(e) {
			t.Alive++
		}
	}
	return t, nil
}

// RunCount is how many runs ended in a span of time, and how.
type RunCount struct {
	At        Time  `json:"at" doc:"Where the span begins."`
	Succeeded int64 `json:"succeeded"`
	Failed    int64 `json:"failed"`
	TimedOut  int64 `json:"timed_out"`
	Killed    int64 `json:"killed"`
	Lost      int64 `json:"lost"`
	Other     int64 `json:"other" doc:"Misfired, discarded or cancelled."`
}

// RunCounts are those of all spans that have runs.
type RunCounts struct {
	Items []RunCount `json:"items" nullable:"false" doc:"By time; spans without runs are left out."`
}

type runCountsInput struct {
	GroupID int32  `query:"group_id" minimum:"1" maximum:"2147483647"`
	From    Time   `query:"from" doc:"Default: 24 hours ago."`
	To      Time   `query:"to" doc:"Default: now."`
	Step    string `query:"step" enum:"minute,hour,day" default:"hour" doc:"How long the spans are. Minutes are kept for two days. Days are those of UTC."`
}

// steps are how long spans are, and how much time one answer covers.
var steps = map[string]struct{ step, most time.Duration }{
	"minute": {time.Minute, 48 * time.Hour},
	"hour":   {time.Hour, 100 * 24 * time.Hour},
	"day":    {24 * time.Hour, 1000 * 24 * time.Hour},
}

func (s *server) reportRuns(ctx context.Context, in *runCountsInput) (*body[RunCounts], error) {
	span := steps[in.Step]
	from, to, err := period(in.From, in.To, 24*time.Hour, span.most)
	if err != nil {
		return nil, err
	}
	counts, err := s.deps.Store.RunCounts(ctx, groupsSeen(ctx, in.GroupID), from.Truncate(span.step), to, span.step)
	if err != nil {
		return nil, err
	}
	out := RunCounts{Items: []RunCount{}}
	for _, c := range counts {
		if n := len(out.Items); n == 0 || !out.Items[n-1].At.Equal(c.At) {
			out.Items = append(out.Items, RunCount{At: instant(c.At)})
		}
		out.Items[len(out.Items)-1].add(c)
	}
	return answer(out), nil
}

func (r *RunCount) add(c job.RunCount) {
	switch c.Outcome {
	case job.Succeeded:
		r.Succeeded += c.Runs
	case job.Failed:
		r.Failed += c.Runs
	case job.TimedOut:
		r.TimedOut += c.Runs
	case job.Killed:
		r.Killed += c.Runs
	case job.Lost:
		r.Lost += c.Runs
	default:
		r.Other += c.Runs
	}
}

// period fills in what was left out of a time from … to.
func period(from, to Time, usual, most time.Duration) (time.Time, time.Time, error) {
	end := to.Time
	if end.IsZero() {
		end = time.Now()
	}
	begin := from.Time
	if begin.IsZero() {
		begin = end.Add(-usual)
	}
	switch {
	case !begin.Before(end):
		return begin, end, queryProblem("from", "This is not before to. Choose an earlier instant.")
	case end.Sub(begin) > most:
		return begin, end, queryProblem("from", fmt.Sprintf("This is more than %s before to. Choose a later instant, or a longer step.", words(most)))
	}
	return begin.UTC(), end.UTC(), nil
}

func words(d time.Duration) string { return fmt.Sprintf("%d days", int(d.Hours()/24)) }

// JobFigures are what a job's runs came to.
type JobFigures struct {
	JobID    int32  `json:"job_id"`
	Name     string `json:"name" doc:"Empty when the job is gone."`
	Runs     int64  `json:"runs"`
	Failures int64  `json:"failures" doc:"Failed, timed out or lost."`
	AvgMS    int64  `json:"avg_ms"`
	MaxMS    int64  `json:"max_ms"`
}

// JobFigureList is the head of a ranking.
type JobFigureList struct {
	Items []JobFigures `json:"items" nullable:"false"`
}

type jobFiguresInput struct {
	GroupID int32  `query:"group_id" minimum:"1" maximum:"2147483647"`
	Order   string `query:"order" enum:"slowest,failing" default:"slowest" doc:"By the average duration, or by the number of failures."`
	From    Time   `query:"from" doc:"Default: 24 hours before to. Whole days of UTC are summed up."`
	To      Time   `query:"to" doc:"Default: now."`
	Limit   int    `query:"limit" minimum:"1" maximum:"100" default:"10"`
}

func (s *server) reportJobs(ctx context.Context, in *jobFiguresInput) (*body[JobFigureList], error) {
	from, to, err := period(in.From, in.To, 24*time.Hour, 400*24*time.Hour)
	if err != nil {
		return nil, err
	}
	list, err := s.deps.Store.JobFigures(ctx, job.FiguresFilter{
		GroupIDs: groupsSeen(ctx, in.GroupID), From: from, To: to, Order: job.FiguresOrder(in.Order), Limit: in.Limit,
	})
	if err != nil {
		return nil, err
	}
	return answer(JobFigureList{mapped(list, func(f job.JobFigures) JobFigures { return JobFigures(f) })}), nil
}

// UpcomingMinute is how many fires a minute has.
type UpcomingMinute struct {
	At    Time `json:"at"`
	Count int  `json:"count"`
}

// Upcoming is a forecast.
type Upcoming struct {
	Items   []UpcomingMinute `json:"items" nullable:"false" doc:"Each minute, those without fires too."`
	Partial bool             `json:"partial" doc:"There are more jobs or fires than were counted."`
}

type upcomingInput struct {
	GroupID int32 `query:"group_id" minimum:"1" maximum:"2147483647"`
	Minutes int   `query:"minutes" minimum:"1" maximum:"1440" default:"60"`
}

func (s *server) reportUpcoming(ctx context.Context, in *upcomingInput) (*body[Upcoming], error) {
	out, err := s.deps.Forecast(ctx, groupsSeen(ctx, in.GroupID), time.Now(), in.Minutes)
	if err != nil {
		return nil, err
	}
	return answer(Upcoming{Partial: out.Partial, Items: mapped(out.Minutes, func(m report.Minute) UpcomingMinute {
		return UpcomingMinute{instant(m.At), m.Count}
	})}), nil
}

// HistoryRun is a run as a sparkline shows it.
type HistoryRun struct {
	RunID      int64    `json:"run_id"`
	State      RunState `json:"state"`
	FireAt     Time     `json:"fire_at"`
	DurationMS *int64   `json:"duration_ms" nullable:"true" doc:"Null while it has not ended, or when it never began."`
}

// History are a job's latest runs.
type History struct {
	Items []HistoryRun `json:"items" nullable:"false" doc:"The newest first, without planned ones and test-runs."`
}

type historyInput struct {
	ObjectID
	Limit int `query:"limit" minimum:"1" maximum:"200" default:"30"`
}

func (s *server) jobHistory(ctx context.Context, j job.Job, in *historyInput) (*body[History], error) {
	runs, err := s.deps.Store.History(ctx, []int32{j.ID}, in.Limit)
	if err != nil {
		return nil, err
	}
	return answer(History{mapped(runs, historyRunOf)}), nil
}

func historyRunOf(r job.HistoryRun) HistoryRun {
	out := HistoryRun{RunID: r.RunID, State: RunState(r.State.String()), FireAt: instant(r.FireAt)}
	if r.StartedAt != nil && r.EndedAt != nil {
		ms := max(r.EndedAt.Sub(*r.StartedAt).Milliseconds(), 0)
		out.DurationMS = &ms
	}
	return out
}

// historyLength is how many runs a list of jobs carries of each.
const historyLength = 30

// addHistory adds their latest runs to jobs of a list.
func (s *server) addHistory(ctx context.Context, jobs []Job) error {
	at := make(map[int32]*Job, len(jobs))
	ids := make([]int32, len(jobs))
	for i := range jobs {
		ids[i], at[jobs[i].ID] = jobs[i].ID, &jobs[i]
	}
	runs, err := s.deps.Store.History(ctx, ids, historyLength)
	if err != nil {
		return err
	}
	for _, r := range runs {
		j := at[r.JobID]
		j.History = append(j.History, historyRunOf(r))
	}
	return nil
}
