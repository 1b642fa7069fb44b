package api

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gluewheel/gluewheel/admin/auth"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
	"github.com/gluewheel/gluewheel/glue"
)

// TestRunInput is code to be run once.
type TestRunInput struct {
	GlueType   GlueType  `json:"glue_type" doc:"The job's."`
	Source     string    `json:"source,omitempty" doc:"At most 1 MiB."`
	Artifact   string    `json:"artifact,omitempty" doc:"Digest of an uploaded module, for GLUE_WASM."`
	Manifest   *Manifest `json:"manifest,omitempty" doc:"The published version's when it is left out. Its hosts, secrets and kv are at most the published version's, unless you may publish and the group does not ask for approval."`
	Param      *string   `json:"param,omitempty" doc:"In place of the job's parameter."`
	ShardIndex int32     `json:"shard_index,omitempty" doc:"From 0 on."`
	ShardTotal int32     `json:"shard_total,omitempty" minimum:"1" default:"1"`
	Address    string    `json:"address,omitempty" doc:"Of an executor of the job's group; the first one that is alive when it is left out."`
}

type testRunInput struct {
	ObjectID
	Body TestRunInput
}

// testRun runs code that nobody has published, beside the job's own runs. It is never
// retried, has no children and raises no alarm.
func (s *server) testRun(ctx context.Context, j job.Job, in *testRunInput) (*body[Triggered], error) {
	code := Code{GlueType: in.Body.GlueType}
	if err := code.forJob(j); err != nil {
		return nil, err
	}
	req := job.TestRequest{
		JobID: j.ID, Type: j.GlueType, Source: in.Body.Source, Artifact: optional(in.Body.Artifact), Param: in.Body.Param,
		ShardIndex: in.Body.ShardIndex, ShardTotal: in.Body.ShardTotal, Author: callerOf(ctx).Username,
	}
	var err error
	if req.Manifest, err = s.testManifest(ctx, j, in.Body.Manifest); err != nil {
		return nil, err
	}
	if req.Address, err = s.testAddress(ctx, j, in.Body.Address); err != nil {
		return nil, err
	}
	if err := invalid(job.ValidateTest(&req)).orNil(); err != nil {
		return nil, err
	}
	if req.Artifact != nil {
		err = s.checkArtifact(ctx, *req.Artifact)
	} else {
		err = s.deps.CheckSource(ctx, j.GlueType, req.Source)
	}
	if err != nil {
		return nil, err
	}
	fire, err := s.deps.Store.TestRun(ctx, req)
	if err != nil {
		return nil, err
	}
	s.fired(ctx, fire)
	return answer(Triggered{fire.RunID}), nil
}

// testManifest gives a test-run at most the grants of the published version, unless the
// caller could publish them, and alone.
func (s *server) testManifest(ctx context.Context, j job.Job, asked *Manifest) (glue.Manifest, error) {
	var published glue.Manifest
	if j.GlueVersion != 0 {
		v, err := s.deps.Store.Version(ctx, j.ID, j.GlueVersion)
		if err != nil && !errors.Is(err, job.ErrNotFound) {
			return glue.Manifest{}, err
		}
		published = v.Manifest
	}
	if asked == nil {
		return published, nil
	}
	m := glue.Manifest(*asked)
	if err := invalid(job.ValidateGrants(j.GlueType, m)).orNil(); err != nil {
		return m, err
	}
	if callerOf(ctx).May(auth.GluePublish, j.GroupID) {
		g, err := s.deps.Store.Group(ctx, j.GroupID)
		if err != nil || !g.RequireReview {
			return m, err
		}
	}
	return m, invalid(job.Exceeds(m, published)).orNil()
}

// testAddress wants an executor of the job's group: code goes nowhere else.
func (s *server) testAddress(ctx context.Context, j job.Job, asked string) (string, error) {
	g, err := s.deps.Store.Group(ctx, j.GroupID)
	if err != nil {
		return "", err
	}
	known := g.AddressList
	if !g.Manual() {
		all, err := s.deps.Store.Executors(ctx)
		if err != nil {
			return "", err
		}
		known = nil
		for _, e := range all {
			if e.AppName == g.AppName && e.Silent < protocol.DeadAfter {
				known = append(known, e.Address)
			}
		}
	}
	if len(known) == 0 {
		return "", &job.FieldError{Field: "address", Message: "No executor of the job's group is registered. Start one."}
	}
	if asked == "" {
		return known[0], nil
	}
	at := slices.IndexFunc(known, func(a string) bool { return job.SameAddress(a) == job.SameAddress(asked) })
	if at < 0 {
		return "", &job.FieldError{Field: "address", Message: fmt.Sprintf("There is no executor of the group %s at this address. Choose one of its %d.", g.AppName, len(known))}
	}
	return known[at], nil
}
