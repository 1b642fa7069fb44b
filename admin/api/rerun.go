package api

import (
	"context"

	"github.com/gluewheel/gluewheel/admin/job"
)

type rerunStore interface {
	Rerun(ctx context.Context, old job.Run, same bool) (job.Fire, error)
	Related(ctx context.Context, r job.Run) ([]job.RunSummary, error)
}

// RerunInput says which code runs.
type RerunInput struct {
	Version string `json:"version,omitempty" enum:"same,newest" default:"newest" doc:"same: the version that the old run ran; it is not retried. newest: the one that is live now."`
}

type rerunInput struct {
	RunID
	Trial
	Body *RerunInput
}

// rerun repeats a run with its parameter, addresses and shard.
func (s *server) rerun(ctx context.Context, r job.RunSummary, in *rerunInput) (*body[Triggered], error) {
	if r.IsTest {
		return nil, &job.FieldError{Field: "version", Message: "This was a test-run, whose code is not kept. Run it again from the editor."}
	}
	same := in.Body != nil && in.Body.Version == "same"
	fire, err := s.deps.Store.Rerun(ctx, r.Run, same)
	if err != nil {
		return nil, err
	}
	s.fired(ctx, fire)
	return answer(Triggered{fire.RunID}), nil
}

// RelatedRuns are those that a run has to do with.
type RelatedRuns struct {
	Items []Run `json:"items" nullable:"false" doc:"The oldest first, at most 200. parent_id tells how they hang together."`
}

func (s *server) listRelated(ctx context.Context, r job.RunSummary, _ *RunID) (*body[RelatedRuns], error) {
	list, err := s.deps.Store.Related(ctx, r.Run)
	if err != nil {
		return nil, err
	}
	out := RelatedRuns{Items: []Run{}}
	for _, one := range list {
		if allow(ctx, one.GroupID) == nil { // children may be in groups that the caller does not see
			out.Items = append(out.Items, runOf(one))
		}
	}
	return answer(out), nil
}
