package api

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"

	"github.com/gluewheel/gluewheel/admin/job"
)

type downloadInput struct {
	ArtifactDigest
	IfNoneMatch string `header:"If-None-Match" maxLength:"2000" doc:"ETags of what is there already: then there is no body (304)."`
}

// artifactsGiven is artifactsSeen, less what a token's user has uploaded and no group of
// the token runs: that may be of a group which the token does not speak for.
func artifactsGiven(ctx context.Context) job.ArtifactFilter {
	f := artifactsSeen(ctx)
	if callerOf(ctx).Token != nil {
		f.By = ""
	}
	return f
}

// downloadArtifact sends a module to whoever may see code that runs it. To others it does
// not exist.
func (s *server) downloadArtifact(ctx context.Context, in *downloadInput) (*huma.StreamResponse, error) {
	a, err := s.deps.Store.Artifact(ctx, in.Digest, artifactsGiven(ctx))
	if err != nil {
		return nil, err
	}
	tag := strconv.Quote(a.Digest)
	if matches(in.IfNoneMatch, tag) {
		return &huma.StreamResponse{Body: func(hc huma.Context) {
			hc.SetHeader("ETag", tag)
			hc.SetStatus(http.StatusNotModified)
		}}, nil
	}
	module, err := s.module(ctx, a.Digest)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		hc.SetHeader("ETag", tag)
		hc.SetHeader("Content-Type", mediaWasm)
		hc.SetHeader("Content-Disposition", `attachment; filename="`+fileName(a.Digest)+`"`)
		humafiber.Unwrap(hc).Context().SetBodyStream(module, module.Len())
	}}, nil
}

// matches tells whether a condition names the tag. Tags of content are weak or strong alike.
func matches(condition, tag string) bool {
	for one := range strings.SplitSeq(condition, ",") {
		if one = strings.TrimPrefix(strings.TrimSpace(one), "W/"); one == "*" || one == tag {
			return true
		}
	}
	return false
}

// fileName is short, and the same for the same module.
func fileName(digest string) string {
	return strings.TrimPrefix(digest, "sha256:")[:12] + ".wasm"
}

// module reads one when there is a place for it.
func (s *server) module(ctx context.Context, digest string) (*module, error) {
	select {
	case s.downloads <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for other downloads: %w", ctx.Err())
	}
	m := &module{done: sync.OnceFunc(func() { <-s.downloads })}
	content, err := s.deps.Store.ArtifactContent(ctx, digest)
	if err != nil {
		m.done()
		return nil, err
	}
	m.Reader = bytes.NewReader(content)
	return m, nil
}

// module is a body that keeps its place until it is sent: fasthttp closes what it sends,
// whether or not the client takes it all.
type module struct {
	*bytes.Reader
	done func()
}

// Close gives the place free.
func (m *module) Close() error {
	m.done()
	return nil
}
