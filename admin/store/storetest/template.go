package storetest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/store"
	"github.com/gluewheel/gluewheel/migrations"
)

const (
	templatePrefix = "gluewheel_template_"
	databasePrefix = "gluewheel_test_"
	// templateLock is the advisory lock that one process holds while it makes the
	// template; any number that nobody else uses.
	templateLock = 0x67776c74
	// staleAfter is beyond any run of go test.
	staleAfter = 3 * time.Hour
)

// templates remembers what this process has found or made, by server. It only saves
// looking twice.
var templates struct {
	mu    sync.Mutex
	known map[string]string
}

// ensureTemplate returns the name of the migrated template on the server, making it
// first if this set of migrations has none there.
func ensureTemplate(ctx context.Context, server string) (string, error) {
	templates.mu.Lock()
	defer templates.mu.Unlock()
	if name, ok := templates.known[server]; ok {
		return name, nil
	}
	name, err := templateName()
	if err != nil {
		return "", err
	}
	err = withConn(ctx, server, func(conn *pgx.Conn) error {
		if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock($1)`, templateLock); err != nil {
			return fmt.Errorf("take template lock: %w", err)
		}
		return makeTemplate(ctx, conn, server, name)
	})
	if err != nil {
		return "", err
	}
	if templates.known == nil {
		templates.known = map[string]string{}
	}
	templates.known[server] = name
	return name, nil
}

// makeTemplate runs under the template lock, which ends with the connection.
func makeTemplate(ctx context.Context, conn *pgx.Conn, server, name string) error {
	var exists bool
	const find = `SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)`
	if err := conn.QueryRow(ctx, find, name).Scan(&exists); err != nil {
		return fmt.Errorf("look for template: %w", err)
	}
	if exists {
		return nil
	}
	if err := dropStale(ctx, conn, time.Now()); err != nil {
		return err
	}
	// Migrated under another name, so that a half made template is never copied.
	draft := name + "_draft"
	for _, sql := range []string{`DROP DATABASE IF EXISTS ` + draft + ` WITH (FORCE)`, `CREATE DATABASE ` + draft} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("make template: %w", err)
		}
	}
	if err := migrate(ctx, withDatabase(server, draft)); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, fmt.Sprintf(`ALTER DATABASE %s RENAME TO %s`, draft, name)); err != nil {
		return fmt.Errorf("name template: %w", err)
	}
	return nil
}

func migrate(ctx context.Context, url string) error {
	s, err := store.Open(store.Config{URL: url})
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Migrate(ctx)
}

// templateName is the digest of the migrations: other migrations, other template.
func templateName() (string, error) {
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		return "", fmt.Errorf("list migrations: %w", err)
	}
	sum := sha256.New()
	for _, name := range names {
		content, err := migrations.FS.ReadFile(name)
		if err != nil {
			return "", fmt.Errorf("read migration: %w", err)
		}
		fmt.Fprintf(sum, "%s %d\n%s", name, len(content), content)
	}
	return fmt.Sprintf("%s%x", templatePrefix, sum.Sum(nil)[:8]), nil
}

// dropStale removes databases of runs that were killed long ago.
func dropStale(ctx context.Context, conn *pgx.Conn, now time.Time) error {
	rows, err := conn.Query(ctx, `SELECT datname FROM pg_database WHERE starts_with(datname, $1)`, databasePrefix)
	if err != nil {
		return fmt.Errorf("list test databases: %w", err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("list test databases: %w", err)
	}
	var errs []error
	for _, name := range names {
		stamp, _, _ := strings.Cut(strings.TrimPrefix(name, databasePrefix), "_")
		made, err := strconv.ParseInt(stamp, 16, 64)
		if err != nil || now.Sub(time.Unix(made, 0)) < staleAfter {
			continue
		}
		if _, err := conn.Exec(ctx, `DROP DATABASE IF EXISTS `+name+` WITH (FORCE)`); err != nil {
			errs = append(errs, fmt.Errorf("drop stale test database: %w", err))
		}
	}
	return errors.Join(errs...)
}
