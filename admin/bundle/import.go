package bundle

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/glue"
)

// Store is what an import changes; *store.Store is one. The caller holds its methods
// together in one transaction.
type Store interface {
	Reader
	GroupByApp(ctx context.Context, app string) (job.Group, error)
	CreateGroup(ctx context.Context, g job.Group) (job.Group, error)
	UpdateGroup(ctx context.Context, g job.Group) (job.Group, error)
	JobsNamed(ctx context.Context, app, name string) ([]job.Job, error)
	CreateJob(ctx context.Context, j job.Job) (job.Job, error)
	UpdateJob(ctx context.Context, j job.Job, next job.NextFunc) (job.Write, error)
	StartJob(ctx context.Context, id int32, next job.NextFunc) (job.Write, error)
	StopJob(ctx context.Context, id int32) (job.Write, error)
	PublishVersion(ctx context.Context, p job.Publish) (job.Published, error)
	StoreArtifact(ctx context.Context, content, inspection []byte, by string) (job.Artifact, error)
}

// Access says what the importing user may do. Errors refuse the import.
type Access interface {
	CreateGroups() error
	EditGroup(ctx context.Context, old, edited job.Group) error
	EditJobs(groupID int32) error
	Operate(groupID int32) error // start and stop jobs, or name them as children
	Publish(groupID int32) error
}

// Importer brings bundles in. All fields are required.
type Importer struct {
	Store    Store
	Access   Access
	Schedule job.CheckSchedule
	Next     func(j job.Job) job.NextFunc
	// CheckSource refuses code that cannot run, with a *job.CodeError.
	CheckSource func(ctx context.Context, t glue.Type, source string) error
	// Inspect describes a module, or refuses it with a *job.CodeError.
	Inspect func(ctx context.Context, module []byte) (json.RawMessage, error)
	// Known says whether the user may use a module that is stored already.
	Known  func(ctx context.Context, digest string) error
	Author string
}

// importing is one import under way.
type importing struct {
	*Importer
	text    *Text
	changes []Change
	jobs    []target
}

// target is a job of the bundle, with what it is here.
type target struct {
	path   string
	key    string
	want   *Job
	group  job.Group
	now    job.Job // as stored, its version kept up to date
	before map[string]any
	// pending: its code waits for approval.
	pending bool
}

// Import makes the installation like the text, and tells what had to change.
func (im *Importer) Import(ctx context.Context, text *Text) ([]Change, error) {
	run := &importing{Importer: im, text: text}
	for i := range text.Groups {
		if err := run.group(ctx, fmt.Sprintf("groups[%d]", i), &text.Groups[i]); err != nil {
			return nil, err
		}
	}
	// Children may be named before they are there: all jobs exist before any has children.
	for _, step := range []func(context.Context, *target) error{run.fields, run.code, run.enable, run.tell} {
		for i := range run.jobs {
			if err := step(ctx, &run.jobs[i]); err != nil {
				return nil, run.at(run.jobs[i].path, err)
			}
		}
	}
	return run.changes, nil
}

// at puts an error of an object where the object stands in the text.
func (r *importing) at(path string, err error) error {
	if f, ok := errors.AsType[*job.FieldError](err); ok && !strings.HasPrefix(f.Field, "groups[") {
		return r.text.wrong(path+"."+f.Field, f.Message)
	}
	if c, ok := errors.AsType[*job.CodeError](err); ok {
		return r.text.wrong(path+".code.source", fmt.Sprintf("Line %d of the code: %s", c.Line, c.Message))
	}
	if errors.Is(err, job.ErrDuplicateApp) {
		return r.text.wrong(path+".app_name", "Another group has this app name. Choose another one.")
	}
	return err
}

func (r *importing) group(ctx context.Context, path string, want *Group) error {
	g := job.Group{
		AppName: want.AppName, Title: want.Title, AddressType: want.AddressType, AddressList: want.AddressList,
		RequireReview: want.RequireReview,
	}
	if wrong := job.ValidateGroup(&g); len(wrong) > 0 {
		return r.at(path, wrong[0])
	}
	old, err := r.Store.GroupByApp(ctx, want.AppName)
	isNew := errors.Is(err, job.ErrNotFound)
	if err != nil && !isNew {
		return err
	}
	c := Change{Kind: KindGroup, Key: want.AppName, Action: ActionNone}
	alone := *want
	alone.Jobs = nil
	if isNew {
		c.Action = ActionCreate
		c.Diff, err = differences(nil, fieldsOf(alone))
	} else {
		c.Diff, err = differences(fieldsOf(groupOf(old)), fieldsOf(alone))
	}
	if err != nil {
		return err
	}
	switch {
	case isNew:
		if err = r.Access.CreateGroups(); err == nil {
			old, err = r.Store.CreateGroup(ctx, g)
		}
	case len(c.Diff) > 0:
		c.Action = ActionUpdate
		if err = r.Access.EditGroup(ctx, old, g); err == nil {
			g.ID, g.Version = old.ID, old.Version
			old, err = r.Store.UpdateGroup(ctx, g)
		}
	}
	if err != nil {
		return r.at(path, err)
	}
	r.changes = append(r.changes, c)
	for i := range want.Jobs {
		if err := r.find(ctx, fmt.Sprintf("%s.jobs[%d]", path, i), old, &want.Jobs[i]); err != nil {
			return err
		}
	}
	return nil
}

// find looks up a job, or makes it without children and code.
func (r *importing) find(ctx context.Context, path string, g job.Group, want *Job) error {
	t := target{path: path, key: Key(g.AppName, want.Name), want: want, group: g}
	want.Tags = job.CleanTags(want.Tags)
	if slices.ContainsFunc(r.jobs, func(o target) bool { return o.key == t.key }) {
		return r.text.wrong(path+".name", "This job stands here twice. Take one out.")
	}
	same, err := r.Store.JobsNamed(ctx, g.AppName, want.Name)
	switch {
	case err != nil:
		return err
	case len(same) > 1:
		return r.text.wrong(path+".name", fmt.Sprintf("There are %d jobs of this name in the group. Rename all but one.", len(same)))
	case len(same) == 1:
		err = r.recall(ctx, &t, same[0])
	default:
		err = r.create(ctx, &t)
	}
	r.jobs = append(r.jobs, t)
	return r.at(path, err)
}

// recall keeps what a job is before it is changed.
func (r *importing) recall(ctx context.Context, t *target, old job.Job) error {
	if old.GlueType != t.want.GlueType {
		return &job.FieldError{Field: "glue_type", Message: fmt.Sprintf("The job is here, and its type is fixed to %s. Give this one another name.", old.GlueType)}
	}
	names, err := childNames(ctx, r.Store, []job.Job{old})
	if err != nil {
		return err
	}
	before := jobOf(old, names)
	if before.Code, err = codeOf(ctx, r.Store, old); err != nil {
		return err
	}
	t.now, t.before = old, fieldsOf(before)
	return nil
}

func (r *importing) create(ctx context.Context, t *target) error {
	if err := r.Access.EditJobs(t.group.ID); err != nil {
		return err
	}
	j := job.Job{GroupID: t.group.ID}
	t.want.fill(&j)
	if wrong := job.ValidateJob(&j, r.Schedule); len(wrong) > 0 {
		return wrong[0]
	}
	made, err := r.Store.CreateJob(ctx, j)
	t.now = made
	return err
}

// fields sets what people enter, children included.
func (r *importing) fields(ctx context.Context, t *target) error {
	j := t.now
	t.want.fill(&j)
	var err error
	if j.ChildJobIDs, err = r.children(ctx, t); err != nil {
		return err
	}
	if wrong := job.ValidateJob(&j, r.Schedule); len(wrong) > 0 {
		return wrong[0]
	}
	bare, before := *t.want, maps.Clone(t.before)
	bare.Code = nil // has a step of its own
	delete(before, "code")
	if diff, err := differences(before, fieldsOf(bare)); err != nil || len(diff) == 0 || t.before == nil && len(j.ChildJobIDs) == 0 {
		return err
	}
	if err := r.Access.EditJobs(t.group.ID); err != nil {
		return err
	}
	w, err := r.Store.UpdateJob(ctx, j, r.Next(j))
	if err != nil {
		return err
	}
	j.Version = w.Version
	t.now = j
	return nil
}

// children finds the jobs that a job names, in the bundle or here. A job must not be a
// way into a group where its author may run nothing, but for children that it had.
func (r *importing) children(ctx context.Context, t *target) ([]int32, error) {
	ids := make([]int32, 0, len(t.want.Children))
	for i, name := range t.want.Children {
		field := fmt.Sprintf("children[%d]", i)
		app, own, ok := strings.Cut(name, "/")
		if !ok {
			return nil, &job.FieldError{Field: field, Message: fmt.Sprintf("%q names no job. Write it as app_name/job name.", name)}
		}
		found, err := r.Store.JobsNamed(ctx, app, own)
		if err != nil {
			return nil, err
		}
		if len(found) != 1 {
			return nil, &job.FieldError{Field: field, Message: fmt.Sprintf("There are %d jobs called %q. Name one that there is once.", len(found), name)}
		}
		child := found[0]
		if !slices.Contains(t.now.ChildJobIDs, child.ID) {
			if err := r.Access.Operate(child.GroupID); err != nil {
				return nil, err
			}
		}
		ids = append(ids, child.ID)
	}
	return ids, nil
}

// code publishes what is not live yet, nor waits to be. A bundle without code leaves the
// live one.
func (r *importing) code(ctx context.Context, t *target) error {
	c := t.want.Code
	if c == nil {
		return nil
	}
	manifest, err := c.manifest()
	if err != nil {
		return err
	}
	p := job.Publish{
		JobID: t.now.ID, BaseVersion: t.now.GlueVersion, Source: c.Source, Manifest: manifest,
		Remark: c.Remark, Author: r.Author,
	}
	if p.Remark == "" {
		p.Remark = "imported"
	}
	if c.Artifact != "" {
		p.Artifact = &c.Artifact
	}
	if wrong := job.ValidatePublish(t.now.GlueType, &p); len(wrong) > 0 {
		return &job.FieldError{Field: "code." + wrong[0].Field, Message: wrong[0].Message}
	}
	if t.before != nil && t.now.GlueVersion != 0 {
		live, err := r.Store.Version(ctx, t.now.ID, t.now.GlueVersion)
		if err != nil {
			return err
		}
		if same(live, p) {
			return nil
		}
	}
	if wrong := job.ValidateGrants(t.now.GlueType, manifest); len(wrong) > 0 {
		return &job.FieldError{Field: "code." + wrong[0].Field, Message: wrong[0].Message}
	}
	if err := r.Access.Publish(t.group.ID); err != nil {
		return err
	}
	if err := r.module(ctx, t.now.GlueType, c, p); err != nil {
		return err
	}
	out, err := r.Store.PublishVersion(ctx, p)
	t.pending = errors.Is(err, job.ErrPending) || out.Version.Review == glue.ReviewPending
	switch {
	case errors.Is(err, job.ErrPending): // of an import before
		return nil
	case err != nil:
		return err
	case !t.pending:
		t.now.GlueVersion, t.now.Version = out.Version.Number, out.Write.Version
	}
	return nil
}

func same(v glue.Version, p job.Publish) bool {
	digest := func(a *string) string {
		if a == nil {
			return ""
		}
		return *a
	}
	a, errA := manifestOf(v.Manifest)
	b, errB := manifestOf(p.Manifest)
	return v.Source == p.Source && digest(v.Artifact) == digest(p.Artifact) && errors.Join(errA, errB) == nil && equal(a, b)
}

// manifest reads the manifest strictly.
func (c *Code) manifest() (m glue.Manifest, err error) {
	text, err := json.Marshal(c.Manifest)
	if err == nil {
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.DisallowUnknownFields()
		err = dec.Decode(&m)
	}
	if err != nil {
		return m, &job.FieldError{Field: "code.manifest", Message: "This cannot be read: " + strings.TrimPrefix(err.Error(), "json: ") + ". Correct it."}
	}
	return m, nil
}

// module checks the code, and stores the module that comes with it.
func (r *importing) module(ctx context.Context, t glue.Type, c *Code, p job.Publish) error {
	switch {
	case p.Artifact == nil:
		return r.CheckSource(ctx, t, p.Source)
	case len(c.Module) == 0:
		if err := r.Known(ctx, c.Artifact); err != nil {
			return &job.FieldError{Field: "code.artifact", Message: "There is no module with this digest here. Put it into the bundle, or upload it first."}
		}
		return nil
	case glue.Digest(c.Module) != c.Artifact:
		return &job.FieldError{Field: "code.module", Message: "Its digest is " + glue.Digest(c.Module) + ", and not the one of artifact. Export it again."}
	case len(c.Module) > glue.MaxArtifact:
		return &job.FieldError{Field: "code.module", Message: fmt.Sprintf("It is larger than %d bytes. Make it smaller.", glue.MaxArtifact)}
	}
	inspection, err := r.Inspect(ctx, c.Module)
	if code, ok := errors.AsType[*job.CodeError](err); ok {
		return &job.FieldError{Field: "code.module", Message: "The module is refused: " + code.Message}
	}
	if err != nil {
		return err
	}
	_, err = r.Store.StoreArtifact(ctx, c.Module, inspection, r.Author)
	return err
}

// enable starts or stops the schedule.
func (r *importing) enable(ctx context.Context, t *target) error {
	if t.now.Enabled == t.want.Enabled {
		return nil
	}
	if err := r.Access.Operate(t.group.ID); err != nil {
		return err
	}
	var err error
	if t.want.Enabled {
		_, err = r.Store.StartJob(ctx, t.now.ID, r.Next(t.now))
	} else {
		_, err = r.Store.StopJob(ctx, t.now.ID)
	}
	return err
}

// tell adds what became of the job, and of its code.
func (r *importing) tell(_ context.Context, t *target) error {
	want := fieldsOf(t.want.withoutModule())
	if t.want.Code == nil { // the live one stays
		delete(want, "code")
		delete(t.before, "code")
	}
	code := Change{Kind: KindGlue, Key: t.key, Action: ActionNone, Pending: t.pending}
	wantCode, oldCode := split(want), split(t.before)
	var err error
	if code.Diff, err = differences(oldCode, wantCode); err != nil {
		return err
	}
	if len(code.Diff) > 0 {
		if code.Action = ActionUpdate; oldCode == nil {
			code.Action = ActionCreate
		}
	}
	c := Change{Kind: KindJob, Key: t.key, Action: ActionNone}
	if c.Diff, err = differences(t.before, want); err != nil {
		return err
	}
	switch {
	case t.before == nil:
		c.Action = ActionCreate
	case len(c.Diff) > 0:
		c.Action = ActionUpdate
	}
	r.changes = append(r.changes, c)
	if t.want.Code != nil {
		r.changes = append(r.changes, code)
	}
	return nil
}

// withoutModule is the job by its digest only, which says as much as the module.
func (in Job) withoutModule() Job {
	if in.Code != nil {
		code := *in.Code
		code.Module = nil
		in.Code = &code
	}
	return in
}

// split takes the code out of a job's fields. Its remark is no difference.
func split(fields map[string]any) map[string]any {
	code, _ := fields["code"].(map[string]any)
	delete(fields, "code")
	delete(code, "remark")
	return code
}
