package bundle

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/glue"
)

// Reader reads what is exported; *store.Store is one.
type Reader interface {
	GroupsByID(ctx context.Context, ids []int32) ([]job.Group, error)
	JobsOfGroups(ctx context.Context, groupIDs []int32) ([]job.Job, error)
	JobsByID(ctx context.Context, ids []int32) ([]job.Job, error)
	Version(ctx context.Context, jobID, number int32) (glue.Version, error)
	ArtifactContent(ctx context.Context, digest string) ([]byte, error)
}

// Export reads groups with their jobs and live code; a *TooLargeError when that is more
// than a bundle holds.
func Export(ctx context.Context, r Reader, groupIDs []int32) (Bundle, error) {
	b := Bundle{Format: Format}
	groups, err := r.GroupsByID(ctx, groupIDs)
	if err != nil {
		return b, err
	}
	jobs, err := r.JobsOfGroups(ctx, groupIDs)
	if err != nil {
		return b, err
	}
	if err := unique(groups, jobs); err != nil {
		return b, err
	}
	names, err := childNames(ctx, r, jobs)
	if err != nil {
		return b, err
	}
	size := 0
	for _, g := range groups {
		out := groupOf(g)
		for _, j := range jobs {
			if j.GroupID != g.ID {
				continue
			}
			one := jobOf(j, names)
			if one.Code, err = codeOf(ctx, r, j); err != nil {
				return b, err
			}
			if err := one.Code.withModule(ctx, r); err != nil {
				return b, err
			}
			if size += one.Code.size(); size > MaxText {
				return b, tooLarge()
			}
			out.Jobs = append(out.Jobs, one)
		}
		b.Groups = append(b.Groups, out)
	}
	return b, nil
}

// unique refuses jobs of the same name in one group: a bundle could not tell them apart.
func unique(groups []job.Group, jobs []job.Job) error {
	apps := map[int32]string{}
	for _, g := range groups {
		apps[g.ID] = g.AppName
	}
	seen := map[string]int32{}
	for _, j := range jobs {
		key := Key(apps[j.GroupID], j.Name)
		if other, twice := seen[key]; twice {
			return &job.FieldError{Field: "group_id", Message: fmt.Sprintf("The jobs %d and %d of the group %s have the same name, %q. Rename one.", other, j.ID, apps[j.GroupID], j.Name)}
		}
		seen[key] = j.ID
	}
	return nil
}

// Key names a job in any installation.
func Key(appName, jobName string) string { return appName + "/" + jobName }

// childNames are the keys of all children, wherever they are.
func childNames(ctx context.Context, r Reader, jobs []job.Job) (map[int32]string, error) {
	var ids []int32
	for _, j := range jobs {
		ids = append(ids, j.ChildJobIDs...)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	children, err := r.JobsByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	var groupIDs []int32
	for _, c := range children {
		groupIDs = append(groupIDs, c.GroupID)
	}
	groups, err := r.GroupsByID(ctx, groupIDs)
	if err != nil {
		return nil, err
	}
	apps := map[int32]string{}
	for _, g := range groups {
		apps[g.ID] = g.AppName
	}
	names := map[int32]string{}
	for _, c := range children {
		names[c.ID] = Key(apps[c.GroupID], c.Name)
	}
	return names, nil
}

func groupOf(g job.Group) Group {
	return Group{
		AppName: g.AppName, Title: g.Title, AddressType: g.AddressType, AddressList: g.AddressList,
		RequireReview: g.RequireReview,
	}
}

// jobOf leaves out children that are gone.
func jobOf(j job.Job, names map[int32]string) Job {
	out := Job{
		Name: j.Name, Description: j.Description, Author: j.Author, AlarmEmail: j.AlarmEmail, Tags: j.Tags, Enabled: j.Enabled,
		ScheduleType: j.ScheduleType, ScheduleConf: j.ScheduleConf, TimeZone: j.TimeZone, DSTPolicy: j.DSTPolicy,
		ValidFrom: j.ValidFrom, ValidUntil: j.ValidUntil, MisfireStrategy: j.MisfireStrategy, CatchUpLimit: &j.CatchUpLimit,
		RouteStrategy: j.RouteStrategy, BlockStrategy: j.BlockStrategy, MaxConcurrent: j.MaxConcurrent,
		Handler: j.Handler, Param: j.Param,
		TimeoutS: j.TimeoutS, RetryCount: j.RetryCount, RetryDelayS: j.RetryDelayS, RetryBackoff: j.RetryBackoff,
		RetryMaxDelayS: j.RetryMaxDelayS, RetryJitterPct: j.RetryJitterPct, DiscardIsFailure: j.DiscardIsFailure,
		Idempotent: j.Idempotent, ChildrenOnce: j.ChildrenOnce, PassResult: j.PassResult, GlueType: j.GlueType,
	}
	for _, id := range j.ChildJobIDs {
		if name, ok := names[id]; ok {
			out.Children = append(out.Children, name)
		}
	}
	return out
}

// fill gives a job the fields of one of a bundle; its children are for the caller.
func (in *Job) fill(j *job.Job) {
	j.Name, j.Description, j.Author, j.AlarmEmail, j.Tags = in.Name, in.Description, in.Author, in.AlarmEmail, in.Tags
	j.ScheduleType, j.ScheduleConf, j.TimeZone, j.DSTPolicy = in.ScheduleType, in.ScheduleConf, in.TimeZone, in.DSTPolicy
	j.ValidFrom, j.ValidUntil, j.MisfireStrategy, j.CatchUpLimit = in.ValidFrom, in.ValidUntil, in.MisfireStrategy, *in.CatchUpLimit
	j.RouteStrategy, j.BlockStrategy, j.MaxConcurrent = in.RouteStrategy, in.BlockStrategy, in.MaxConcurrent
	j.Handler, j.Param = in.Handler, in.Param
	j.TimeoutS, j.RetryCount, j.RetryDelayS, j.RetryBackoff = in.TimeoutS, in.RetryCount, in.RetryDelayS, in.RetryBackoff
	j.RetryMaxDelayS, j.RetryJitterPct, j.DiscardIsFailure = in.RetryMaxDelayS, in.RetryJitterPct, in.DiscardIsFailure
	j.Idempotent, j.ChildrenOnce, j.PassResult, j.GlueType = in.Idempotent, in.ChildrenOnce, in.PassResult, in.GlueType
}

// codeOf is the live code of a job, its module by the digest only; nil for none.
func codeOf(ctx context.Context, r Reader, j job.Job) (*Code, error) {
	if j.GlueVersion == 0 {
		return nil, nil
	}
	v, err := r.Version(ctx, j.ID, j.GlueVersion)
	if err != nil {
		return nil, err
	}
	c := &Code{Source: v.Source, Remark: v.Remark}
	if c.Manifest, err = manifestOf(v.Manifest); err != nil {
		return nil, err
	}
	if v.Artifact != nil {
		c.Artifact = *v.Artifact
	}
	return c, nil
}

// withModule adds the module, if there is one.
func (c *Code) withModule(ctx context.Context, r Reader) (err error) {
	if c != nil && c.Artifact != "" {
		c.Module, err = r.ArtifactContent(ctx, c.Artifact)
	}
	return err
}

// size is about how many bytes of a bundle the code takes: base64, and its indent.
func (c *Code) size() int {
	if c == nil {
		return 0
	}
	return len(c.Source) + len(c.Module)*8/5
}

// manifestOf is a manifest by its JSON names, nil when it asks for nothing.
func manifestOf(m glue.Manifest) (out map[string]any, err error) {
	text, err := json.Marshal(m)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		return nil, fmt.Errorf("write manifest: %w", err)
	}
	for name, v := range out {
		if n, ok := v.(float64); ok {
			out[name] = int64(n)
		}
	}
	if len(out) == 0 {
		return nil, nil
	}
	return out, nil
}
