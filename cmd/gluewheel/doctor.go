package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/gluewheel/gluewheel/admin/cron"
	"github.com/gluewheel/gluewheel/admin/doctor"
	"github.com/gluewheel/gluewheel/admin/store"
)

// doctorCmd audits the ledger and the set-up. It only reads.
type doctorCmd struct {
	databaseFlag
	Since         time.Duration `default:"24h" help:"How far back the ledger is read (${default})."`
	TimeZone      string        `default:"UTC" placeholder:"ZONE" env:"GLUEWHEEL_TIME_ZONE" help:"IANA time zone of jobs that name none, as the admins have it (${default})."`
	ExecutorToken string        `placeholder:"TOKEN" env:"GLUEWHEEL_EXECUTOR_TOKEN" help:"Token of the executors, to judge it; better given as variable than as flag."`
	JSON          bool          `name:"json" help:"Print the report as JSON."`
}

// doctorTime bounds the examination.
const doctorTime = 5 * time.Minute

// errWarnings is of a report without errors, but with warnings.
var errWarnings = errors.New("only warnings")

// Help is shown by --help.
func (c *doctorCmd) Help() string {
	return `Exit codes: 0 nothing is wrong, 1 there are errors (or it could not look), 2 a wrong command line,
3 there are warnings only.`
}

// Run prints the report, and fails when something is wrong.
func (c *doctorCmd) Run(ctx context.Context, s *streams) error {
	ctx, cancel := context.WithTimeout(ctx, doctorTime)
	defer cancel()
	zone, err := cron.Location(c.TimeZone, time.UTC)
	if err != nil {
		return fmt.Errorf("time-zone: %w", err)
	}
	db, err := store.Open(store.Config{URL: c.DatabaseURL, MaxConns: 2})
	if err != nil {
		return err
	}
	defer db.Close()
	d, err := doctor.New(doctor.Config{Ledger: db, Since: c.Since, Zone: zone, Token: c.ExecutorToken})
	if err != nil {
		return err
	}
	report, err := examine(ctx, db, d)
	if err != nil {
		return err
	}
	if err := c.print(s.out, report); err != nil {
		return err
	}
	return verdict(report)
}

// verdict is what the exit code tells of a report.
func verdict(r *doctor.Report) error {
	switch {
	case r.Has(doctor.Error):
		return fmt.Errorf("%d findings", len(r.Findings))
	case r.Has(doctor.Warning):
		return fmt.Errorf("%d findings: %w", len(r.Findings), errWarnings)
	}
	return nil
}

// examine wants the whole schema first: without it every other question fails.
func examine(ctx context.Context, db *store.Store, d *doctor.Doctor) (*doctor.Report, error) {
	steps, err := db.Migrations(ctx)
	if err != nil {
		return nil, err
	}
	for _, step := range steps {
		if step.AppliedAt.IsZero() {
			return nil, fmt.Errorf("the schema lacks step %d (%s): run `gluewheel migrate up`", step.Version, step.Name)
		}
	}
	return d.Examine(ctx)
}

func (c *doctorCmd) print(w io.Writer, r *doctor.Report) error {
	if c.JSON {
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		return out.Encode(r)
	}
	fmt.Fprintf(w, "Ledger from %s to %s, this machine's clock %v ahead.\n",
		r.Since.UTC().Format(time.RFC3339), r.At.UTC().Format(time.RFC3339), r.Skew.Round(time.Millisecond))
	for _, text := range r.Unseen {
		fmt.Fprintf(w, "Not looked at: %s\n", text)
	}
	if len(r.Findings) == 0 {
		_, err := fmt.Fprintln(w, "Nothing is wrong.")
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "SEVERITY\tCHECK\tFINDING")
	for _, f := range r.Findings {
		fmt.Fprintf(table, "%s\t%s\t%s\n\t\t→ %s\n", f.Severity, f.Check, f.Message, f.Remedy)
	}
	return table.Flush()
}
