package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/glue"
)

// PendingReview is a version that waits for approval.
type PendingReview struct {
	JobID       int32    `json:"job_id"`
	JobName     string   `json:"job_name"`
	GroupID     int32    `json:"group_id"`
	Number      int32    `json:"number"`
	GlueType    GlueType `json:"glue_type"`
	Author      string   `json:"author"`
	Remark      string   `json:"remark"`
	BaseVersion int32    `json:"base_version" doc:"Number of the version that was live when it was published; 0 for none."`
	LiveVersion int32    `json:"live_version" doc:"Number of the live version; if it is not base_version, this one can only be rejected."`
	CreatedAt   Time     `json:"created_at"`
}

func pendingReviewOf(v job.PendingVersion) PendingReview {
	return PendingReview{
		JobID: v.JobID, JobName: v.JobName, GroupID: v.GroupID, Number: v.Number, GlueType: GlueType(v.Type),
		Author: v.Author, Remark: v.Remark, BaseVersion: v.BaseVersion, LiveVersion: v.LiveVersion, CreatedAt: instant(v.CreatedAt),
	}
}

type listReviewsInput struct {
	Paging
	GroupID int32 `query:"group_id" minimum:"1" maximum:"2147483647"`
}

func (s *server) listReviews(ctx context.Context, in *listReviewsInput) (*body[List[PendingReview]], error) {
	page, err := s.deps.Store.PendingVersions(ctx, groupsSeen(ctx, in.GroupID), in.paging())
	if err != nil {
		return nil, err
	}
	return listOf(page, pendingReviewOf), nil
}

// VersionNumber is a version of a job in a path.
type VersionNumber struct {
	ObjectID
	Number int32 `path:"number" minimum:"1" maximum:"2147483647"`
}

// Approval lets a version go live.
type Approval struct {
	Note string `json:"note,omitempty" doc:"At most 1000 characters."`
}

type approveVersionInput struct {
	VersionNumber
	Trial
	Body Approval
}

func (s *server) approveVersion(ctx context.Context, j job.Job, in *approveVersionInput) (*body[VersionPublished], error) {
	return s.review(ctx, job.Review{JobID: j.ID, Number: in.Number, To: glue.ReviewApproved, Note: in.Body.Note})
}

// Rejection keeps a version from ever going live.
type Rejection struct {
	Note string `json:"note" doc:"What the author should change, at most 1000 characters."`
}

type rejectVersionInput struct {
	VersionNumber
	Trial
	Body Rejection
}

func (s *server) rejectVersion(ctx context.Context, j job.Job, in *rejectVersionInput) (*body[VersionPublished], error) {
	return s.review(ctx, job.Review{JobID: j.ID, Number: in.Number, To: glue.ReviewRejected, Note: in.Body.Note})
}

// review decides in the name of the caller: of a token, that is its user.
func (s *server) review(ctx context.Context, r job.Review) (*body[VersionPublished], error) {
	if err := invalid(job.ValidateReview(&r)).orNil(); err != nil {
		return nil, err
	}
	r.By = callerOf(ctx).Username
	out, err := s.deps.Store.ReviewVersion(ctx, r)
	if errors.Is(err, job.ErrConflict) {
		return nil, newProblem(http.StatusConflict, "Another version has become live since this one was published. Reject it, and have it published again on top of that one.")
	}
	if err != nil {
		return nil, err
	}
	return publishedOf(out), nil
}
