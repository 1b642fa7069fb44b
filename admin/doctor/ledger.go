package doctor

import (
	"fmt"
	"slices"

	"github.com/gluewheel/gluewheel/admin/job"
)

// verdict is what a kind of suspect means.
type verdict struct {
	severity        Severity
	message, remedy string
}

// verdicts, by the suspect's name. The message is followed by the first of its kind.
var verdicts = map[string]verdict{
	job.SuspectDoubledRow: {
		Error, "An instant of a schedule has more than one row.",
		"Keep both rows for the report of a bug; see whether run_fire_key is there.",
	},
	job.SuspectDoubledFollow: {
		Error, "A run was followed by the same retry or child more than once.",
		"Keep the rows for the report of a bug.",
	},
	job.SuspectMissingRetry: {
		Error, "A run failed with retries left, and no retry was made.",
		"Trigger the job by hand; keep the row for the report of a bug.",
	},
	job.SuspectInconsistent: {
		Error, "The state, the outcome and the end of a row contradict each other.",
		"Somebody else has written to the ledger: only admins may.",
	},
	job.SuspectStuck: {
		Error, "A run is claimed or in doubt, its lease is over, and no admin has taken it up.",
		"See whether an admin is alive and its log free of errors; it takes such runs over within seconds.",
	},
	job.SuspectForgotten: {
		Error, "A run is called running at an executor that has been silent for long.",
		"Start the executor again, or kill the run in the web UI.",
	},
	job.SuspectOverdue: {
		Error, "A run is due and nobody has sent it.",
		"See whether an admin is alive, whether its pools are full (/metrics), and whether max_concurrent holds it back.",
	},
	job.SuspectPlanningBehind: {
		Error, "A started job's next fire is in the past: planning stands still.",
		"See whether an admin is alive and whether a session holds the lock row (pg_locks).",
	},
	job.SuspectLockRow: {
		Error, "Planning of a bucket stands still.",
		"An admin puts a missing lock row back by itself within a second: see whether one is alive.",
	},
	job.SuspectNoExecutor: {
		Warning, "Jobs are started, and no executor of their group is alive.",
		"Start an executor with that app name, and compare the token.",
	},
}

// suspects makes one finding of each kind.
func (r *Report) suspects(found []job.Suspect) {
	byCheck := map[string][]job.Suspect{}
	var order []string
	for _, s := range found {
		if byCheck[s.Check] == nil {
			order = append(order, s.Check)
		}
		byCheck[s.Check] = append(byCheck[s.Check], s)
	}
	for _, check := range order {
		list, v := byCheck[check], verdicts[check]
		f := Finding{Check: check, Severity: v.severity, Remedy: v.remedy}
		f.Message = fmt.Sprintf("%s First of %s: %s.", v.message, atLeast(len(list)), about(&list[0]))
		for _, s := range list {
			if s.RunID != 0 {
				f.Runs = append(f.Runs, s.RunID)
			}
			if s.JobID != 0 && !slices.Contains(f.Jobs, s.JobID) {
				f.Jobs = append(f.Jobs, s.JobID)
			}
		}
		r.Findings = append(r.Findings, f)
	}
}

// atLeast is a count that was cut at perCheck.
func atLeast(n int) string {
	if n >= perCheck {
		return fmt.Sprintf("%d or more", n)
	}
	return fmt.Sprint(n)
}

func about(s *job.Suspect) string {
	text := s.Detail
	if s.JobID != 0 {
		text = fmt.Sprintf("job %d, %s", s.JobID, text)
	}
	if s.RunID != 0 {
		text = fmt.Sprintf("run %d of %s", s.RunID, text)
	}
	return fmt.Sprintf("%s, %s", text, stamp(s.At))
}
