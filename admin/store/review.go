package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/audit"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/glue"
)

// requiresReview tells whether the group asks for a second pair of eyes, and keeps that
// so until the transaction ends.
func requiresReview(ctx context.Context, tx pgx.Tx, groupID int32) (required bool, err error) {
	err = tx.QueryRow(ctx, `SELECT require_review FROM job_group WHERE id = $1 FOR SHARE`, groupID).Scan(&required)
	if err != nil {
		return false, fmt.Errorf("read the rule of group %d: %w", groupID, notFound(err))
	}
	return required, nil
}

// refuseMove keeps code that nobody has reviewed from coming into a group by the move of
// its job: it would read the group's secrets there.
func refuseMove(ctx context.Context, tx pgx.Tx, old job.Job, groupID int32) error {
	if groupID == old.GroupID || old.GlueVersion == 0 {
		return nil
	}
	required, err := requiresReview(ctx, tx, groupID)
	switch {
	case errors.Is(err, job.ErrNotFound): // the foreign key says it better
		return nil
	case err != nil:
		return err
	case required:
		return &job.FieldError{Field: "group_id", Message: "This group asks that its code is approved, and the job has live code already. Make a new job there and publish the code to it."}
	}
	return nil
}

// ReviewVersion decides on a pending version, in one transaction under the job's lock:
// of two who decide at once the second gets job.ErrNotPending. An approved version is
// live as if it was published now; job.ErrConflict when another one became live since it
// was. The author gets job.ErrOwnVersion.
func (s *Store) ReviewVersion(ctx context.Context, r job.Review) (job.Published, error) {
	out, err := s.writeCode(ctx, r.JobID, func(tx pgx.Tx, j job.Job) (job.Published, error) {
		return review(ctx, tx, j, r)
	})
	if err != nil {
		return job.Published{}, fmt.Errorf("review version %d of job %d: %w", r.Number, r.JobID, err)
	}
	return out, nil
}

func review(ctx context.Context, tx pgx.Tx, j job.Job, r job.Review) (job.Published, error) {
	const sql = `
		UPDATE glue_version SET review = $3, reviewed_by = $4, reviewed_at = clock_timestamp(), review_note = $5
		WHERE job_id = $1 AND number = $2
		RETURNING ` + versionColumns
	v, err := version(ctx, tx, j.ID, r.Number)
	switch {
	case err != nil:
		return job.Published{}, err
	case v.Review != glue.ReviewPending:
		return job.Published{}, job.ErrNotPending
	case v.Author == r.By:
		return job.Published{}, job.ErrOwnVersion
	case r.To == glue.ReviewApproved && v.BaseVersion != j.GlueVersion:
		return job.Published{}, job.ErrConflict
	}
	if v, err = one[glue.Version](ctx, tx, sql, j.ID, r.Number, r.To, r.By, r.Note); err != nil {
		return job.Published{}, err
	}
	if r.To != glue.ReviewApproved {
		return job.Published{Version: v, Write: job.Write{Version: j.Version}}, nil
	}
	w, err := setLive(ctx, tx, v)
	return job.Published{Version: v, Write: w}, err
}

// recordCode adds to the note of ctx what became of a version, and of the live one.
func recordCode(ctx context.Context, old job.Job, v glue.Version) {
	live := old.GlueVersion
	if v.Review.WasLive() {
		live = v.Number
	}
	audit.Record(ctx, audit.Change{
		Object: "job", ID: strconv.Itoa(int(old.ID)), Name: old.Name, GroupID: old.GroupID,
		Before: map[string]any{"glue_version": old.GlueVersion},
		After: map[string]any{
			"glue_version": live, "number": v.Number, "digest": v.Digest, "manifest": v.Manifest, "remark": v.Remark,
			"author": v.Author, "review": v.Review, "review_note": v.ReviewNote,
		},
	})
}

// PendingVersions lists versions that wait for approval in the given groups, nil for
// all, by their jobs and numbers. Reads glue_version_pending_idx.
func (s *Store) PendingVersions(ctx context.Context, groupIDs []int32, p job.Paging) (job.Page[job.PendingVersion], error) {
	const (
		where = ` FROM glue_version v JOIN job j ON j.id = v.job_id
			WHERE v.review = 'pending' AND ($1::int[] IS NULL OR j.group_id = ANY($1))`
		list = `
			SELECT v.job_id, j.name AS job_name, j.group_id, v.number, v.glue_type, v.author, v.remark,
				v.base_version, j.glue_version AS live_version, v.created_at` + where + `
				AND (v.job_id, v.number) > ($2::int, $3::int) ORDER BY v.job_id, v.number LIMIT $4`
		count = `SELECT count(*) FROM (SELECT` + where + ` LIMIT $2) AS counted`
	)
	after, err := cursorID(p.Cursor, 0)
	if err != nil {
		return job.Page[job.PendingVersion]{}, err
	}
	limit := pageLimit(p)
	items, err := many[job.PendingVersion](ctx, s.pool, list, groupIDs, int32(after>>32), int32(after), limit+1)
	if err != nil {
		return job.Page[job.PendingVersion]{}, fmt.Errorf("list pending versions: %w", err)
	}
	page := cutPage(items, limit, func(v job.PendingVersion) int64 { return int64(v.JobID)<<32 | int64(v.Number) })
	if err := s.countPage(ctx, &page.Total, &page.TotalCapped, count, groupIDs, job.TotalCap+1); err != nil {
		return job.Page[job.PendingVersion]{}, fmt.Errorf("count pending versions: %w", err)
	}
	return page, nil
}
