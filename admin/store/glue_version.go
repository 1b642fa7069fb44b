package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/glue"
)

const versionColumns = `job_id, number, glue_type, source, digest, artifact, manifest, remark, author, created_at,
	base_version, review, reviewed_by, reviewed_at, review_note`

// PublishVersion stores a new version and makes it the live one, in one transaction
// under the job's lock: every fire claimed later runs it. In a group with RequireReview
// the version is pending instead, and the job stays as it is; see ReviewVersion. There
// may be several pending ones: when one is approved, the others can only be rejected.
//
// It is refused with job.ErrConflict when p.BaseVersion is no longer live, and with
// job.ErrUnchanged when the live version has the same content and manifest: nothing
// would change but the history, and all executors would load the same code again.
// XXL-JOB stores such copies. A copy of a pending version is job.ErrPending.
func (s *Store) PublishVersion(ctx context.Context, p job.Publish) (job.Published, error) {
	out, err := s.writeCode(ctx, p.JobID, func(tx pgx.Tx, j job.Job) (job.Published, error) {
		return publish(ctx, tx, j, p)
	})
	if err != nil {
		return job.Published{}, fmt.Errorf("publish version of job %d: %w", p.JobID, mapVersionError(err))
	}
	return out, nil
}

// RollbackVersion publishes the content of a version that was live again, as a new one.
func (s *Store) RollbackVersion(ctx context.Context, r job.Rollback) (job.Published, error) {
	out, err := s.writeCode(ctx, r.JobID, func(tx pgx.Tx, j job.Job) (job.Published, error) {
		old, err := wasLive(ctx, tx, r.JobID, r.Number, "number")
		if err != nil {
			return job.Published{}, err
		}
		return publish(ctx, tx, j, job.Publish{
			JobID: r.JobID, BaseVersion: r.BaseVersion, Source: old.Source, Artifact: old.Artifact,
			Manifest: old.Manifest, Remark: fmt.Sprintf("rollback to %d: %s", r.Number, r.Remark), Author: r.Author,
		})
	})
	if err != nil {
		return job.Published{}, fmt.Errorf("roll job %d back to version %d: %w", r.JobID, r.Number, mapVersionError(err))
	}
	return out, nil
}

// wasLive reads a version that runs may have run; for any other it is an error of the field
// that names it.
func wasLive(ctx context.Context, tx pgx.Tx, jobID, number int32, field string) (glue.Version, error) {
	v, err := version(ctx, tx, jobID, number)
	switch {
	case errors.Is(err, job.ErrNotFound):
		return v, &job.FieldError{Field: field, Message: fmt.Sprintf("The job has no version %d. Choose one of its versions.", number)}
	case err == nil && !v.Review.WasLive():
		return v, &job.FieldError{Field: field, Message: fmt.Sprintf("Version %d has never been live: nobody has approved it. Choose one that was.", number)}
	}
	return v, err
}

// writeCode runs fn in a transaction that holds the job's row, and records the version
// that it made or decided on.
func (s *Store) writeCode(ctx context.Context, jobID int32, fn func(tx pgx.Tx, j job.Job) (job.Published, error)) (job.Published, error) {
	var out job.Published
	err := s.retryTx(ctx, func(tx pgx.Tx) error {
		j, _, err := lockJob(ctx, tx, jobID)
		if err != nil {
			return err
		}
		if out, err = fn(tx, j); err != nil {
			return err
		}
		recordCode(ctx, j, out.Version)
		return nil
	})
	return out, err
}

func publish(ctx context.Context, tx pgx.Tx, j job.Job, p job.Publish) (job.Published, error) {
	if p.BaseVersion != j.GlueVersion {
		return job.Published{}, job.ErrConflict
	}
	v := glue.Version{
		JobID: j.ID, Type: j.GlueType, Source: p.Source, Artifact: p.Artifact,
		Manifest: p.Manifest, Remark: p.Remark, Author: p.Author,
		BaseVersion: p.BaseVersion, Review: glue.ReviewNone,
	}
	if v.Digest = glue.Digest([]byte(p.Source)); p.Artifact != nil {
		v.Digest = *p.Artifact
	}
	if err := refuseUnchanged(ctx, tx, j, v); err != nil {
		return job.Published{}, err
	}
	reviewed, err := requiresReview(ctx, tx, j.GroupID)
	if err != nil {
		return job.Published{}, err
	}
	if reviewed {
		v.Review = glue.ReviewPending
	}
	stored, err := insertVersion(ctx, tx, v)
	if err != nil {
		return job.Published{}, err
	}
	if reviewed {
		return job.Published{Version: stored, Write: job.Write{Version: j.Version}}, nil
	}
	w, err := setLive(ctx, tx, stored)
	return job.Published{Version: stored, Write: w}, err
}

// setLive moves the pointer of the job, whose lock the caller holds.
func setLive(ctx context.Context, tx pgx.Tx, v glue.Version) (job.Write, error) {
	if _, err := tx.Exec(ctx, `UPDATE job SET glue_version = $2 WHERE id = $1`, v.JobID, v.Number); err != nil {
		return job.Write{}, err
	}
	return bumpJob(ctx, tx, v.JobID)
}

// refuseUnchanged refuses what is live already, or waits to be.
func refuseUnchanged(ctx context.Context, tx pgx.Tx, j job.Job, v glue.Version) error {
	const pending = `SELECT ` + versionColumns + ` FROM glue_version
		WHERE job_id = $1 AND review = 'pending' AND base_version = $2 AND digest = $3`
	if j.GlueVersion != 0 {
		live, err := version(ctx, tx, j.ID, j.GlueVersion)
		if err != nil {
			return err
		}
		if sameCode(live, v) {
			return job.ErrUnchanged
		}
	}
	waiting, err := many[glue.Version](ctx, tx, pending, j.ID, v.BaseVersion, v.Digest)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(waiting, func(w glue.Version) bool { return sameCode(w, v) }) {
		return job.ErrPending
	}
	return nil
}

func sameCode(a, b glue.Version) bool {
	return a.Digest == b.Digest && a.Source == b.Source && reflect.DeepEqual(a.Manifest, b.Manifest)
}

// insertVersion gives v the next number of its job, whose lock the caller holds.
func insertVersion(ctx context.Context, tx pgx.Tx, v glue.Version) (glue.Version, error) {
	const sql = `
		INSERT INTO glue_version (job_id, number, glue_type, source, digest, artifact, manifest, remark, author, base_version, review)
		VALUES (@job_id, 1 + coalesce((SELECT max(number) FROM glue_version WHERE job_id = @job_id), 0),
			@glue_type, @source, @digest, @artifact, @manifest, @remark, @author, @base_version, @review)
		RETURNING ` + versionColumns
	return one[glue.Version](ctx, tx, sql, pgx.StrictNamedArgs{
		"job_id": v.JobID, "glue_type": v.Type, "source": v.Source, "digest": v.Digest,
		"artifact": v.Artifact, "manifest": v.Manifest, "remark": v.Remark, "author": v.Author,
		"base_version": v.BaseVersion, "review": v.Review,
	})
}

func mapVersionError(err error) error {
	if violates(err, "glue_version_artifact_fkey") {
		return &job.FieldError{Field: "artifact", Message: "There is no module with this digest. Upload it first."}
	}
	return err
}

func version(ctx context.Context, q querier, jobID, number int32) (glue.Version, error) {
	const sql = `SELECT ` + versionColumns + ` FROM glue_version WHERE job_id = $1 AND number = $2`
	return one[glue.Version](ctx, q, sql, jobID, number)
}

// Version returns one version, or job.ErrNotFound.
func (s *Store) Version(ctx context.Context, jobID, number int32) (glue.Version, error) {
	v, err := version(ctx, s.db(ctx), jobID, number)
	if err != nil {
		return glue.Version{}, fmt.Errorf("read version %d of job %d: %w", number, jobID, err)
	}
	return v, nil
}

// Versions lists the versions of a job, the newest first, without their sources.
func (s *Store) Versions(ctx context.Context, jobID int32, p job.Paging) (job.Page[glue.Version], error) {
	const (
		list = `
			SELECT job_id, number, glue_type, '' AS source, digest, artifact, manifest, remark, author, created_at,
				base_version, review, reviewed_by, reviewed_at, review_note
			FROM glue_version WHERE job_id = $1 AND number < $2::bigint ORDER BY number DESC LIMIT $3`
		count = `SELECT count(*) FROM (SELECT FROM glue_version WHERE job_id = $1 LIMIT $2) AS counted`
	)
	before, err := cursorID(p.Cursor, math.MaxInt64)
	if err != nil {
		return job.Page[glue.Version]{}, err
	}
	limit := pageLimit(p)
	items, err := many[glue.Version](ctx, s.pool, list, jobID, before, limit+1)
	if err != nil {
		return job.Page[glue.Version]{}, fmt.Errorf("list versions of job %d: %w", jobID, err)
	}
	page := cutPage(items, limit, func(v glue.Version) int64 { return int64(v.Number) })
	if err := s.countPage(ctx, &page.Total, &page.TotalCapped, count, jobID, job.TotalCap+1); err != nil {
		return job.Page[glue.Version]{}, fmt.Errorf("count versions of job %d: %w", jobID, err)
	}
	return page, nil
}
