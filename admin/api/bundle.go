package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/gluewheel/gluewheel/admin/auth"
	"github.com/gluewheel/gluewheel/admin/bundle"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/glue"
)

const (
	pathImportPlan  = "/import/plan"
	pathImportApply = "/import/apply"

	mediaYAML = "application/yaml"
	// exportGroups is the most groups of one export.
	exportGroups = 500
	// bundleTime bounds an export or an import.
	bundleTime = time.Minute
)

type exportInput struct {
	GroupID int32 `query:"group_id" minimum:"1" maximum:"2147483647" doc:"Only this group; all that you may see when it is left out."`
}

// yamlText is an answer in YAML.
type yamlText struct {
	ContentType string `header:"Content-Type"`
	Disposition string `header:"Content-Disposition"`
	Body        []byte
}

func (s *server) exportBundle(ctx context.Context, in *exportInput) (*yamlText, error) {
	page, err := s.deps.Store.Groups(ctx, groupsSeen(ctx, in.GroupID), "", job.Paging{Limit: exportGroups})
	if err != nil {
		return nil, err
	}
	if in.GroupID != 0 && len(page.Items) == 0 {
		return nil, queryProblem("group_id", "There is no such group that you may see. Choose another one.")
	}
	if page.NextCursor != "" {
		return nil, queryProblem("group_id", fmt.Sprintf("There are more than %d groups. Export them one by one.", exportGroups))
	}
	leave, err := s.bundlePlace(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	b, err := bundle.Export(ctx, s.deps.Store, mapped(page.Items, func(g job.Group) int32 { return g.ID }))
	var text []byte
	if err == nil {
		text, err = bundle.Encode(b)
	}
	if twice, ok := errors.AsType[*job.FieldError](err); ok {
		return nil, queryProblem(twice.Field, twice.Message)
	}
	if large, ok := errors.AsType[*bundle.TooLargeError](err); ok {
		return nil, queryProblem("group_id", large.Detail)
	}
	if err != nil {
		return nil, err
	}
	return &yamlText{mediaYAML, `attachment; filename="gluewheel.yaml"`, text}, nil
}

// Change is what an import does to one thing.
type Change struct {
	Kind   string       `json:"kind" enum:"group,job,glue"`
	Key    string       `json:"key" doc:"app_name, or app_name/job name."`
	Action string       `json:"action" enum:"create,update,none"`
	Diff   []Difference `json:"diff" nullable:"false"`
	Review string       `json:"review,omitempty" enum:"pending" doc:"Of code: it waits for approval; what was live before still is."`
}

// Difference is a field that changes.
type Difference struct {
	Field  string `json:"field"`
	Before any    `json:"before" doc:"Null when there was nothing."`
	After  any    `json:"after" doc:"Null when there is nothing."`
}

// Imported is what an import did, or would do.
type Imported struct {
	Changes []Change `json:"changes" nullable:"false" doc:"In the order of the text."`
}

// planImport is an import that is taken back.
func (s *server) planImport(ctx context.Context, in *uploadInput) (*body[Imported], error) {
	return s.importWith(context.WithValue(ctx, dryKey{}, true), in.content, s.deps.Store.DryRun)
}

func (s *server) applyImport(ctx context.Context, in *uploadInput) (*body[Imported], error) {
	return s.importWith(ctx, in.content, s.deps.Store.Together)
}

func (s *server) importWith(ctx context.Context, content io.Reader, within func(context.Context, func(context.Context) error) error) (*body[Imported], error) {
	leave, err := s.bundlePlace(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	read, err := readBundle(content)
	if err != nil {
		return nil, err
	}
	im := &bundle.Importer{
		Store: s.deps.Store, Access: importAccess{s, callerOf(ctx)}, Schedule: s.checkSchedule, Next: s.next,
		CheckSource: s.deps.CheckSource, Inspect: s.deps.Inspect, Known: s.checkArtifact, Author: callerOf(ctx).Username,
	}
	var changes []bundle.Change
	err = within(ctx, func(ctx context.Context) (err error) {
		changes, err = im.Import(ctx, read)
		return err
	})
	if err != nil {
		return nil, err
	}
	return answer(Imported{mapped(changes, changeOf)}), nil
}

// bundlePlace waits for one of the places of those who read or write bundles: they are
// large in memory.
func (s *server) bundlePlace(ctx context.Context) (leave func(), err error) {
	select {
	case s.bundles <- struct{}{}:
		return func() { <-s.bundles }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for other exports and imports: %w", ctx.Err())
	}
}

// readBundle reads a bundle to its end; the guard has asked who sends it.
func readBundle(content io.Reader) (*bundle.Text, error) {
	text, err := io.ReadAll(io.LimitReader(content, bundle.MaxText+1))
	if err != nil {
		return nil, newProblem(http.StatusBadRequest, "The bundle could not be read to its end. Send it again.")
	}
	if !storable(string(text)) {
		p := newProblem(http.StatusUnprocessableEntity, invalidInput)
		p.Errors = []*huma.ErrorDetail{{Location: "body", Message: "This contains NUL characters or is not valid UTF-8."}}
		return nil, p
	}
	read, err := bundle.Decode(text)
	if large, ok := errors.AsType[*bundle.TooLargeError](err); ok {
		return nil, newProblem(http.StatusRequestEntityTooLarge, large.Detail)
	}
	return read, err
}

func changeOf(c bundle.Change) Change {
	out := Change{Kind: c.Kind, Key: c.Key, Action: c.Action, Diff: mapped(c.Diff, func(d bundle.Difference) Difference { return Difference(d) })}
	if c.Pending {
		out.Review = string(glue.ReviewPending)
	}
	return out
}

// importAccess asks for the rights that the same changes need one by one.
type importAccess struct {
	s *server
	c caller
}

func (a importAccess) CreateGroups() error { return a.may(auth.SystemAdmin, 0) }

func (a importAccess) EditGroup(ctx context.Context, old, edited job.Group) error {
	if err := a.may(auth.GroupEdit, old.ID); err != nil {
		return err
	}
	return a.s.checkGroupEdit(ctx, old, edited)
}

func (a importAccess) EditJobs(groupID int32) error { return a.may(auth.JobEdit, groupID) }
func (a importAccess) Operate(groupID int32) error  { return a.may(auth.JobOperate, groupID) }
func (a importAccess) Publish(groupID int32) error  { return a.may(auth.GluePublish, groupID) }

func (a importAccess) may(r auth.Right, groupID int32) error {
	if !a.c.May(r, groupID) {
		return auth.ErrForbidden
	}
	return nil
}

type bundleStore interface {
	JobsOfGroups(ctx context.Context, groupIDs []int32) ([]job.Job, error)
	JobsNamed(ctx context.Context, app, name string) ([]job.Job, error)
	GroupByApp(ctx context.Context, app string) (job.Group, error)
}
