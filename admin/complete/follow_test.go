package complete

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

func TestFollow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		ended job.Ended
		rules job.FollowRules
		want  job.Follow
	}{
		{"failure", job.Ended{State: job.Failed, RetriesLeft: 1}, job.FollowRules{}, job.Follow{Retry: true}},
		{"failure, no retries left", job.Ended{State: job.Failed}, job.FollowRules{}, job.Follow{}},
		{"timeout", job.Ended{State: job.TimedOut, RetriesLeft: 1}, job.FollowRules{}, job.Follow{Retry: true}},
		{"kill", job.Ended{State: job.Killed, RetriesLeft: 1}, job.FollowRules{}, job.Follow{}},
		{"discarded", job.Ended{State: job.Discarded, RetriesLeft: 1}, job.FollowRules{}, job.Follow{}},
		{"lost", job.Ended{State: job.Lost, RetriesLeft: 1}, job.FollowRules{}, job.Follow{}},
		{"lost, idempotent", job.Ended{State: job.Lost, RetriesLeft: 1}, job.FollowRules{Idempotent: true}, job.Follow{Retry: true}},
		{
			"third retry backs off",
			job.Ended{State: job.Failed, RetriesLeft: 1, Attempt: 2},
			job.FollowRules{RetryPause: job.RetryPause{DelayS: 5, Backoff: job.RetryExponential}},
			job.Follow{Retry: true, RetryDelay: 20 * time.Second},
		},
		{
			"children, sorted, not itself",
			job.Ended{State: job.Succeeded, JobID: 2, ShardTotal: 1},
			job.FollowRules{ChildJobIDs: []int32{3, 2, 1, 3}},
			job.Follow{Children: []int32{1, 3}},
		},
		{"no children of a failure", job.Ended{State: job.Failed}, job.FollowRules{ChildJobIDs: []int32{1}}, job.Follow{}},
		{
			"with the result",
			job.Ended{State: job.Succeeded, ShardTotal: 1},
			job.FollowRules{ChildJobIDs: []int32{1}, PassResult: true},
			job.Follow{Children: []int32{1}, PassResult: true},
		},
		{
			"of each shard",
			job.Ended{State: job.Succeeded, ShardTotal: 2},
			job.FollowRules{ChildJobIDs: []int32{1}},
			job.Follow{Children: []int32{1}},
		},
		{
			"of all shards together",
			job.Ended{State: job.Succeeded, ShardTotal: 2},
			job.FollowRules{ChildJobIDs: []int32{1}, ChildrenOnce: true},
			job.Follow{Children: []int32{1}, Together: true},
		},
		{
			"a single shard is all of them",
			job.Ended{State: job.Succeeded, ShardTotal: 1},
			job.FollowRules{ChildJobIDs: []int32{1}, ChildrenOnce: true},
			job.Follow{Children: []int32{1}},
		},
		{
			"a test-run",
			job.Ended{State: job.Succeeded, IsTest: true, RetriesLeft: 1},
			job.FollowRules{ChildJobIDs: []int32{1}},
			job.Follow{},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := Follow(&c.ended, &c.rules)
			if len(got.Children) == 0 {
				got.Children = nil
			}
			require.Equal(t, c.want, got)
		})
	}
}
