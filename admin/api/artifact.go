package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"

	"github.com/gluewheel/gluewheel/admin/auth"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/glue"
)

const mediaWasm = "application/wasm"

// Artifact is an uploaded module.
type Artifact struct {
	Digest     string         `json:"digest" doc:"sha256: and 64 hex digits."`
	SizeBytes  int64          `json:"size_bytes"`
	Inspection map[string]any `json:"inspection" doc:"What was found in the module."`
	CreatedBy  string         `json:"created_by"`
	CreatedAt  Time           `json:"created_at"`
}

// ArtifactDetail also tells who runs the module.
type ArtifactDetail struct {
	Artifact
	UsedBy []ArtifactUse `json:"used_by" nullable:"false" maxItems:"100" doc:"Versions that use it, of the groups that you may see, the latest first; at most 100."`
}

// ArtifactUse is a version that uses a module.
type ArtifactUse struct {
	JobID   int32  `json:"job_id"`
	JobName string `json:"job_name"`
	Number  int32  `json:"number" doc:"Of the version."`
}

func artifactOf(a job.Artifact) Artifact {
	out := Artifact{Digest: a.Digest, SizeBytes: a.SizeBytes, CreatedBy: a.CreatedBy, CreatedAt: instant(a.CreatedAt)}
	// The store holds an object that Inspect made; anything else shows as an empty one.
	if json.Unmarshal(a.Inspection, &out.Inspection) != nil || out.Inspection == nil {
		out.Inspection = map[string]any{}
	}
	return out
}

// artifactsSeen lets a user see what they uploaded and what their groups run.
func artifactsSeen(ctx context.Context) job.ArtifactFilter {
	c := callerOf(ctx)
	groups, all := c.GroupsWith(auth.JobView)
	if all {
		return job.ArtifactFilter{All: true}
	}
	return job.ArtifactFilter{By: c.Username, GroupIDs: groups}
}

type listArtifactsInput struct {
	Paging
	Query string `query:"q" maxLength:"100" doc:"Part of the digest or of the uploader's name."`
}

func (s *server) listArtifacts(ctx context.Context, in *listArtifactsInput) (*body[List[Artifact]], error) {
	f := artifactsSeen(ctx)
	f.Query = in.Query
	page, err := s.deps.Store.Artifacts(ctx, f, in.paging())
	if err != nil {
		return nil, err
	}
	return listOf(page, artifactOf), nil
}

// ArtifactDigest names a module in a path.
type ArtifactDigest struct {
	Digest string `path:"digest" pattern:"^sha256:[0-9a-f]{64}$" doc:"sha256: and 64 hex digits."`
}

func (s *server) getArtifact(ctx context.Context, in *ArtifactDigest) (*body[ArtifactDetail], error) {
	seen := artifactsSeen(ctx)
	a, err := s.deps.Store.Artifact(ctx, in.Digest, seen)
	if err != nil {
		return nil, err
	}
	uses, err := s.deps.Store.ArtifactUses(ctx, in.Digest, seen)
	if err != nil {
		return nil, err
	}
	usedBy := mapped(uses, func(u job.ArtifactUse) ArtifactUse { return ArtifactUse(u) })
	return answer(ArtifactDetail{Artifact: artifactOf(a), UsedBy: usedBy}), nil
}

// checkArtifact wants a module that the caller may see, so that nobody runs another
// group's code by its digest.
func (s *server) checkArtifact(ctx context.Context, digest string) error {
	_, err := s.deps.Store.Artifact(ctx, digest, artifactsSeen(ctx))
	if errors.Is(err, job.ErrNotFound) {
		return &job.FieldError{Field: "artifact", Message: "There is no module with this digest. Upload it first."}
	}
	return err
}

type uploadInput struct{ content io.Reader }

// Resolve is called by huma. It takes the stream itself: the body is not read before
// there is a place for it.
func (in *uploadInput) Resolve(hc huma.Context) []error {
	in.content = uploadOf(humafiber.Unwrap(hc))
	if err := hc.SetReadDeadline(time.Now().Add(uploadTime)); err != nil {
		return []error{newProblem(http.StatusBadRequest, "The connection is broken.")}
	}
	return nil
}

func (s *server) uploadArtifact(ctx context.Context, in *uploadInput) (*body[Artifact], error) {
	select {
	case s.uploads <- struct{}{}:
		defer func() { <-s.uploads }()
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for other uploads: %w", ctx.Err())
	}
	content, err := readModule(in.content)
	if err != nil {
		return nil, err
	}
	inspection, err := s.deps.Inspect(ctx, content)
	if err != nil {
		return nil, moduleProblem(err)
	}
	a, err := s.deps.Store.StoreArtifact(ctx, content, inspection, callerOf(ctx).Username)
	if err != nil {
		return nil, err
	}
	return answer(artifactOf(a)), nil
}

// wasmMagic begins every binary module of version 1.
const wasmMagic = "\x00asm\x01\x00\x00\x00"

func readModule(r io.Reader) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(r, glue.MaxArtifact+1))
	switch {
	case err != nil:
		return nil, newProblem(http.StatusBadRequest, "The module could not be read to its end. Upload it again.")
	case len(content) > glue.MaxArtifact:
		return nil, newProblem(http.StatusRequestEntityTooLarge, fmt.Sprintf("The module is larger than %d bytes. Make it smaller.", glue.MaxArtifact))
	case !bytes.HasPrefix(content, []byte(wasmMagic)):
		return nil, moduleProblem(&job.CodeError{Message: "This is not a WebAssembly module: it does not begin with its magic number."})
	}
	return content, nil
}

// moduleProblem names the body, because an upload has no fields.
func moduleProblem(err error) error {
	code, ok := errors.AsType[*job.CodeError](err)
	if !ok {
		return err
	}
	p := newProblem(http.StatusUnprocessableEntity, "The module is refused: "+code.Message)
	p.Errors = []*huma.ErrorDetail{{Location: "body", Message: code.Message}}
	return p
}
