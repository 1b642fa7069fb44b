package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/gluewheel/gluewheel/glue"
	"github.com/gluewheel/gluewheel/samples"
)

// installer stores the sample jobs through the API, as a person would.
type installer struct {
	api     *client
	groupID int32
	ids     map[string]int32 // of the jobs, by name
}

// installSamples creates and starts the samples in the group of app. Those that are
// there already, from a first start that was cut off, are left as they are. One that
// fails keeps none of the others away.
func installSamples(ctx context.Context, api *client, app string) (created int, err error) {
	in := installer{api: api}
	if in.groupID, err = in.group(ctx, app); err != nil {
		return 0, err
	}
	if in.ids, err = in.present(ctx); err != nil {
		return 0, err
	}
	var failed []error
	for _, sample := range samples.Jobs() {
		if _, there := in.ids[sample.Name]; there {
			continue
		}
		made, err := in.install(ctx, sample)
		if err != nil {
			failed = append(failed, fmt.Errorf("create sample %s: %w", sample.Name, err))
		}
		if made {
			created++
		}
	}
	if len(failed) > 0 {
		return created, errors.Join(failed...)
	}
	return created, in.showOne(ctx)
}

// showOne runs the first sample at once: its schedule would let a newcomer wait.
func (in *installer) showOne(ctx context.Context) error {
	path := fmt.Sprintf("/jobs/%d/trigger", in.ids[samples.Jobs()[0].Name])
	if err := in.api.call(ctx, http.MethodPost, path, map[string]any{}, nil); err != nil {
		return fmt.Errorf("run the first sample: %w", err)
	}
	return nil
}

// group finds or makes the executor group.
func (in *installer) group(ctx context.Context, app string) (int32, error) {
	type group struct {
		ID      int32  `json:"id"`
		AppName string `json:"app_name"`
	}
	var made group
	fields := map[string]string{"app_name": app, "title": "Sample executor"}
	err := in.api.call(ctx, http.MethodPost, "/groups", fields, &made)
	if p, ok := errors.AsType[problem](err); !ok || p.Status != http.StatusConflict {
		return made.ID, err
	}
	var list struct {
		Items []group `json:"items"`
	}
	if err := in.api.call(ctx, http.MethodGet, "/groups?limit=100", nil, &list); err != nil {
		return 0, err
	}
	for _, g := range list.Items {
		if g.AppName == app {
			return g.ID, nil
		}
	}
	return 0, fmt.Errorf("group %s is there but not listed", app)
}

func (in *installer) present(ctx context.Context) (map[string]int32, error) {
	var list struct {
		Items []struct {
			ID   int32  `json:"id"`
			Name string `json:"name"`
		} `json:"items"`
	}
	path := fmt.Sprintf("/jobs?group_id=%d&limit=100", in.groupID)
	if err := in.api.call(ctx, http.MethodGet, path, nil, &list); err != nil {
		return nil, err
	}
	ids := map[string]int32{}
	for _, j := range list.Items {
		ids[j.Name] = j.ID
	}
	return ids, nil
}

// install creates the job, publishes its code and starts it, or leaves nothing. A sample
// whose module was not built is left out.
func (in *installer) install(ctx context.Context, s samples.Sample) (made bool, err error) {
	version, err := in.version(ctx, s)
	if err != nil || s.GlueType == string(glue.WASM) && version == nil {
		return false, err
	}
	var job struct {
		ID int32 `json:"id"`
	}
	if err := in.api.call(ctx, http.MethodPost, "/jobs", in.fields(s), &job); err != nil {
		return false, err
	}
	in.ids[s.Name] = job.ID
	at := fmt.Sprintf("/jobs/%d", job.ID)
	defer func() {
		if err != nil {
			delete(in.ids, s.Name)
			made, err = false, errors.Join(err, in.api.call(ctx, http.MethodDelete, at, nil, nil))
		}
	}()
	if version != nil {
		if err := in.api.call(ctx, http.MethodPost, at+"/versions", version, nil); err != nil {
			return false, err
		}
	}
	if s.ScheduleType == "NONE" {
		return true, nil
	}
	return true, in.api.call(ctx, http.MethodPost, at+"/start", nil, nil)
}

// version is what to publish: the source, or the module once it is uploaded; nil for a
// job without code of its own.
func (in *installer) version(ctx context.Context, s samples.Sample) (map[string]any, error) {
	version := map[string]any{"remark": "first version of the sample", "base_version": 0}
	if s.Module == "" {
		source, err := s.Source()
		if err != nil || source == "" {
			return nil, err
		}
		version["source"] = source
		return version, nil
	}
	module, err := s.ReadModule()
	if err != nil || module == nil {
		return nil, err
	}
	var artifact struct {
		Digest string `json:"digest"`
	}
	if err := in.api.send(ctx, http.MethodPost, "/artifacts", "application/wasm", bytes.NewReader(module), &artifact); err != nil {
		return nil, err
	}
	version["artifact"] = artifact.Digest
	return version, nil
}

func (in *installer) fields(s samples.Sample) map[string]any {
	fields := map[string]any{
		"group_id":       in.groupID,
		"name":           s.Name,
		"description":    s.Description,
		"author":         "gluewheel",
		"schedule_type":  s.ScheduleType,
		"schedule_conf":  s.ScheduleConf,
		"glue_type":      s.GlueType,
		"handler":        s.Handler,
		"param":          s.Param,
		"route_strategy": cmp.Or(s.Route, "FIRST"),
		"timeout_s":      s.TimeoutS,
		"retry_count":    s.RetryCount,
		"retry_delay_s":  s.RetryDelayS,
	}
	if id, ok := in.ids[s.Child]; ok {
		fields["child_job_ids"] = []int32{id}
	}
	return fields
}
