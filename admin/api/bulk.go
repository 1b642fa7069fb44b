package api

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/gluewheel/gluewheel/admin/audit"
	"github.com/gluewheel/gluewheel/admin/auth"
	"github.com/gluewheel/gluewheel/admin/job"
)

// BulkInput is one action on many jobs.
type BulkInput struct {
	Action     string   `json:"action" enum:"start,stop,delete,tag,run"`
	IDs        []int32  `json:"ids" nullable:"false" minItems:"1" maxItems:"500" doc:"Of the jobs."`
	AddTags    []string `json:"add_tags,omitempty" nullable:"false" maxItems:"20" doc:"For tag."`
	RemoveTags []string `json:"remove_tags,omitempty" nullable:"false" maxItems:"20" doc:"For tag."`
	Param      *string  `json:"param,omitempty" doc:"For run: in place of the jobs' parameters."`
	DryRun     bool     `json:"dry_run,omitempty" doc:"Nothing is stored; the answer is as if it were."`
}

// BulkResult is what became of one job.
type BulkResult struct {
	ID    int32  `json:"id"`
	OK    bool   `json:"ok"`
	Error string `json:"error,omitempty" doc:"Why not, for people."`
	RunID int64  `json:"run_id,omitempty" doc:"Of run."`
}

// BulkResults are those of all jobs, in the order of the ids.
type BulkResults struct {
	Items []BulkResult `json:"items" nullable:"false"`
}

type bulkInput struct{ Body BulkInput }

// dry is for trial.
func (in *bulkInput) dry() bool { return in.Body.DryRun }

// bulkRights are what an action needs in each job's group.
var bulkRights = map[string]auth.Right{
	"start": auth.JobOperate, "stop": auth.JobOperate, "run": auth.JobOperate,
	"tag": auth.JobEdit, "delete": auth.JobEdit,
}

// bulkJobs does one thing to many jobs. Each is done by itself: what fails for one says
// nothing of the others.
func (s *server) bulkJobs(ctx context.Context, in *bulkInput) (*body[BulkResults], error) {
	if err := in.Body.check(); err != nil {
		return nil, err
	}
	jobs, err := s.deps.Store.JobsByID(ctx, in.Body.IDs)
	if err != nil {
		return nil, err
	}
	audit.Apart(ctx)
	out := BulkResults{Items: make([]BulkResult, len(in.Body.IDs))}
	for i, id := range in.Body.IDs {
		r := &out.Items[i]
		r.ID = id
		at := slices.IndexFunc(jobs, func(j job.Job) bool { return j.ID == id })
		err := error(job.ErrNotFound)
		switch {
		case at >= 0 && !callerOf(ctx).May(bulkRights[in.Body.Action], jobs[at].GroupID):
			err = auth.ErrForbidden
		case at >= 0:
			r.RunID, err = s.bulkOne(ctx, jobs[at], in)
		}
		if err != nil {
			if r.Error, err = s.bulkError(err); err != nil {
				return nil, err
			}
		}
		r.OK = r.Error == ""
	}
	return answer(out), nil
}

func (in *BulkInput) check() error {
	in.AddTags, in.RemoveTags = job.CleanTags(in.AddTags), job.CleanTags(in.RemoveTags)
	wrong := invalid(job.ValidateTags("add_tags", in.AddTags))
	for i, id := range in.IDs {
		if slices.Contains(in.IDs[:i], id) {
			wrong = append(wrong, &job.FieldError{Field: fmt.Sprintf("ids[%d]", i), Message: fmt.Sprintf("Job %d stands here twice. Take one out.", id)})
		}
	}
	if in.Param != nil {
		wrong = append(wrong, job.ValidateParam(*in.Param)...)
	}
	if in.Action == "tag" && len(in.AddTags)+len(in.RemoveTags) == 0 {
		wrong = append(wrong, &job.FieldError{Field: "add_tags", Message: "There is no tag to add or to remove. Name one."})
	}
	return wrong.orNil()
}

// bulkOne does it to one job, with an audit entry of its own.
func (s *server) bulkOne(ctx context.Context, j job.Job, in *bulkInput) (runID int64, err error) {
	ctx = audit.Each(ctx, audit.Change{Object: "job", ID: strconv.Itoa(int(j.ID)), Name: j.Name, GroupID: j.GroupID})
	switch in.Body.Action {
	case "start":
		_, err = s.deps.Store.StartJob(ctx, j.ID, s.next(j))
	case "stop":
		_, err = s.deps.Store.StopJob(ctx, j.ID)
	case "delete":
		_, err = s.deps.Store.DeleteJob(ctx, j.ID)
	case "tag":
		err = s.bulkTag(ctx, j, in)
	case "run":
		var fire job.Fire
		fire, err = s.deps.Store.Trigger(ctx, job.TriggerRequest{JobID: j.ID, Cause: job.CauseManual, Param: in.Body.Param})
		if err == nil {
			s.fired(ctx, fire)
		}
		runID = fire.RunID
	}
	return runID, err
}

func (s *server) bulkTag(ctx context.Context, j job.Job, in *bulkInput) error {
	tags := job.CleanTags(append(slices.Clone(j.Tags), in.Body.AddTags...))
	tags = slices.DeleteFunc(tags, func(t string) bool { return slices.Contains(in.Body.RemoveTags, t) })
	if slices.Equal(tags, j.Tags) {
		return nil
	}
	if err := invalid(job.ValidateTags("tags", tags)).orNil(); err != nil {
		return err
	}
	j.Tags = tags
	_, err := s.deps.Store.UpdateJob(ctx, j, s.next(j))
	return err
}

// bulkError says to people what kept one job back. What is wrong with the server or the
// database ends the whole request.
func (s *server) bulkError(err error) (string, error) {
	p := domainProblem(err)
	switch {
	case p == nil:
		return "", err
	case len(p.Errors) > 0:
		return fmt.Sprintf("%s: %s", p.Errors[0].Location[len("body."):], p.Errors[0].Message), nil
	default:
		return p.Detail, nil
	}
}
