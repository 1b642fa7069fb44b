package store

import (
	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/job"
)

// ListRuns and CountRuns are the statements of Runs, so that a test can hold their plans.
func ListRuns(f job.RunFilter) (string, pgx.StrictNamedArgs) {
	where, args := runWhere(f, nil)
	return listRuns(f, where), args
}

func CountRuns(f job.RunFilter) (string, pgx.StrictNamedArgs) {
	where, args := runWhere(f, nil)
	return countRuns(where), args
}
