package api

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

// Executor is a registered executor.
type Executor struct {
	AppName      string   `json:"app_name"`
	Address      string   `json:"address"`
	Dialect      string   `json:"dialect" enum:"A,B,C,gluewheel," doc:"Of XXL-JOB's protocol; empty when not known yet."`
	Alive        bool     `json:"alive"`
	InstanceID   string   `json:"instance_id" doc:"Survives restarts; gluewheel executors only, as the following."`
	BootID       string   `json:"boot_id" doc:"New with every process."`
	Version      string   `json:"version"`
	Engines      []string `json:"engines" nullable:"false" doc:"GLUE types that it runs."`
	Handlers     []string `json:"handlers" nullable:"false"`
	Notes        []string `json:"notes" nullable:"false" doc:"How it isolates and kills."`
	RegisteredAt Time     `json:"registered_at"`
	HeartbeatAt  Time     `json:"heartbeat_at"`
}

func executorOf(e job.Executor) Executor {
	var info protocol.RegistryX
	// Foreign executors have no info; what cannot be read is shown as absent.
	if json.Unmarshal(e.Info, &info) != nil {
		info = protocol.RegistryX{}
	}
	return Executor{
		AppName: e.AppName, Address: e.Address, Dialect: e.Dialect, Alive: alive(e),
		InstanceID: e.InstanceID, BootID: e.BootID, Version: info.Version, Engines: notNil(info.Engines),
		Handlers: notNil(info.Handlers), Notes: notNil(info.Notes),
		RegisteredAt: instant(e.RegisteredAt), HeartbeatAt: instant(e.HeartbeatAt),
	}
}

type listExecutorsInput struct {
	Paging
	GroupID int32  `query:"group_id" minimum:"1" maximum:"2147483647" doc:"Those that register with this group's app name."`
	Query   string `query:"q" maxLength:"200" doc:"Part of the address or app name."`
	Alive   string `query:"alive" enum:"true,false"`
}

func (s *server) listExecutors(ctx context.Context, in *listExecutorsInput) (*body[List[Executor]], error) {
	apps, err := s.appsSeen(ctx, in.GroupID)
	if err != nil {
		return nil, err
	}
	part := strings.ToLower(in.Query)
	return s.executors(ctx, in.Paging, func(e job.Executor) bool {
		return (apps == nil || slices.Contains(apps, e.AppName)) &&
			(strings.Contains(strings.ToLower(e.AppName), part) || strings.Contains(strings.ToLower(e.Address), part)) &&
			(in.Alive == "" || alive(e) == (in.Alive == "true"))
	})
}

// alive tells who was heard of lately; what others call dead is still listed.
func alive(e job.Executor) bool { return e.Silent < protocol.DeadAfter }

// appsSeen are the app names of the caller's groups, or of one of them (0 = all); nil for
// all that there are.
func (s *server) appsSeen(ctx context.Context, groupID int32) ([]string, error) {
	ids := groupsSeen(ctx, groupID)
	if ids == nil {
		return nil, nil
	}
	groups, err := s.deps.Store.GroupsByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	return mapped(groups, func(g job.Group) string { return g.AppName }), nil
}

type groupExecutorsInput struct {
	ObjectID
	Paging
}

func (s *server) listGroupExecutors(ctx context.Context, g job.Group, in *groupExecutorsInput) (*body[List[Executor]], error) {
	return s.executors(ctx, in.Paging, func(e job.Executor) bool { return e.AppName == g.AppName })
}

// executors pages through the registry in memory, where it is small. The cursor is the
// name and address of the page's last entry.
func (s *server) executors(ctx context.Context, p Paging, picked func(job.Executor) bool) (*body[List[Executor]], error) {
	if p.Cursor != "" && !strings.Contains(p.Cursor, " ") {
		return nil, queryProblem("cursor", "This is not a cursor of this list. Begin again without one.")
	}
	all, err := s.deps.Store.Executors(ctx)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(e job.Executor) bool { return !picked(e) })
	total := len(all)
	slices.SortFunc(all, func(a, b job.Executor) int { return strings.Compare(executorKey(a), executorKey(b)) })
	first, found := slices.BinarySearchFunc(all, p.Cursor, func(e job.Executor, c string) int { return strings.Compare(executorKey(e), c) })
	if found {
		first++
	}
	page := job.Page[job.Executor]{Items: all[first:], Total: min(total, job.TotalCap), TotalCapped: total > job.TotalCap}
	if len(page.Items) > p.Limit {
		page.Items = page.Items[:p.Limit]
		page.NextCursor = executorKey(page.Items[p.Limit-1])
	}
	return listOf(page, executorOf), nil
}

func executorKey(e job.Executor) string { return e.AppName + " " + e.Address }
