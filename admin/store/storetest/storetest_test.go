package storetest_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gluewheel/gluewheel/admin/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestNew_GivesAMigratedDatabase(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	steps, err := s.Migrations(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, steps)
	for _, step := range steps {
		require.False(t, step.AppliedAt.IsZero(), "%s was not applied", step.Name)
	}
}

func TestURL_IsADatabaseOfItsOwn(t *testing.T) {
	t.Parallel()
	first, second := storetest.URL(t), storetest.URL(t)
	require.NotEqual(t, first, second)

	a, b := connect(t, first), connect(t, second)
	_, err := a.Exec(t.Context(), `INSERT INTO job_group (app_name, title) VALUES ('one', 'One')`)
	require.NoError(t, err)
	require.Equal(t, 1, groups(t, connect(t, first)))
	require.Equal(t, 0, groups(t, b))
}

func TestURL_DropsTheDatabaseAtTheEnd(t *testing.T) {
	t.Parallel()
	var url string
	t.Run("use", func(t *testing.T) { url = storetest.URL(t); storetest.Open(t, url) })
	_, err := pgx.Connect(t.Context(), url)
	require.ErrorContains(t, err, "does not exist")
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func groups(t *testing.T, conn *pgx.Conn) int {
	t.Helper()
	var n int
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM job_group`).Scan(&n))
	return n
}
