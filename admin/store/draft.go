package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/glue"
)

const draftColumns = `job_id, user_id, glue_type, source, artifact, manifest, base_version, updated_at`

// Draft returns what a user is writing for a job, or job.ErrNotFound.
func (s *Store) Draft(ctx context.Context, jobID, userID int32) (job.Draft, error) {
	const sql = `SELECT ` + draftColumns + ` FROM glue_draft WHERE job_id = $1 AND user_id = $2`
	d, err := one[job.Draft](ctx, s.pool, sql, jobID, userID)
	if err != nil {
		return job.Draft{}, fmt.Errorf("read draft of job %d: %w", jobID, err)
	}
	return d, nil
}

// DraftOf returns what the user of that name is writing for a job, or job.ErrNotFound.
func (s *Store) DraftOf(ctx context.Context, jobID int32, username string) (job.Draft, error) {
	const sql = `
		SELECT ` + draftColumns + ` FROM glue_draft
		WHERE job_id = $1 AND user_id = (SELECT id FROM user_account WHERE username = $2)`
	d, err := one[job.Draft](ctx, s.pool, sql, jobID, username)
	if err != nil {
		return job.Draft{}, fmt.Errorf("read draft of job %d by %q: %w", jobID, username, err)
	}
	return d, nil
}

// SaveDraft keeps a draft in place of the user's last one, and returns it as stored.
func (s *Store) SaveDraft(ctx context.Context, d job.Draft) (job.Draft, error) {
	const sql = `
		INSERT INTO glue_draft (job_id, user_id, glue_type, source, artifact, manifest, base_version)
		VALUES (@job_id, @user_id, @glue_type, @source, @artifact, @manifest, @base_version)
		ON CONFLICT (job_id, user_id) DO UPDATE SET glue_type = excluded.glue_type, source = excluded.source,
			artifact = excluded.artifact, manifest = excluded.manifest, base_version = excluded.base_version,
			updated_at = clock_timestamp()
		RETURNING ` + draftColumns
	saved, err := one[job.Draft](ctx, s.pool, sql, pgx.StrictNamedArgs{
		"job_id": d.JobID, "user_id": d.UserID, "glue_type": d.Type, "source": d.Source, "artifact": d.Artifact,
		"manifest": d.Manifest, "base_version": d.BaseVersion,
	})
	if violates(err, "glue_draft_job_id_fkey") || violates(err, "glue_draft_user_id_fkey") {
		err = job.ErrNotFound
	}
	if err != nil {
		return job.Draft{}, fmt.Errorf("save draft of job %d: %w", d.JobID, err)
	}
	return saved, nil
}

// DeleteDraft removes a user's draft; none is no error.
func (s *Store) DeleteDraft(ctx context.Context, jobID, userID int32) error {
	const sql = `DELETE FROM glue_draft WHERE job_id = $1 AND user_id = $2`
	if _, err := s.pool.Exec(ctx, sql, jobID, userID); err != nil {
		return fmt.Errorf("delete draft of job %d: %w", jobID, err)
	}
	return nil
}

// maxDrafts bounds the list of those who write for one job.
const maxDrafts = 500

// Drafts tells who is writing for a job, the latest first.
func (s *Store) Drafts(ctx context.Context, jobID int32) ([]job.DraftInfo, error) {
	const sql = `
		SELECT u.username, d.base_version, d.updated_at
		FROM glue_draft d JOIN user_account u ON u.id = d.user_id
		WHERE d.job_id = $1 ORDER BY d.updated_at DESC, u.username LIMIT $2`
	list, err := many[job.DraftInfo](ctx, s.pool, sql, jobID, maxDrafts)
	if err != nil {
		return nil, fmt.Errorf("list drafts of job %d: %w", jobID, err)
	}
	return list, nil
}

// TestRun plans one run, due now, of code that is not published. It is not retried.
func (s *Store) TestRun(ctx context.Context, req job.TestRequest) (job.Fire, error) {
	var fire job.Fire
	err := s.withPartitions(ctx, func() ([]time.Time, error) {
		err := s.retryTx(ctx, func(tx pgx.Tx) error {
			var err error
			fire, err = s.testRun(ctx, tx, req)
			return err
		})
		return []time.Time{fire.FireAt}, err
	})
	if violates(err, "test_code_artifact_fkey") {
		err = &job.FieldError{Field: "artifact", Message: "There is no module with this digest. Upload it first."}
	}
	if err != nil {
		return job.Fire{}, fmt.Errorf("test-run code of job %d: %w", req.JobID, err)
	}
	return fire, nil
}

func (s *Store) testRun(ctx context.Context, tx pgx.Tx, req job.TestRequest) (job.Fire, error) {
	const (
		read = `SELECT group_id, date_trunc('milliseconds', clock_timestamp()) AS now FROM job WHERE id = $1 FOR KEY SHARE`
		plan = `
			INSERT INTO run (id, fire_at, due_at, job_id, group_id, cause, shard, shard_total, param, addresses, state, is_test, version_pin)
			VALUES ($1, $2, $2, $3, $4, $5, $6, $7, $8, $9, $10, true, 0)`
		keep = `
			INSERT INTO test_code (run_id, job_id, glue_type, source, digest, artifact, manifest, author)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`
	)
	j, err := one[struct {
		GroupID int32
		Now     time.Time
	}](ctx, tx, read, req.JobID)
	if err != nil {
		return job.Fire{}, err
	}
	f := job.Fire{JobID: req.JobID, Shard: req.ShardIndex, FireAt: j.Now, DueAt: j.Now, Addressed: true}
	ids, err := s.nextIDs(ctx, tx, []time.Time{f.FireAt})
	if err != nil {
		return job.Fire{}, err
	}
	f.RunID = ids[0]
	digest := glue.Digest([]byte(req.Source))
	if req.Artifact != nil {
		digest = *req.Artifact
	}
	var b pgx.Batch
	b.Queue(plan, f.RunID, f.FireAt, f.JobID, j.GroupID, job.CauseManual, f.Shard, req.ShardTotal, req.Param,
		[]string{req.Address}, job.Planned)
	b.Queue(keep, f.RunID, f.JobID, req.Type, req.Source, digest, req.Artifact, req.Manifest, req.Author)
	return f, tx.SendBatch(ctx, &b).Close()
}

// TestCodes reads the code of test-runs, in no particular order.
func (s *Store) TestCodes(ctx context.Context, runIDs []int64) ([]job.TestCode, error) {
	const sql = `
		SELECT run_id, job_id, glue_type, source, digest, artifact, manifest, author, created_at
		FROM test_code WHERE run_id = ANY($1)`
	codes, err := many[job.TestCode](ctx, s.pool, sql, runIDs)
	if err != nil {
		return nil, fmt.Errorf("read code of %d test-runs: %w", len(runIDs), err)
	}
	return codes, nil
}

// DeleteTestCode removes up to limit sources of test-runs older than age, and tells how
// many. An open run of that age could not be claimed any more in any case.
func (s *Store) DeleteTestCode(ctx context.Context, age time.Duration, limit int) (int, error) {
	const sql = `
		DELETE FROM test_code WHERE run_id IN (
			SELECT run_id FROM test_code WHERE created_at < clock_timestamp() - $1::interval
			ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED)`
	tag, err := s.pool.Exec(ctx, sql, age, limit)
	if err != nil {
		return 0, fmt.Errorf("delete code of old test-runs: %w", err)
	}
	return int(tag.RowsAffected()), nil
}
