package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/gluewheel/gluewheel/admin/store"
)

// migrateCmd is for operators who change the schema apart from starting an admin, which
// otherwise does the same.
type migrateCmd struct {
	Up     migrateUpCmd     `cmd:"" help:"Apply what is missing. Safe while admins run, and when called twice at once."`
	Status migrateStatusCmd `cmd:"" help:"List every step and when it was applied."`
}

type databaseFlag struct {
	DatabaseURL string `required:"" placeholder:"URL" env:"GLUEWHEEL_DATABASE_URL" help:"PostgreSQL 15 or later, such as postgres://user:password@host:5432/gluewheel."`
}

type migrateUpCmd struct {
	databaseFlag
}

// Run applies the missing steps and says how many there were.
func (c *migrateUpCmd) Run(ctx context.Context, s *streams) error {
	db, err := store.Open(store.Config{URL: c.DatabaseURL})
	if err != nil {
		return err
	}
	defer db.Close()
	before, err := db.Migrations(ctx)
	if err != nil {
		return err
	}
	if err := db.Migrate(ctx); err != nil {
		return err
	}
	missing := 0
	for _, step := range before {
		if step.AppliedAt.IsZero() {
			missing++
		}
	}
	_, err = fmt.Fprintf(s.out, "Applied %d of %d steps; the schema is up to date.\n", missing, len(before))
	return err
}

type migrateStatusCmd struct {
	databaseFlag
}

// Run prints a line for each step.
func (c *migrateStatusCmd) Run(ctx context.Context, s *streams) error {
	db, err := store.Open(store.Config{URL: c.DatabaseURL})
	if err != nil {
		return err
	}
	defer db.Close()
	steps, err := db.Migrations(ctx)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "VERSION\tNAME\tAPPLIED")
	for _, step := range steps {
		applied := "no"
		if !step.AppliedAt.IsZero() {
			applied = step.AppliedAt.UTC().Format(time.RFC3339)
		}
		fmt.Fprintf(w, "%d\t%s\t%s\n", step.Version, step.Name, applied)
	}
	return w.Flush()
}
