package api

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/glue"
)

type codeStore interface {
	PublishVersion(ctx context.Context, p job.Publish) (job.Published, error)
	RollbackVersion(ctx context.Context, r job.Rollback) (job.Published, error)
	ReviewVersion(ctx context.Context, r job.Review) (job.Published, error)
	PendingVersions(ctx context.Context, groupIDs []int32, p job.Paging) (job.Page[job.PendingVersion], error)
	Version(ctx context.Context, jobID, number int32) (glue.Version, error)
	Versions(ctx context.Context, jobID int32, p job.Paging) (job.Page[glue.Version], error)
	StoreArtifact(ctx context.Context, content []byte, inspection []byte, by string) (job.Artifact, error)
	Artifact(ctx context.Context, digest string, f job.ArtifactFilter) (job.Artifact, error)
	ArtifactContent(ctx context.Context, digest string) ([]byte, error)
	Artifacts(ctx context.Context, f job.ArtifactFilter, p job.Paging) (job.Page[job.Artifact], error)
	ArtifactUses(ctx context.Context, digest string, f job.ArtifactFilter) ([]job.ArtifactUse, error)
}

// Manifest is what a version may use. Zero means the executor's default; an empty list
// grants nothing.
type Manifest struct {
	MemoryBytes int64    `json:"memory_bytes,omitempty"`
	CPUSeconds  int64    `json:"cpu_seconds,omitempty"`
	LogBytes    int64    `json:"log_bytes,omitempty"`
	Hosts       []string `json:"hosts,omitempty" nullable:"false" doc:"That the code may call."`
	Secrets     []string `json:"secrets,omitempty" nullable:"false" doc:"Names that the code may read."`
	KV          bool     `json:"kv,omitempty" doc:"Whether the code may use the job's own store, gw.kv."`
	Isolation   string   `json:"isolation,omitempty" enum:",inproc" doc:"inproc: of WebAssembly, in the executor's own process, where it allows that."`
}

// VersionInfo is a version without its source.
type VersionInfo struct {
	JobID     int32    `json:"job_id"`
	Number    int32    `json:"number" doc:"1, 2, … within the job."`
	GlueType  GlueType `json:"glue_type"`
	Digest    string   `json:"digest" doc:"Of what runs."`
	Artifact  *string  `json:"artifact" nullable:"true" doc:"Digest of the uploaded module."`
	Manifest  Manifest `json:"manifest"`
	Remark    string   `json:"remark"`
	Author    string   `json:"author"`
	CreatedAt Time     `json:"created_at"`
	Runs      int64    `json:"runs" doc:"In lists: of its runs, how many have ended."`
	Failures  int64    `json:"failures" doc:"In lists: of these, how many failed, timed out or were lost."`

	BaseVersion int32  `json:"base_version" doc:"Number of the version that was live when it was published; 0 for none."`
	Review      string `json:"review" enum:"none,pending,approved,rejected" doc:"none: it was live at once. What is pending or rejected never runs."`
	ReviewedBy  string `json:"reviewed_by,omitempty"`
	ReviewedAt  *Time  `json:"reviewed_at,omitempty"`
	ReviewNote  string `json:"review_note,omitempty"`
}

// Version is an immutable version of a job's code.
type Version struct {
	VersionInfo
	Source string `json:"source" doc:"Empty for an uploaded module."`
}

// VersionPublished is a new version, and what publishing it did: nothing, when it is
// pending.
type VersionPublished struct {
	Version
	WriteEffect
	JobVersion int64 `json:"job_version" doc:"The job's version after it."`
}

func infoOf(v glue.Version) VersionInfo {
	return VersionInfo{
		JobID: v.JobID, Number: v.Number, GlueType: GlueType(v.Type), Digest: v.Digest, Artifact: v.Artifact,
		Manifest: Manifest(v.Manifest), Remark: v.Remark, Author: v.Author, CreatedAt: instant(v.CreatedAt),
		BaseVersion: v.BaseVersion, Review: string(v.Review), ReviewedBy: v.ReviewedBy, ReviewedAt: instantOf(v.ReviewedAt), ReviewNote: v.ReviewNote,
	}
}

func versionOf(v glue.Version) Version { return Version{infoOf(v), v.Source} }

func publishedOf(p job.Published) *body[VersionPublished] {
	return answer(VersionPublished{versionOf(p.Version), effectOf(p.Write), p.Write.Version})
}

type listVersionsInput struct {
	ObjectID
	Paging
}

func (s *server) listVersions(ctx context.Context, j job.Job, in *listVersionsInput) (*body[List[VersionInfo]], error) {
	page, err := s.deps.Store.Versions(ctx, j.ID, in.paging())
	if err != nil {
		return nil, err
	}
	counts, err := s.deps.Store.VersionCounts(ctx, j.ID)
	if err != nil {
		return nil, err
	}
	list := listOf(page, infoOf)
	for i := range list.Body.Items {
		v := &list.Body.Items[i]
		if at := slices.IndexFunc(counts, func(c job.VersionCount) bool { return c.Number == v.Number }); at >= 0 {
			v.Runs, v.Failures = counts[at].Runs, counts[at].Failures
		}
	}
	return list, nil
}

type getVersionInput struct {
	ObjectID
	Number int32 `path:"number" minimum:"1" maximum:"2147483647"`
}

func (s *server) getVersion(ctx context.Context, j job.Job, in *getVersionInput) (*body[Version], error) {
	v, err := s.deps.Store.Version(ctx, j.ID, in.Number)
	if err != nil {
		return nil, err
	}
	return answer(versionOf(v)), nil
}

// PublishInput is code to be made live.
type PublishInput struct {
	Source      string   `json:"source,omitempty" doc:"At most 1 MiB. For all types but GLUE_WASM."`
	Artifact    string   `json:"artifact,omitempty" doc:"Digest of an uploaded module, for GLUE_WASM."`
	Remark      string   `json:"remark" doc:"4 to 100 characters: what changed."`
	BaseVersion int32    `json:"base_version" doc:"Number of the version that was edited, 0 for none: if another one is live by now, nothing is changed (409)."`
	Manifest    Manifest `json:"manifest,omitempty"`
}

type publishVersionInput struct {
	ObjectID
	Trial
	Body PublishInput
}

func (s *server) publishVersion(ctx context.Context, j job.Job, in *publishVersionInput) (*body[VersionPublished], error) {
	p := job.Publish{
		JobID: j.ID, BaseVersion: in.Body.BaseVersion, Source: in.Body.Source, Manifest: glue.Manifest(in.Body.Manifest),
		Remark: in.Body.Remark, Author: callerOf(ctx).Username,
	}
	if in.Body.Artifact != "" {
		p.Artifact = &in.Body.Artifact
	}
	wrong := invalid(append(job.ValidatePublish(j.GlueType, &p), job.ValidateGrants(j.GlueType, p.Manifest)...))
	if err := wrong.orNil(); err != nil {
		return nil, err
	}
	if p.Artifact == nil {
		if err := s.deps.CheckSource(ctx, j.GlueType, p.Source); err != nil {
			return nil, err
		}
	} else if err := s.checkArtifact(ctx, *p.Artifact); err != nil {
		return nil, err
	}
	out, err := s.deps.Store.PublishVersion(ctx, p)
	if err != nil {
		return nil, baseConflict(err)
	}
	return publishedOf(out), nil
}

// RollbackInput names the version to come back to.
type RollbackInput struct {
	Number      int32  `json:"number" minimum:"1"`
	Remark      string `json:"remark" doc:"4 to 100 characters: why."`
	BaseVersion int32  `json:"base_version" doc:"Number of the live version as you saw it: if another one is live by now, nothing is changed (409)."`
}

type rollbackVersionInput struct {
	ObjectID
	Trial
	Body RollbackInput
}

func (s *server) rollbackVersion(ctx context.Context, j job.Job, in *rollbackVersionInput) (*body[VersionPublished], error) {
	if err := invalid(job.ValidateRemark(in.Body.Remark)).orNil(); err != nil {
		return nil, err
	}
	out, err := s.deps.Store.RollbackVersion(ctx, job.Rollback{
		JobID: j.ID, Number: in.Body.Number, BaseVersion: in.Body.BaseVersion,
		Remark: in.Body.Remark, Author: callerOf(ctx).Username,
	})
	if err != nil {
		return nil, baseConflict(err)
	}
	return publishedOf(out), nil
}

// baseConflict says of a conflict what it is about here.
func baseConflict(err error) error {
	if !errors.Is(err, job.ErrConflict) {
		return err
	}
	p := newProblem(http.StatusConflict, "Another version has been published since you began. Compare yours with it, then publish again.")
	p.Errors = []*huma.ErrorDetail{{Location: "body.base_version", Message: p.Detail}}
	return p
}
