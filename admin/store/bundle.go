package store

import (
	"context"
	"fmt"

	"github.com/gluewheel/gluewheel/admin/job"
)

// maxBundleJobs bounds what one export reads.
const maxBundleJobs = 20_000

// JobsOfGroups reads the jobs of groups by their names, at most twenty thousand.
func (s *Store) JobsOfGroups(ctx context.Context, groupIDs []int32) ([]job.Job, error) {
	const sql = `SELECT ` + jobColumns + ` FROM job WHERE group_id = ANY($1) ORDER BY group_id, name, id LIMIT $2`
	jobs, err := many[job.Job](ctx, s.db(ctx), sql, groupIDs, maxBundleJobs)
	if err != nil {
		return nil, fmt.Errorf("read jobs of %d groups: %w", len(groupIDs), err)
	}
	return jobs, nil
}

// JobsNamed reads the jobs of a name in the group of an app name: mostly one or none.
func (s *Store) JobsNamed(ctx context.Context, app, name string) ([]job.Job, error) {
	const sql = `SELECT ` + jobColumns + ` FROM job
		WHERE group_id = (SELECT id FROM job_group WHERE app_name = $1) AND name = $2 ORDER BY id LIMIT 10`
	jobs, err := many[job.Job](ctx, s.db(ctx), sql, app, name)
	if err != nil {
		return nil, fmt.Errorf("read jobs called %q: %w", name, err)
	}
	return jobs, nil
}
