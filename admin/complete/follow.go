package complete

import (
	"slices"

	"github.com/gluewheel/gluewheel/admin/job"
)

// Follow says what comes after a run that ended.
//
// Failures and timeouts are retried while retries are left; lost runs only when the
// job is idempotent, since the code may have run. Kills and DISCARD_LATER are not
// retried (XXL-JOB retries both). Children fire on success, for every shard of a
// broadcast or once for all of them; a job that names itself as its child does not fire
// itself. A test-run causes nothing.
func Follow(e *job.Ended, rules *job.FollowRules) job.Follow {
	if e.IsTest {
		return job.Follow{}
	}
	if e.State == job.Succeeded {
		children := slices.Clone(rules.ChildJobIDs)
		slices.Sort(children)
		children = slices.Compact(children)
		return job.Follow{
			Children:   slices.DeleteFunc(children, func(id int32) bool { return id == e.JobID }),
			Together:   rules.ChildrenOnce && e.ShardTotal > 1,
			PassResult: rules.PassResult,
		}
	}
	if e.RetriesLeft <= 0 || !retried(e.State, rules.Idempotent) {
		return job.Follow{}
	}
	return job.Follow{Retry: true, RetryDelay: rules.After(e.RunID, e.Attempt)}
}

func retried(s job.State, idempotent bool) bool {
	switch s {
	case job.Failed, job.TimedOut:
		return true
	case job.Lost:
		return idempotent
	default:
		return false
	}
}
