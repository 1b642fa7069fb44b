package secret_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/seal"
	"github.com/gluewheel/gluewheel/admin/secret"
	"github.com/gluewheel/gluewheel/admin/store"
	"github.com/gluewheel/gluewheel/admin/store/storetest"
	"github.com/gluewheel/gluewheel/glue"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type bundle struct {
	store *store.Store
	sql   *pgx.Conn
	group job.Group
	job   job.Job
	key   string
}

// setup makes a job whose live version was granted API_KEY and REGION.
func setup(t *testing.T) *bundle {
	t.Helper()
	url := storetest.URL(t)
	b := &bundle{store: storetest.Open(t, url), key: seal.NewKey()}
	var err error
	b.sql, err = pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = b.sql.Close(context.Background()) })
	b.group, err = b.store.CreateGroup(t.Context(), job.Group{AppName: "app-a", Title: "A"})
	require.NoError(t, err)
	b.job, err = b.store.CreateJob(t.Context(), job.Job{
		GroupID: b.group.ID, Name: "nightly", GlueType: glue.Lua, ScheduleType: job.ScheduleNone,
		MisfireStrategy: job.MisfireDoNothing, RouteStrategy: job.RouteFirst, BlockStrategy: "SERIAL_EXECUTION", CatchUpLimit: 1,
	})
	require.NoError(t, err)
	_, err = b.sql.Exec(t.Context(), `INSERT INTO glue_version (job_id, number, glue_type, source, digest, manifest, remark, author)
		VALUES ($1, 1, 'GLUE_LUA', 'return 1', 'sha256:x', '{"secrets":["API_KEY","REGION"]}', 'first', 'a')`, b.job.ID)
	require.NoError(t, err)
	return b
}

func (b *bundle) vault(t *testing.T, keys string) *secret.Vault {
	t.Helper()
	ring, err := seal.Parse(keys)
	require.NoError(t, err)
	return secret.New(b.store, ring)
}

// run is a run of the job in a state, as if an executor had it.
func (b *bundle) run(t *testing.T, state job.State) job.Hold {
	t.Helper()
	h := job.Hold{Epoch: 3}
	err := b.sql.QueryRow(t.Context(), `
		INSERT INTO run (id, fire_at, due_at, job_id, group_id, cause, state, epoch, glue_version, address)
		SELECT ((current_date - date '2024-01-01')::bigint << 39) | (random() * 1e9)::bigint, clock_timestamp(), clock_timestamp(),
			$1, $2, 2, $3, 3, 1, 'http://10.0.0.5:9999'
		RETURNING id`, b.job.ID, b.group.ID, int16(state)).Scan(&h.RunID)
	require.NoError(t, err)
	return h
}

func TestVault_ReadsWhatWasGranted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.vault(t, b.key)
	for _, name := range []string{"API_KEY", "OTHER"} {
		_, err := v.Put(t.Context(), job.Secret{GroupID: b.group.ID, Name: name, UpdatedBy: "admin"}, "s3cret of "+name)
		require.NoError(t, err)
	}
	run := b.run(t, job.Running)
	value, at, err := v.Read(t.Context(), run, "API_KEY")
	require.NoError(t, err)
	require.Equal(t, "s3cret of API_KEY", value)
	require.Equal(t, "http://10.0.0.5:9999", at.Address)

	_, _, err = v.Read(t.Context(), run, "OTHER")
	require.ErrorIs(t, err, job.ErrNotGranted)
	_, _, err = v.Read(t.Context(), run, "REGION")
	require.ErrorIs(t, err, job.ErrNoSecret)
	_, err = b.store.PutVariable(t.Context(), job.Variable{GroupID: b.group.ID, Name: "REGION", Value: "eu", UpdatedBy: "admin"})
	require.NoError(t, err)
	value, _, err = v.Read(t.Context(), run, "REGION")
	require.NoError(t, err)
	require.Equal(t, "eu", value)
}

func TestVault_OnlyOpenRunsOfThatClaim(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.vault(t, b.key)
	_, err := v.Put(t.Context(), job.Secret{GroupID: b.group.ID, Name: "API_KEY", UpdatedBy: "admin"}, "s3cret")
	require.NoError(t, err)
	ended := b.run(t, job.Succeeded)
	_, _, err = v.Read(t.Context(), ended, "API_KEY")
	require.ErrorIs(t, err, job.ErrNotFound)
	open := b.run(t, job.Running)
	open.Epoch++
	_, _, err = v.Read(t.Context(), open, "API_KEY")
	require.ErrorIs(t, err, job.ErrNotFound)
}

// TestVault_ATestRunHasItsOwnGrants: what it was started with, not those of the version.
func TestVault_ATestRunHasItsOwnGrants(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.vault(t, b.key)
	_, err := v.Put(t.Context(), job.Secret{GroupID: b.group.ID, Name: "API_KEY", UpdatedBy: "admin"}, "s3cret")
	require.NoError(t, err)
	run := b.run(t, job.Running)
	_, err = b.sql.Exec(t.Context(), `UPDATE run SET is_test = true WHERE id = $1`, run.RunID)
	require.NoError(t, err)
	_, err = b.sql.Exec(t.Context(), `INSERT INTO test_code (run_id, job_id, glue_type, source, digest, manifest, author)
		VALUES ($1, $2, 'GLUE_LUA', 'return 1', 'sha256:x', '{}', 'a')`, run.RunID, b.job.ID)
	require.NoError(t, err)
	_, _, err = v.Read(t.Context(), run, "API_KEY")
	require.ErrorIs(t, err, job.ErrNotGranted)
}

func TestVault_Rotates(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.vault(t, b.key).Put(t.Context(), job.Secret{GroupID: b.group.ID, Name: "API_KEY", UpdatedBy: "admin"}, "s3cret")
	require.NoError(t, err)
	fresh := seal.NewKey()
	require.NoError(t, b.vault(t, fresh+"\n"+b.key).Reseal(t.Context(), slog.New(slog.DiscardHandler)))
	value, _, err := b.vault(t, fresh).Read(t.Context(), b.run(t, job.Running), "API_KEY")
	require.NoError(t, err)
	require.Equal(t, "s3cret", value)
	_, _, err = b.vault(t, b.key).Read(t.Context(), b.run(t, job.Running), "API_KEY")
	require.ErrorIs(t, err, seal.ErrUnknownKey)
}

func TestVault_Refuses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := secret.New(b.store, seal.Ring{}).Put(t.Context(), job.Secret{GroupID: b.group.ID, Name: "A", UpdatedBy: "admin"}, "value")
	require.ErrorIs(t, err, seal.ErrNoKey)

	_, err = b.sql.Exec(t.Context(), `INSERT INTO group_secret SELECT $1, 'S' || n, 'x', now(), 'a' FROM generate_series(1, $2) n`,
		b.group.ID, job.MaxSecrets)
	require.NoError(t, err)
	v := b.vault(t, b.key)
	_, err = v.Put(t.Context(), job.Secret{GroupID: b.group.ID, Name: "ONE_MORE", UpdatedBy: "admin"}, "value")
	require.ErrorIs(t, err, job.ErrTooManySecrets)
	there, err := b.store.Secret(t.Context(), b.group.ID, "S1")
	require.NoError(t, err)
	_, err = v.Put(t.Context(), there, "value")
	require.NoError(t, err, "one that is there can be changed")
	_, err = v.Put(t.Context(), job.Secret{GroupID: 99, Name: "A", UpdatedBy: "admin"}, "value")
	require.ErrorIs(t, err, job.ErrNotFound)
}
