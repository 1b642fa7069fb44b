package api

import (
	"context"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/glue"
	"github.com/gluewheel/gluewheel/runtime"
)

type draftStore interface {
	Draft(ctx context.Context, jobID, userID int32) (job.Draft, error)
	DraftOf(ctx context.Context, jobID int32, username string) (job.Draft, error)
	SaveDraft(ctx context.Context, d job.Draft) (job.Draft, error)
	DeleteDraft(ctx context.Context, jobID, userID int32) error
	Drafts(ctx context.Context, jobID int32) ([]job.DraftInfo, error)
	TestRun(ctx context.Context, req job.TestRequest) (job.Fire, error)
}

// Code is what somebody writes, finished or not.
type Code struct {
	GlueType GlueType `json:"glue_type" doc:"The job's."`
	Source   string   `json:"source,omitempty" doc:"At most 1 MiB. Of GLUE_WASM it is what the module was compiled from, if that is known."`
	Artifact string   `json:"artifact,omitempty" doc:"Digest of an uploaded module, for GLUE_WASM."`
	Manifest Manifest `json:"manifest,omitempty"`
}

// DraftInput is a draft to be kept.
type DraftInput struct {
	Code
	BaseVersion int32 `json:"base_version" minimum:"0" doc:"Number of the version that is edited; 0 for none."`
}

// Draft is what somebody is writing for a job. Nothing runs it.
type Draft struct {
	GlueType    GlueType `json:"glue_type"`
	Source      string   `json:"source"`
	Artifact    *string  `json:"artifact" nullable:"true"`
	Manifest    Manifest `json:"manifest"`
	BaseVersion int32    `json:"base_version"`
	UpdatedAt   Time     `json:"updated_at"`
}

// DraftInfo tells who is writing for a job.
type DraftInfo struct {
	Username    string `json:"username"`
	BaseVersion int32  `json:"base_version"`
	UpdatedAt   Time   `json:"updated_at"`
}

func draftOf(d job.Draft) *body[Draft] {
	return answer(Draft{
		GlueType: GlueType(d.Type), Source: d.Source, Artifact: d.Artifact, Manifest: Manifest(d.Manifest),
		BaseVersion: d.BaseVersion, UpdatedAt: instant(d.UpdatedAt),
	})
}

func (s *server) getDraft(ctx context.Context, j job.Job, _ *ObjectID) (*body[Draft], error) {
	d, err := s.deps.Store.Draft(ctx, j.ID, callerOf(ctx).UserID)
	if err != nil {
		return nil, err
	}
	return draftOf(d), nil
}

type draftOfInput struct {
	ObjectID
	Username string `path:"username" minLength:"1" maxLength:"100"`
}

// getDraftOf lets those who write for the same job see what they are about to meet.
func (s *server) getDraftOf(ctx context.Context, j job.Job, in *draftOfInput) (*body[Draft], error) {
	d, err := s.deps.Store.DraftOf(ctx, j.ID, in.Username)
	if err != nil {
		return nil, err
	}
	return draftOf(d), nil
}

type saveDraftInput struct {
	ObjectID
	Body DraftInput
}

// saveDraft keeps what is not finished, too: its source may be empty and may not run.
func (s *server) saveDraft(ctx context.Context, j job.Job, in *saveDraftInput) (*body[Draft], error) {
	if err := in.Body.forJob(j); err != nil {
		return nil, err
	}
	d := job.Draft{
		JobID: j.ID, UserID: callerOf(ctx).UserID, Type: j.GlueType, Source: in.Body.Source, Artifact: optional(in.Body.Artifact),
		Manifest: glue.Manifest(in.Body.Manifest), BaseVersion: in.Body.BaseVersion,
	}
	if err := invalid(job.ValidateDraft(d)).orNil(); err != nil {
		return nil, err
	}
	if d.Artifact != nil {
		if err := s.checkArtifact(ctx, *d.Artifact); err != nil {
			return nil, err
		}
	}
	d, err := s.deps.Store.SaveDraft(ctx, d)
	if err != nil {
		return nil, err
	}
	return draftOf(d), nil
}

// forJob wants the job's type: code of another one would be run by the wrong engine.
func (c *Code) forJob(j job.Job) error {
	if glue.Type(c.GlueType) == j.GlueType {
		return nil
	}
	return &job.FieldError{Field: "glue_type", Message: "The job's type is " + string(j.GlueType) + ". Make a new job for another one."}
}

// optional is nil for an empty text.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func (s *server) deleteDraft(ctx context.Context, j job.Job, _ *ObjectID) (*none, error) {
	return nil, s.deps.Store.DeleteDraft(ctx, j.ID, callerOf(ctx).UserID)
}

// Drafts are all who write for a job.
type Drafts struct {
	Items []DraftInfo `json:"items" nullable:"false"`
}

func (s *server) listDrafts(ctx context.Context, j job.Job, _ *ObjectID) (*body[Drafts], error) {
	list, err := s.deps.Store.Drafts(ctx, j.ID)
	if err != nil {
		return nil, err
	}
	return answer(Drafts{mapped(list, func(d job.DraftInfo) DraftInfo {
		return DraftInfo{Username: d.Username, BaseVersion: d.BaseVersion, UpdatedAt: instant(d.UpdatedAt)}
	})}), nil
}

// CodeProblem is a mistake in code, and where it is.
type CodeProblem struct {
	Line     int    `json:"line" doc:"From 1 on; 0 when it is not known."`
	Column   int    `json:"column" doc:"From 1 on; 0 when it is not known."`
	Severity string `json:"severity" enum:"error,warning"`
	Message  string `json:"message"`
}

// CodeProblems are those that were found.
type CodeProblems struct {
	Problems []CodeProblem `json:"problems" nullable:"false"`
}

// CheckInput is code to be looked at.
type CheckInput struct {
	GlueType GlueType `json:"glue_type"`
	Source   string   `json:"source" doc:"At most 1 MiB."`
}

// checkCode finds what is wrong with code that somebody is typing. Types without a
// checker have no problems.
func (s *server) checkCode(ctx context.Context, in *struct{ Body CheckInput }) (*body[CodeProblems], error) {
	if err := invalid(job.ValidateSourceSize(in.Body.Source)).orNil(); err != nil {
		return nil, err
	}
	found, err := s.deps.FindProblems(ctx, string(in.Body.GlueType), in.Body.Source)
	if err != nil {
		return nil, err
	}
	return answer(CodeProblems{mapped(found, func(p runtime.Problem) CodeProblem { return CodeProblem(p) })}), nil
}
