// Package storetest gives tests a real, migrated PostgreSQL database of their own.
//
// A database and not a schema, because NOTIFY and advisory locks are per database. It
// is copied from a template that is migrated once per set of migrations, which takes
// tens of milliseconds, and dropped when the test ends.
//
// The server is the one at TEST_DATABASE_URL (a superuser's, or one that may create
// databases). Unset, a private server is started once for the whole run of go test and
// ends with it; where that cannot be, the test fails by that name.
package storetest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/store"
)

// setupTimeout bounds everything that New does before the test gets its database.
const setupTimeout = 2 * time.Minute

// New returns a store on a fresh migrated database. The store is closed and the
// database dropped when the test ends.
func New(t testing.TB) *store.Store {
	t.Helper()
	return Open(t, URL(t))
}

// Open returns another store on a database that URL made, as a second admin would have
// it. It is closed when the test ends.
func Open(t testing.TB, url string) *store.Store {
	t.Helper()
	s, err := store.Open(store.Config{URL: url})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

// URL makes a fresh migrated database and returns its address. The database is dropped
// when the test ends.
func URL(t testing.TB) string {
	t.Helper()
	return create(t, ensureTemplate)
}

// EmptyURL is URL without any schema, for tests of the migrations themselves.
func EmptyURL(t testing.TB) string {
	t.Helper()
	return create(t, func(context.Context, string) (string, error) { return "template0", nil })
}

func create(t testing.TB, templateOf func(ctx context.Context, server string) (string, error)) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), setupTimeout)
	defer cancel()
	server := serverURL(t)
	template, err := templateOf(ctx, server)
	require.NoError(t, err)
	name := databaseName(time.Now())
	require.NoError(t, runSQL(ctx, server, fmt.Sprintf(`CREATE DATABASE %s TEMPLATE %s`, name, template)))
	t.Cleanup(func() { drop(t, server, name) })
	return withDatabase(server, name)
}

func drop(t testing.TB, server, name string) {
	// t.Context has ended by now; the database must go all the same.
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := runSQL(ctx, server, `DROP DATABASE IF EXISTS `+name+` WITH (FORCE)`); err != nil {
		t.Errorf("drop test database %s: %v", name, err)
	}
}

// databaseName carries the time, by which dropStale knows what a killed run left.
func databaseName(now time.Time) string {
	return fmt.Sprintf("%s%x_%s", databasePrefix, now.Unix(), strings.ToLower(rand.Text()[:12]))
}

// withDatabase is the address of another database on the same server.
func withDatabase(server, name string) string {
	u, err := url.Parse(server)
	if err != nil {
		// Cannot be: pgx has connected with it.
		return server
	}
	u.Path = "/" + name
	return u.String()
}

// runSQL runs statements one by one outside a transaction, on a connection of its own.
func runSQL(ctx context.Context, server string, statements ...string) error {
	return withConn(ctx, server, func(conn *pgx.Conn) error {
		for _, sql := range statements {
			if _, err := conn.Exec(ctx, sql); err != nil {
				return fmt.Errorf("%s: %w", sql, err)
			}
		}
		return nil
	})
}

func withConn(ctx context.Context, server string, fn func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return fmt.Errorf("connect to the test server: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return fn(conn)
}
