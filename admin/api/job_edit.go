package api

import (
	"context"
	"fmt"
	"slices"

	"github.com/gluewheel/gluewheel/admin/auth"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/glue"
)

type createJobInput struct {
	Trial
	Body JobInput
}

func (in *createJobInput) id() int32 { return in.Body.GroupID }

func (s *server) createJob(ctx context.Context, _ job.Group, in *createJobInput) (*tagged[Job], error) {
	j := in.Body.job()
	j.GlueType = glue.Type(in.Body.GlueType)
	if err := s.checkJob(ctx, &j, nil); err != nil {
		return nil, err
	}
	j, err := s.deps.Store.CreateJob(ctx, j)
	if err != nil {
		return nil, err
	}
	return s.showJob(ctx, j.ID)
}

type editJobInput struct {
	ObjectID
	Condition
	Trial
	Body JobEdit
}

func (s *server) updateJob(ctx context.Context, old job.Job, in *editJobInput) (*tagged[JobWritten], error) {
	if err := in.met(old.Version); err != nil {
		return nil, err
	}
	if t := glue.Type(in.Body.GlueType); t != "" && t != old.GlueType {
		return nil, &job.FieldError{Field: "glue_type", Message: fmt.Sprintf("It is fixed to %s. Make a new job for another type.", old.GlueType)}
	}
	j := in.Body.job()
	j.ID, j.Version, j.GlueType = old.ID, in.Body.Version, old.GlueType
	if j.GroupID != old.GroupID {
		if err := s.checkMove(ctx, j.GroupID); err != nil {
			return nil, err
		}
	}
	if err := s.checkJob(ctx, &j, old.ChildJobIDs); err != nil {
		return nil, err
	}
	w, err := s.deps.Store.UpdateJob(ctx, j, s.next(j))
	if err != nil {
		return nil, err
	}
	return s.showWritten(ctx, j.ID, w)
}

// checkMove wants the right in the group that a job moves to, as in the one it leaves.
func (s *server) checkMove(ctx context.Context, groupID int32) error {
	if err := allow(ctx, groupID); err != nil {
		return &job.FieldError{Field: "group_id", Message: "You may not put jobs into this group. Choose one of yours."}
	}
	return nil
}

// checkJob validates a job; known are children that it had before, which its editor
// need not have the right to.
func (s *server) checkJob(ctx context.Context, j *job.Job, known []int32) error {
	if err := invalid(job.ValidateJob(j, s.checkSchedule)).orNil(); err != nil {
		return err
	}
	return s.checkChildren(ctx, j.ChildJobIDs, known)
}

// checkChildren refuses children that the caller could not run directly: a job must not
// be a way into another group.
func (s *server) checkChildren(ctx context.Context, ids, known []int32) error {
	if len(ids) == 0 {
		return nil
	}
	jobs, err := s.deps.Store.JobsByID(ctx, ids)
	if err != nil {
		return err
	}
	var wrong invalid
	for i, id := range ids {
		at := slices.IndexFunc(jobs, func(j job.Job) bool { return j.ID == id })
		if slices.Contains(known, id) || at >= 0 && callerOf(ctx).May(auth.JobOperate, jobs[at].GroupID) {
			continue
		}
		wrong = append(wrong, &job.FieldError{
			Field:   fmt.Sprintf("child_job_ids[%d]", i),
			Message: fmt.Sprintf("There is no job %d in your groups. Choose another one.", id),
		})
	}
	return wrong.orNil()
}
