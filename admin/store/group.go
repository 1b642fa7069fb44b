package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/audit"
	"github.com/gluewheel/gluewheel/admin/job"
)

const groupColumns = `id, app_name, title, address_type, address_list, require_review, version, created_at, updated_at`

// CreateGroup stores a new group and returns it as stored; job.ErrDuplicateApp when
// the app name is taken.
func (s *Store) CreateGroup(ctx context.Context, g job.Group) (job.Group, error) {
	const sql = `
		INSERT INTO job_group (app_name, title, address_type, address_list, require_review)
		VALUES ($1, $2, $3, coalesce($4, '{}'::text[]), $5)
		RETURNING ` + groupColumns
	made, err := s.writeGroup(ctx, sql, g.AppName, g.Title, g.AddressType, g.AddressList, g.RequireReview)
	if err != nil {
		return job.Group{}, fmt.Errorf("create group %q: %w", g.AppName, err)
	}
	return made, nil
}

// UpdateGroup writes all editable fields of g, if g.Version is still the stored version.
func (s *Store) UpdateGroup(ctx context.Context, g job.Group) (job.Group, error) {
	const sql = `
		UPDATE job_group SET app_name = $3, title = $4, address_type = $5,
			address_list = coalesce($6, '{}'::text[]), require_review = $7, version = version + 1, updated_at = clock_timestamp()
		WHERE id = $1 AND version = $2
		RETURNING ` + groupColumns
	made, err := s.writeGroup(ctx, sql, g.ID, g.Version, g.AppName, g.Title, g.AddressType, g.AddressList, g.RequireReview)
	if err != nil {
		return job.Group{}, fmt.Errorf("update group %d: %w", g.ID, s.missingOrStale(ctx, g.ID, err))
	}
	return made, nil
}

// missingOrStale tells a group that is gone from one that has moved on.
func (s *Store) missingOrStale(ctx context.Context, id int32, err error) error {
	if !errors.Is(err, job.ErrNotFound) {
		return err
	}
	if _, missing := s.Group(ctx, id); missing != nil {
		return missing
	}
	return job.ErrConflict
}

// writeGroup runs a statement that returns the written group, and announces it.
func (s *Store) writeGroup(ctx context.Context, sql string, args ...any) (job.Group, error) {
	var g job.Group
	err := s.retryTx(ctx, func(tx pgx.Tx) error {
		var err error
		if g, err = one[job.Group](ctx, tx, sql, args...); err != nil {
			return err
		}
		audit.Record(ctx, audit.Change{Object: "group", ID: strconv.Itoa(int(g.ID)), Name: g.Title, GroupID: g.ID, After: g})
		return announce(ctx, tx, job.Change{Kind: job.ChangeGroup, ID: g.ID})
	})
	if violates(err, "job_group_app_name_key") {
		return job.Group{}, job.ErrDuplicateApp
	}
	return g, err
}

// DeleteGroup removes a group without jobs; job.ErrGroupInUse when it has some.
func (s *Store) DeleteGroup(ctx context.Context, id int32) error { return s.DeleteGroupAt(ctx, id, 0) }

// DeleteGroupAt is DeleteGroup, if the group's version is still the given one (0 = any);
// otherwise job.ErrNotFound, as there is none of that version.
func (s *Store) DeleteGroupAt(ctx context.Context, id int32, version int64) error {
	err := s.retryTx(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `DELETE FROM job_group WHERE id = $1 AND $2::bigint IN (0, version)`, id, version)
		switch {
		case violates(err, "job_group_id_fkey"):
			return job.ErrGroupInUse
		case err != nil:
			return err
		case tag.RowsAffected() == 0:
			return job.ErrNotFound
		}
		return announce(ctx, tx, job.Change{Kind: job.ChangeGroup, ID: id})
	})
	if err != nil {
		return fmt.Errorf("delete group %d: %w", id, err)
	}
	return nil
}

// Group returns one group, or job.ErrNotFound.
func (s *Store) Group(ctx context.Context, id int32) (job.Group, error) {
	g, err := one[job.Group](ctx, s.db(ctx), `SELECT `+groupColumns+` FROM job_group WHERE id = $1`, id)
	if err != nil {
		return job.Group{}, fmt.Errorf("read group %d: %w", id, err)
	}
	return g, nil
}

// GroupByApp returns the group of an app name, or job.ErrNotFound.
func (s *Store) GroupByApp(ctx context.Context, app string) (job.Group, error) {
	g, err := one[job.Group](ctx, s.db(ctx), `SELECT `+groupColumns+` FROM job_group WHERE app_name = $1`, app)
	if err != nil {
		return job.Group{}, fmt.Errorf("read group of app %q: %w", app, err)
	}
	return g, nil
}

// GroupsByID returns those of the given groups that exist, in the order of their ids.
func (s *Store) GroupsByID(ctx context.Context, ids []int32) ([]job.Group, error) {
	const sql = `SELECT ` + groupColumns + ` FROM job_group WHERE id = ANY($1) ORDER BY id`
	groups, err := many[job.Group](ctx, s.db(ctx), sql, ids)
	if err != nil {
		return nil, fmt.Errorf("read %d groups: %w", len(ids), err)
	}
	return groups, nil
}

// Groups lists groups by id; ids nil means all, query is a part of the app name or title.
func (s *Store) Groups(ctx context.Context, ids []int32, query string, p job.Paging) (job.Page[job.Group], error) {
	const (
		where = ` FROM job_group WHERE ($1::int[] IS NULL OR id = ANY($1)) AND ($2 = '' OR app_name ILIKE $2 OR title ILIKE $2)`
		list  = `SELECT ` + groupColumns + where + ` AND id > $3::bigint ORDER BY id LIMIT $4`
		count = `SELECT count(*) FROM (SELECT` + where + ` LIMIT $3) AS counted`
	)
	after, err := cursorID(p.Cursor, 0)
	if err != nil {
		return job.Page[job.Group]{}, err
	}
	limit := pageLimit(p)
	groups, err := many[job.Group](ctx, s.db(ctx), list, ids, containing(query), after, limit+1)
	if err != nil {
		return job.Page[job.Group]{}, fmt.Errorf("list groups: %w", err)
	}
	page := cutPage(groups, limit, func(g job.Group) int64 { return int64(g.ID) })
	if err := s.countPage(ctx, &page.Total, &page.TotalCapped, count, ids, containing(query), job.TotalCap+1); err != nil {
		return job.Page[job.Group]{}, fmt.Errorf("count groups: %w", err)
	}
	return page, nil
}
