package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/gluewheel/gluewheel/migrations"
)

// Migration is one step of the schema and when it was applied (zero: not yet).
type Migration struct {
	Version   int64
	Name      string
	AppliedAt time.Time
}

// Migrate brings the schema up to date and makes the ledger's next partitions. Several
// admins may call it at once: an advisory lock lets one work while the others wait.
func (s *Store) Migrate(ctx context.Context) error {
	err := s.withGoose(func(p *goose.Provider) error {
		_, err := p.Up(ctx)
		return err
	})
	if err != nil {
		return err
	}
	return s.KeepPartitions(ctx)
}

// Migrations lists every step in order.
func (s *Store) Migrations(ctx context.Context) ([]Migration, error) {
	var out []Migration
	err := s.withGoose(func(p *goose.Provider) error {
		states, err := p.Status(ctx)
		for _, st := range states {
			out = append(out, Migration{Version: st.Source.Version, Name: st.Source.Path, AppliedAt: st.AppliedAt})
		}
		return err
	})
	return out, err
}

func (s *Store) withGoose(fn func(*goose.Provider) error) error {
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return fmt.Errorf("make migration lock: %w", err)
	}
	db := stdlib.OpenDBFromPool(s.pool)
	defer db.Close()
	p, err := goose.NewProvider(goose.DialectPostgres, db, migrations.FS, goose.WithSessionLocker(locker))
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	if err := fn(p); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}
