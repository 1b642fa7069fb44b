package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/store"
)

// A generic plan, on a filled ledger that was never analysed: each batch statement goes
// from its arguments into the primary key of one partition.
func TestBatchStatements_KeepTheirPlan(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.planned(t, f.job(t), 20000)
	for name, sql := range map[string]string{
		"claim": store.ClaimRuns, "renew": store.RenewLeases, "release": store.ReleaseRuns,
		"unknown": store.MarkUnknown, "running": store.MarkRunning, "end": store.EndRuns,
	} {
		t.Run(name, func(t *testing.T) {
			plan := explain(t, f, name, sql)
			require.Contains(t, plan, "Nested Loop")
			require.Contains(t, plan, "_pkey on run_2")
			require.Contains(t, plan, "Index Cond: ((id = c.id)")
			require.Contains(t, plan, "Subplans Removed", "other days are not looked at")
			for _, bad := range []string{"Seq Scan", "Hash Join", "Merge Join", "Bitmap", "_job_id", "_due_at", "JIT"} {
				require.NotContains(t, plan, bad)
			}
		})
	}
}

func TestCorrectLost_FindsTheRetryByItsInstant(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.planned(t, f.job(t), 20000)
	plan := explain(t, f, "lost", store.CorrectLost)
	require.Contains(t, plan, "_job_id_fire_at_idx on run_2")
	require.Contains(t, plan, "Index Cond: ((job_id = r.job_id) AND (fire_at = r.fire_at)")
	for _, bad := range []string{"Seq Scan", "Hash Join", "Merge Join", "Bitmap", "JIT"} {
		require.NotContains(t, plan, bad)
	}
}

func explain(t *testing.T, f *fixture, name, sql string) string {
	t.Helper()
	tx, err := f.sql.Begin(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, tx.Rollback(t.Context())) }()
	_, err = tx.Exec(t.Context(), store.PinPlan)
	require.NoError(t, err)
	st, err := tx.Prepare(t.Context(), "batch_"+name, sql)
	require.NoError(t, err)
	args, days := make([]string, len(st.ParamOIDs)), 0
	for i, oid := range st.ParamOIDs {
		if args[i] = "NULL"; oid == pgtype.TimestamptzOID {
			args[i] = fmt.Sprintf("date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' + interval '%d day'", days)
			days++
		}
	}
	rows, err := tx.Query(t.Context(), fmt.Sprintf(`EXPLAIN EXECUTE batch_%s (%s)`, name, strings.Join(args, ", ")), pgx.QueryExecModeSimpleProtocol)
	require.NoError(t, err)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return strings.Join(lines, "\n")
}
