package store

import (
	"context"
	"strconv"

	"github.com/gluewheel/gluewheel/admin/job"
)

const (
	defaultPage = 20
	maxPage     = 500
)

// pageLimit is the page's size within its bounds.
func pageLimit(p job.Paging) int {
	if p.Limit <= 0 {
		return defaultPage
	}
	return min(p.Limit, maxPage)
}

// cursorID reads a cursor made by cutPage, whose keys are 1 or more; first stands for no
// cursor.
func cursorID(cursor string, first int64) (int64, error) {
	if cursor == "" {
		return first, nil
	}
	id, err := strconv.ParseInt(cursor, 10, 64)
	if err != nil || id < 1 {
		return 0, errBadCursor()
	}
	return id, nil
}

func errBadCursor() error {
	return &job.FieldError{Field: "cursor", Message: "This is not a cursor of this list. Begin again without one."}
}

// cutPage makes a page of up to limit+1 rows: the one too many tells that there are
// more. The cursor is the key of the page's last row.
func cutPage[T any](rows []T, limit int, key func(T) int64) job.Page[T] {
	if len(rows) <= limit {
		return job.Page[T]{Items: rows}
	}
	rows = rows[:limit]
	return job.Page[T]{Items: rows, NextCursor: strconv.FormatInt(key(rows[limit-1]), 10)}
}

// countPage runs a count that stops at TotalCap+1.
func (s *Store) countPage(ctx context.Context, total *int, capped *bool, sql string, args ...any) error {
	var n int
	if err := s.pool.QueryRow(ctx, sql, args...).Scan(&n); err != nil {
		return err
	}
	*total, *capped = min(n, job.TotalCap), n > job.TotalCap
	return nil
}
