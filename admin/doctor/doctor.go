package doctor

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
)

// Severity says how bad a finding is.
type Severity string

const (
	// Error: a promise is broken, or will be soon.
	Error Severity = "error"
	// Warning: it works, and should not stay like this.
	Warning Severity = "warning"
)

// Finding is one thing that is wrong.
type Finding struct {
	Check    string   `json:"check"` // stable, for programs
	Severity Severity `json:"severity"`
	Message  string   `json:"message"` // a sentence
	Remedy   string   `json:"remedy"`  // what to do about it
	Runs     []int64  `json:"runs,omitempty"`
	Jobs     []int32  `json:"jobs,omitempty"`
}

// Report is the result of an examination.
type Report struct {
	At       time.Time     `json:"at"` // the database's clock
	Since    time.Time     `json:"since"`
	Skew     time.Duration `json:"skew_ns"` // how far this machine's clock is ahead of the database's
	Findings []Finding     `json:"findings"`
	// Unseen says, for people, what was not looked at and why.
	Unseen []string `json:"unseen,omitempty"`
}

// Has reports whether there is a finding of that severity.
func (r *Report) Has(s Severity) bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Severity == s })
}

// ledger is what the doctor asks of the store.
type ledger interface {
	Vitals(ctx context.Context) (job.Vitals, error)
	AdminClocks(ctx context.Context) ([]job.AdminClock, error)
	Suspects(ctx context.Context, since time.Time, limit int) ([]job.Suspect, error)
	StartedSchedules(ctx context.Context, after int32, limit int) ([]job.Job, error)
	PlannedInstants(ctx context.Context, jobID int32, from, to time.Time, limit int) ([]job.Instants, error)
	Executors(ctx context.Context) ([]job.Executor, error)
}

// Config says what to examine.
type Config struct {
	Ledger ledger // required
	// Since is how far back the ledger is read; default 24 h.
	Since time.Duration
	// Zone is that of jobs that name none, as the admins have it; default UTC.
	Zone *time.Location
	// Token is the one that admins and executors share, to be judged; empty = not known.
	Token string
	// Clock is this machine's; default time.Now.
	Clock func() time.Time
}

// Doctor examines one database.
type Doctor struct{ cfg Config }

// New checks the configuration.
func New(cfg Config) (*Doctor, error) {
	if cfg.Ledger == nil {
		return nil, errors.New("doctor: Ledger is missing")
	}
	if cfg.Since < 0 {
		return nil, errors.New("doctor: Since is negative")
	}
	cfg.Since = cmp.Or(cfg.Since, 24*time.Hour)
	cfg.Zone = cmp.Or(cfg.Zone, time.UTC)
	if cfg.Clock == nil {
		cfg.Clock = time.Now
	}
	return &Doctor{cfg}, nil
}

// perCheck is the most that is listed of one kind; more of the same says nothing new.
const perCheck = 20

// Examine looks at everything. An error means that it could not; what it found wrong is
// in the report.
func (d *Doctor) Examine(ctx context.Context) (*Report, error) {
	before := d.cfg.Clock()
	v, err := d.cfg.Ledger.Vitals(ctx)
	if err != nil {
		return nil, err
	}
	after := d.cfg.Clock()
	r := &Report{At: v.Now, Since: v.Now.Add(-d.cfg.Since), Findings: []Finding{}}
	r.clock(job.ReadClock(v.Now, before, after))
	clocks, err := d.cfg.Ledger.AdminClocks(ctx)
	if err != nil {
		return nil, err
	}
	r.adminClocks(clocks)
	r.database(&v)
	r.cluster(&v)
	if d.cfg.Token != "" {
		r.token(d.cfg.Token)
	}
	suspects, err := d.cfg.Ledger.Suspects(ctx, r.Since, perCheck)
	if err != nil {
		return nil, err
	}
	r.suspects(suspects)
	if err := d.holes(ctx, r); err != nil {
		return nil, err
	}
	executors, err := d.cfg.Ledger.Executors(ctx)
	if err != nil {
		return nil, err
	}
	r.executors(executors)
	slices.SortStableFunc(r.Findings, func(a, b Finding) int { return cmp.Compare(a.Severity, b.Severity) })
	return r, nil
}

func (r *Report) find(s Severity, check, message, remedy string) {
	r.Findings = append(r.Findings, Finding{Check: check, Severity: s, Message: message, Remedy: remedy})
}
