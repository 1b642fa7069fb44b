package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/audit"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/glue"
)

const artifactColumns = `digest, size_bytes, inspection, created_by, created_at`

// StoreArtifact keeps a module under the digest of its content and returns its
// description. The same content again is stored once; its time moves, so that a fresh
// upload is not collected before it can be published.
func (s *Store) StoreArtifact(ctx context.Context, content []byte, inspection []byte, by string) (job.Artifact, error) {
	const sql = `
		INSERT INTO artifact AS a (digest, size_bytes, content, inspection, created_by)
		VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (digest) DO UPDATE SET created_at = clock_timestamp(), inspection = excluded.inspection
		RETURNING ` + artifactColumns
	digest := glue.Digest(content)
	var a job.Artifact
	err := s.retryTx(ctx, func(tx pgx.Tx) error {
		var err error
		a, err = one[job.Artifact](ctx, tx, sql, digest, len(content), content, inspection, by)
		audit.Record(ctx, audit.Change{Object: "artifact", ID: digest, After: a})
		return err
	})
	if err != nil {
		return job.Artifact{}, fmt.Errorf("store artifact %s: %w", digest, err)
	}
	return a, nil
}

// Artifact describes one module, if f lets it be seen; otherwise job.ErrNotFound.
func (s *Store) Artifact(ctx context.Context, digest string, f job.ArtifactFilter) (job.Artifact, error) {
	const sql = `SELECT ` + artifactColumns + artifactFilter + ` AND a.digest = @digest`
	args := artifactArgs(f)
	args["digest"] = digest
	a, err := one[job.Artifact](ctx, s.db(ctx), sql, args)
	if err != nil {
		return job.Artifact{}, fmt.Errorf("read artifact %s: %w", digest, err)
	}
	return a, nil
}

// mostArtifactUses bounds what ArtifactUses gives.
const mostArtifactUses = 100

// ArtifactUses lists the versions that use a module, as far as f lets their groups be
// seen: the latest first, at most 100.
func (s *Store) ArtifactUses(ctx context.Context, digest string, f job.ArtifactFilter) ([]job.ArtifactUse, error) {
	const sql = `
		SELECT v.job_id, j.name AS job_name, v.number
		FROM glue_version v JOIN job j ON j.id = v.job_id
		WHERE v.artifact = @digest AND (@all::boolean OR j.group_id = ANY(@groups::int[]))
		ORDER BY v.created_at DESC, v.job_id DESC, v.number DESC LIMIT @limit`
	args := pgx.StrictNamedArgs{"digest": digest, "all": f.All, "groups": f.GroupIDs, "limit": mostArtifactUses}
	uses, err := many[job.ArtifactUse](ctx, s.db(ctx), sql, args)
	if err != nil {
		return nil, fmt.Errorf("list versions that use artifact %s: %w", digest, err)
	}
	return uses, nil
}

// ArtifactContent returns a module's bytes, or job.ErrNotFound.
func (s *Store) ArtifactContent(ctx context.Context, digest string) ([]byte, error) {
	var content []byte
	err := s.db(ctx).QueryRow(ctx, `SELECT content FROM artifact WHERE digest = $1`, digest).Scan(&content)
	if err != nil {
		return nil, fmt.Errorf("read content of artifact %s: %w", digest, notFound(err))
	}
	return content, nil
}

// artifactFilter selects the artifacts of a job.ArtifactFilter as a.
const artifactFilter = ` FROM artifact a WHERE (@all::boolean OR @by::text <> '' AND a.created_by = @by OR EXISTS (
	SELECT FROM glue_version v JOIN job j ON j.id = v.job_id
	WHERE v.artifact = a.digest AND j.group_id = ANY(@groups::int[])))
	AND (@query::text = '' OR a.digest ILIKE @query OR a.created_by ILIKE @query)`

func artifactArgs(f job.ArtifactFilter) pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{"all": f.All, "by": f.By, "groups": f.GroupIDs, "query": containing(f.Query)}
}

// Artifacts lists modules, the latest upload first. Modules are few enough to be
// sorted; their content is not read.
func (s *Store) Artifacts(ctx context.Context, f job.ArtifactFilter, p job.Paging) (job.Page[job.Artifact], error) {
	const (
		list = `SELECT ` + artifactColumns + artifactFilter + `
			AND (@at::timestamptz IS NULL OR (a.created_at, a.digest) < (@at, @digest))
			ORDER BY a.created_at DESC, a.digest DESC LIMIT @limit`
		count = `SELECT count(*) FROM (SELECT` + artifactFilter + ` LIMIT @limit) AS counted`
	)
	var page job.Page[job.Artifact]
	at, digest, err := artifactCursor(p.Cursor)
	if err != nil {
		return page, err
	}
	limit := pageLimit(p)
	args := artifactArgs(f)
	args["at"], args["digest"], args["limit"] = at, digest, limit+1
	if page.Items, err = many[job.Artifact](ctx, s.pool, list, args); err != nil {
		return page, fmt.Errorf("list artifacts: %w", err)
	}
	if len(page.Items) > limit {
		page.Items = page.Items[:limit]
		last := page.Items[limit-1]
		page.NextCursor = fmt.Sprintf("%d_%s", last.CreatedAt.UnixMicro(), last.Digest)
	}
	args = artifactArgs(f)
	args["limit"] = job.TotalCap + 1
	if err := s.countPage(ctx, &page.Total, &page.TotalCapped, count, args); err != nil {
		return page, fmt.Errorf("count artifacts: %w", err)
	}
	return page, nil
}

// artifactCursor reads a cursor of Artifacts: microseconds and digest of the last row.
func artifactCursor(cursor string) (at *time.Time, digest string, err error) {
	if cursor == "" {
		return nil, "", nil
	}
	micros, digest, found := strings.Cut(cursor, "_")
	n, err := strconv.ParseInt(micros, 10, 64)
	if err != nil || !found || n < 0 || n > maxMicros {
		return nil, "", errBadCursor()
	}
	t := time.UnixMicro(n)
	return &t, digest, nil
}

// maxMicros is an instant in the year 9999: later ones do not fit PostgreSQL's type.
const maxMicros = 253_000_000_000_000_000

// DeleteUnusedArtifacts removes up to limit modules that no version, draft or test-run
// refers to and that were uploaded more than age ago, and tells how many. A module that is being
// published right now is left for the next time.
func (s *Store) DeleteUnusedArtifacts(ctx context.Context, age time.Duration, limit int) (int, error) {
	const sql = `
		DELETE FROM artifact WHERE digest IN (
			SELECT digest FROM artifact a
			WHERE created_at < clock_timestamp() - $1::interval
				AND NOT EXISTS (SELECT FROM glue_version v WHERE v.artifact = a.digest)
				AND NOT EXISTS (SELECT FROM test_code t WHERE t.artifact = a.digest)
				AND NOT EXISTS (SELECT FROM glue_draft d WHERE d.artifact = a.digest)
			ORDER BY digest LIMIT $2
			FOR UPDATE SKIP LOCKED)`
	tag, err := s.pool.Exec(ctx, sql, age, limit)
	if violates(err, "glue_version_artifact_fkey") || violates(err, "test_code_artifact_fkey") {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("delete unused artifacts: %w", err)
	}
	return int(tag.RowsAffected()), nil
}
