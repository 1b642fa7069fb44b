package doctor

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/gluewheel/gluewheel/admin/cron"
	"github.com/gluewheel/gluewheel/admin/job"
)

const (
	// settle is how long after an edit of a job its schedule is not looked at: what was
	// planned of the one before may still be there.
	settle = 15 * time.Second
	// Bounds of one examination: what is beyond is named in Report.Unseen.
	jobsPerRead    = 500
	instantsPerJob = 5_000
	instantsInAll  = 1_000_000
)

// holes looks for instants of schedules without a row, the newest ones of each job.
func (d *Doctor) holes(ctx context.Context, r *Report) error {
	missing := Finding{
		Check: "lost", Severity: Error,
		Remedy: "Trigger the job by hand for what was left out; keep the ledger for the report of a bug.",
	}
	seen := 0
	for after := int32(0); ; {
		jobs, err := d.cfg.Ledger.StartedSchedules(ctx, after, jobsPerRead)
		if err != nil {
			return err
		}
		for i := range jobs {
			j := &jobs[i]
			after = j.ID
			if seen >= instantsInAll {
				r.Unseen = append(r.Unseen, fmt.Sprintf("The instants of job %d and those after it were not looked at: there are too many.", j.ID))
				return r.addHoles(missing)
			}
			n, hole, err := d.holeOf(ctx, r, j)
			if err != nil {
				return err
			}
			seen += n
			if !hole.IsZero() && len(missing.Jobs) < perCheck {
				missing.Jobs = append(missing.Jobs, j.ID)
				if missing.Message == "" {
					missing.Message = fmt.Sprintf("An instant of a schedule has no row: job %d (%s), %s.", j.ID, j.Name, stamp(hole))
				}
			}
		}
		if len(jobs) < jobsPerRead {
			return r.addHoles(missing)
		}
	}
}

func (r *Report) addHoles(f Finding) error {
	if f.Message != "" {
		r.Findings = append(r.Findings, f)
	}
	return nil
}

// holeOf is the first instant of a job that has no row, and how many were looked at. It
// begins with the oldest row that is there, for the history may have been cleared.
func (d *Doctor) holeOf(ctx context.Context, r *Report, j *job.Job) (seen int, hole time.Time, err error) {
	from, to := r.Since, r.At
	if edited := j.UpdatedAt.Add(settle); edited.After(from) {
		from = edited
	}
	if j.NextFire.Before(to) {
		to = j.NextFire.Add(-time.Nanosecond) // behind, which is a finding of its own
	}
	next, step, err := d.walk(j)
	if err != nil {
		r.Unseen = append(r.Unseen, fmt.Sprintf("The schedule of job %d cannot be read: %v", j.ID, err))
		return 0, time.Time{}, nil
	}
	if oldest := to.Add(-step * instantsPerJob); oldest.After(from) {
		from = oldest
	}
	if !from.Before(to) {
		return 0, time.Time{}, nil
	}
	rows, err := d.cfg.Ledger.PlannedInstants(ctx, j.ID, from, to, 2*instantsPerJob)
	if err != nil || len(rows) == 0 {
		return 0, time.Time{}, err
	}
	covered := coverage(rows)
	for t := rows[0].FireAt; !t.After(to) && seen < instantsPerJob; t = next(t) {
		if t.IsZero() {
			break
		}
		seen++
		if t.After(from) && !covered(t) {
			return seen, t, nil
		}
	}
	return seen, time.Time{}, nil
}

// walk is how to get from one instant of a job to the next, and about how far that is.
func (d *Doctor) walk(j *job.Job) (next func(time.Time) time.Time, step time.Duration, err error) {
	if j.ScheduleType == job.ScheduleFixRate {
		n, err := strconv.Atoi(j.ScheduleConf)
		if err != nil || n < 1 {
			return nil, 0, fmt.Errorf("%q is no number of seconds", j.ScheduleConf)
		}
		step = time.Duration(n) * time.Second
		return func(t time.Time) time.Time { return t.Add(step) }, step, nil
	}
	s, err := cron.For(j.Timing(), d.cfg.Zone)
	if err != nil {
		return nil, 0, err
	}
	return func(t time.Time) time.Time { return s.Next(t).UTC() }, time.Second, nil
}

// coverage answers whether an instant has a row. Instants are asked for in their order.
func coverage(rows []job.Instants) func(time.Time) bool {
	i := 0
	return func(t time.Time) bool {
		for ; i < len(rows); i++ {
			last := rows[i].FireAt
			if rows[i].RangeTo != nil {
				last = *rows[i].RangeTo
			}
			if !last.Before(t) {
				return !rows[i].FireAt.After(t)
			}
		}
		return false
	}
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }
