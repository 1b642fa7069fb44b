package dispatch

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/glue"
)

const (
	// maxJobs bounds the jobs and groups that are kept: about 50 MB.
	maxJobs = 50000
	// maxSource bounds the GLUE sources that are kept, in bytes.
	maxSource = 32 << 20
)

// cache keeps jobs, groups and GLUE versions, loaded many at a time. It may be stale:
// a claim with an old job fails, and its caller drops the job and loads it again. When
// full it starts over, which costs one statement a tick for a while.
type cache struct {
	src catalog

	mu         sync.Mutex
	generation uint64 // moves with every drop, so that a load begun before is not kept
	jobs       map[int32]*job.Job
	groups     map[int32]*job.Group
	versions   map[job.VersionKey]*version
	sourceSize int
}

// version is a GLUE version with its manifest as it travels.
type version struct {
	glue.Version
	manifest json.RawMessage
}

func newCache(src catalog) *cache {
	c := &cache{src: src}
	c.clear()
	return c
}

func (c *cache) clear() {
	c.jobs, c.groups = map[int32]*job.Job{}, map[int32]*job.Group{}
	c.versions, c.sourceSize = map[job.VersionKey]*version{}, 0
}

func (c *cache) drop(ch job.Change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.generation++
	switch ch.Kind {
	case job.ChangeJob:
		delete(c.jobs, ch.ID)
	case job.ChangeGroup:
		delete(c.groups, ch.ID)
	default:
		c.clear()
	}
}

// load answers the jobs with the given ids and their groups. Absent ones do not exist.
func (c *cache) load(ctx context.Context, ids []int32) (map[int32]*job.Job, map[int32]*job.Group, error) {
	jobs, err := cached(ctx, c, c.jobMap, ids, c.src.JobsByID, func(j *job.Job) int32 { return j.ID })
	if err != nil {
		return nil, nil, err
	}
	groupIDs := make([]int32, 0, 8)
	seen := map[int32]bool{}
	for _, j := range jobs {
		if !seen[j.GroupID] {
			seen[j.GroupID] = true
			groupIDs = append(groupIDs, j.GroupID)
		}
	}
	groups, err := cached(ctx, c, c.groupMap, groupIDs, c.src.GroupsByID, func(g *job.Group) int32 { return g.ID })
	return jobs, groups, err
}

func (c *cache) jobMap() map[int32]*job.Job     { return c.jobs }
func (c *cache) groupMap() map[int32]*job.Group { return c.groups }

// cached answers from the map that field gives under the lock, and reads what is
// missing in one statement.
func cached[T any](ctx context.Context, c *cache, field func() map[int32]*T, ids []int32,
	read func(context.Context, []int32) ([]T, error), id func(*T) int32,
) (map[int32]*T, error) {
	found := make(map[int32]*T, len(ids))
	var missing []int32
	c.mu.Lock()
	generation := c.generation
	for _, i := range ids {
		if v, ok := field()[i]; ok {
			found[i] = v
		} else {
			missing = append(missing, i)
		}
	}
	c.mu.Unlock()
	if len(missing) == 0 {
		return found, nil
	}
	rows, err := read(ctx, missing)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	keep := c.generation == generation
	if keep && len(field())+len(rows) > maxJobs {
		clear(field())
	}
	for i := range rows {
		found[id(&rows[i])] = &rows[i]
		if keep {
			field()[id(&rows[i])] = &rows[i]
		}
	}
	return found, nil
}

// loadVersions answers the versions with the given keys. They never change, so that
// only room drops them.
func (c *cache) loadVersions(ctx context.Context, keys []job.VersionKey) (map[job.VersionKey]*version, error) {
	found := make(map[job.VersionKey]*version, len(keys))
	var missing []job.VersionKey
	c.mu.Lock()
	for _, k := range keys {
		if v, ok := c.versions[k]; ok {
			found[k] = v
		} else {
			missing = append(missing, k)
		}
	}
	c.mu.Unlock()
	if len(missing) == 0 {
		return found, nil
	}
	rows, err := c.src.VersionsByKey(ctx, missing)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range rows {
		v, err := versionOf(rows[i])
		if err != nil {
			return nil, err
		}
		k := job.VersionKey{JobID: v.JobID, Number: v.Number}
		found[k] = v
		c.keepVersion(k, v)
	}
	return found, nil
}

func versionOf(v glue.Version) (*version, error) {
	manifest, err := json.Marshal(v.Manifest)
	if err != nil {
		return nil, fmt.Errorf("write manifest of job %d version %d: %w", v.JobID, v.Number, err)
	}
	return &version{Version: v, manifest: manifest}, nil
}

func (c *cache) keepVersion(k job.VersionKey, v *version) {
	if c.sourceSize += len(v.Source) + 1024; c.sourceSize > maxSource {
		clear(c.versions)
		c.sourceSize = len(v.Source) + 1024
	}
	c.versions[k] = v
}
