package store

import (
	"context"
	"fmt"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/glue"
)

// readVersions is served by glue_version_pkey. What nobody has approved is not sent to an
// executor, whatever a run may point at.
const readVersions = `
SELECT v.job_id, v.number, v.glue_type, v.source, v.digest, v.artifact, v.manifest, v.remark, v.author, v.created_at,
	v.base_version, v.review, v.reviewed_by, v.reviewed_at, v.review_note
FROM unnest($1::integer[], $2::integer[]) AS k (job_id, number)
	JOIN glue_version AS v ON v.job_id = k.job_id AND v.number = k.number
WHERE v.review IN ('none', 'approved')`

// VersionsByKey reads those of the versions that exist and may run, with their sources,
// in no particular order.
func (s *Store) VersionsByKey(ctx context.Context, keys []job.VersionKey) ([]glue.Version, error) {
	jobs, numbers := make([]int32, len(keys)), make([]int32, len(keys))
	for i, k := range keys {
		jobs[i], numbers[i] = k.JobID, k.Number
	}
	out, err := many[glue.Version](ctx, s.pool, readVersions, jobs, numbers)
	if err != nil {
		return nil, fmt.Errorf("read %d GLUE versions: %w", len(keys), err)
	}
	return out, nil
}
