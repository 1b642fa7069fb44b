package store_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/store/storetest"
)

func (f *fixture) partitions(t *testing.T) (n int) {
	t.Helper()
	require.NoError(t, f.sql.QueryRow(t.Context(), `SELECT count(*) FROM pg_inherits WHERE inhparent = 'run'::regclass`).Scan(&n))
	return n
}

func TestKeepPartitions_ManyAdminsAtOnce(t *testing.T) {
	t.Parallel()
	f := setup(t)
	require.GreaterOrEqual(t, f.partitions(t), 9, "a migrated database has them")
	f.exec(t, `DO $$ DECLARE t regclass; BEGIN
		FOR t IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'run'::regclass LOOP
			EXECUTE 'DROP TABLE ' || t;
		END LOOP; END $$`)

	const admins = 4
	errs := make([]error, admins)
	var wg sync.WaitGroup
	for i := range admins {
		other := storetest.Open(t, f.url)
		wg.Go(func() { errs[i] = other.KeepPartitions(t.Context()) })
	}
	wg.Wait()

	for _, err := range errs {
		require.NoError(t, err)
	}
	require.Equal(t, 9, f.partitions(t), "from yesterday to a week ahead")
	var ready int
	require.NoError(t, f.sql.QueryRow(t.Context(), `
		SELECT count(*) FROM pg_class c JOIN pg_inherits i ON i.inhrelid = c.oid AND i.inhparent = 'run'::regclass
		WHERE array_to_string(c.reloptions, ',') LIKE 'fillfactor=%'
			AND (SELECT count(*) FROM pg_index x WHERE x.indrelid = c.oid AND x.indisvalid)
				= (SELECT count(*) FROM pg_index x WHERE x.indrelid = 'run'::regclass)`).Scan(&ready))
	require.Equal(t, 9, ready, "with the settings and all indexes")
}

func TestKeepPartitions_DoesNotWaitForReaders(t *testing.T) {
	t.Parallel()
	f := setup(t)
	tx, err := f.sql.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `SELECT count(*) FROM run`)
	require.NoError(t, err)
	j := f.started(t)
	far := time.Now().UTC().AddDate(0, 0, 20).Truncate(time.Second)
	_, err = connect(t, f.url).Exec(t.Context(), `UPDATE job SET next_fire = $2 WHERE id = $1`, j.ID, far)
	require.NoError(t, err)
	res := f.plan(t, 20*24*time.Hour+5*time.Second)
	require.NotEmpty(t, res.Fires)
	require.NoError(t, tx.Rollback(t.Context()))
}

func partitionName(d time.Time) string { return "run_" + d.UTC().Format("20060102") }

func TestDropPartitions_KeepsDaysWithOpenRuns(t *testing.T) {
	t.Parallel()
	f := setup(t)
	now := time.Now().UTC().Truncate(time.Second)
	days := map[string]time.Time{"closed": now.AddDate(0, 0, -40), "open": now.AddDate(0, 0, -41), "young": now.AddDate(0, 0, -10)}
	for name, d := range days {
		part := partitionName(d)
		day := d.Truncate(24 * time.Hour)
		f.exec(t, `CREATE TABLE `+part+` PARTITION OF run FOR VALUES FROM ('`+day.Format(time.RFC3339)+`') TO ('`+day.Add(24*time.Hour).Format(time.RFC3339)+`')`)
		f.exec(t, `INSERT INTO run (id, fire_at, due_at, job_id, group_id, cause, state, ended_at)
			VALUES (1, $1, $1, 1, 1, 2, 3, CASE WHEN $2 <> 'open' THEN now() END)`, d, name)
	}
	f.exec(t, `CREATE TABLE run_20240101 (LIKE run)`) // left behind between detach and drop

	dropped, err := f.store.DropPartitions(t.Context(), now.AddDate(0, 0, -30))

	require.NoError(t, err)
	require.Equal(t, []string{"run_20240101", partitionName(days["closed"])}, dropped)
	require.Equal(t, 2, f.count(t, `id = 1`))
	dropped, err = f.store.DropPartitions(t.Context(), now.AddDate(0, 0, -30))
	require.NoError(t, err)
	require.Empty(t, dropped)

	f.exec(t, `UPDATE run SET ended_at = now() WHERE fire_at = $1`, days["open"])
	dropped, err = f.store.DropPartitions(t.Context(), now.AddDate(0, 0, -30))
	require.NoError(t, err)
	require.Equal(t, []string{partitionName(days["open"])}, dropped)
}

func TestDropPartitions_OneAdminAtATime(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.exec(t, `CREATE TABLE run_20240101 (LIKE run)`)
	f.exec(t, `SELECT pg_advisory_lock($1)`, 0x67776c70)
	dropped, err := f.store.DropPartitions(t.Context(), time.Now())
	require.NoError(t, err)
	require.Empty(t, dropped)
	f.exec(t, `SELECT pg_advisory_unlock($1)`, 0x67776c70)
	dropped, err = f.store.DropPartitions(t.Context(), time.Now().AddDate(0, 0, -2))
	require.NoError(t, err)
	require.Equal(t, []string{"run_20240101"}, dropped)
}
