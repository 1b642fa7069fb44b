package api_test

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/api"
	"github.com/gluewheel/gluewheel/admin/job"
)

func TestRuns_ListFiltersAndPages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mine, theirs := b.group("mine"), b.group("theirs")
	ann := b.user("ann", mine.ID)
	first, second := b.job(mine.ID, anyMap{"name": "first"}), b.job(theirs.ID)
	var ids []int64
	for range 3 {
		ids = append([]int64{b.run(first.ID).RunID}, ids...)
	}
	foreign := b.run(second.ID).RunID
	want[api.JobDeleted](b.admin.do("DELETE", fmt.Sprintf("/jobs/%d", second.ID), ""), 200) // cancels its run

	now, hour := time.Now().UTC(), time.Hour
	stamp := func(at time.Time) string { return url.QueryEscape(at.Format(time.RFC3339)) }
	for query, wanted := range map[string][]int64{
		"":                                            append([]int64{foreign}, ids...),
		"state=planned":                               ids,
		"state=cancelled":                             {foreign},
		"state=cancelled,planned":                     append([]int64{foreign}, ids...),
		"state=succeeded":                             nil,
		"cause=manual,retry":                          append([]int64{foreign}, ids...),
		"cause=schedule":                              nil,
		fmt.Sprint("job_id=", first.ID):               ids,
		fmt.Sprint("group_id=", theirs.ID):            {foreign},
		"from=" + stamp(now.Add(-hour)):               append([]int64{foreign}, ids...),
		"from=" + stamp(now.Add(hour)):                nil,
		"to=" + stamp(now.Add(-hour)):                 nil,
		"limit=1&state=planned":                       ids[:1],
		fmt.Sprint("cursor=", ids[1]):                 ids[2:],
		"cursor=9223372036854775807&limit=1":          {foreign},
		"sort=-fire_at":                               append([]int64{foreign}, ids...),
		"sort=fire_at":                                append(reversed(ids), foreign),
		"sort=fire_at&limit=2&state=planned":          reversed(ids)[:2],
		fmt.Sprintf("sort=fire_at&cursor=%d", ids[1]): {ids[0], foreign},
	} {
		page := get[api.List[api.Run]](b.admin, "/runs?"+query)
		var got []int64
		for _, r := range page.Items {
			got = append(got, r.ID)
		}
		require.Equal(t, wanted, got, query)
	}
	own := get[api.List[api.Run]](ann, "/runs")
	require.Equal(t, 3, own.Total)
	require.Equal(t, "first", own.Items[0].JobName)
	require.Equal(t, "mine", own.Items[0].AppName)
	require.Zero(t, get[api.List[api.Run]](ann, fmt.Sprint("/runs?group_id=", theirs.ID)).Total)

	b.admin.do("GET", "/runs?state=dreaming", "").refused(422, "query.state[0]")
	b.admin.do("GET", "/runs?cause=luck", "").refused(422, "query.cause[0]")
	b.admin.do("GET", "/runs?from=yesterday", "").refused(422, "query.from")
	b.admin.do("GET", "/runs?job_id=0", "").refused(422, "query.job_id")
	b.admin.do("GET", "/runs?sort=id", "").refused(422, "query.sort")
	b.admin.do("GET", "/runs/0", "").refused(422, "path.id")
	b.admin.do("GET", "/runs/99999999999999999999", "").refused(422, "path.id")
	b.admin.do("GET", "/runs/9007199254740991", "").refused(404, "")
}

func reversed(ids []int64) []int64 {
	out := slices.Clone(ids)
	slices.Reverse(out)
	return out
}

func TestRuns_KillAsksTheOthers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	run := b.run(b.job(b.group("billing").ID).ID).RunID
	r := want[api.Run](b.admin.do("POST", fmt.Sprintf("/runs/%d/kill", run), ""), 200)
	require.Equal(t, run, r.ID)
	require.Equal(t, []int64{run}, b.killed)
	b.end(run, job.Failed, nil)
	b.admin.do("POST", fmt.Sprintf("/runs/%d/kill", run), "").refused(409, "")
	require.Len(t, b.killed, 1)
}

// end claims a run for an executor and ends it.
func (b *bench) end(run int64, state job.State, tail *string) {
	b.t.Helper()
	ctx := b.t.Context()
	r, err := b.store.Run(ctx, run)
	require.NoError(b.t, err)
	j, err := b.store.Job(ctx, r.JobID)
	require.NoError(b.t, err)
	claimed, err := b.store.Claim(ctx, 1, 5*time.Second, []job.Claim{{RunID: run, JobID: r.JobID, Epoch: r.Epoch, JobVersion: j.Version, Address: "http://10.0.0.5:9999"}})
	require.NoError(b.t, err)
	require.True(b.t, claimed[0].Won())
	if state.Terminal() {
		_, err = b.store.End(ctx, []job.Ending{{Result: job.Result{RunID: run, State: state, Reason: job.ReasonHandlerFailed, LogTail: tail}}}, nil)
		require.NoError(b.t, err)
	}
}

func TestRunLog_ComesFromTheExecutorOrTheTail(t *testing.T) {
	t.Parallel()
	b := setup(t)
	j := b.job(b.group("billing").ID)
	log := func(run int64, from int) string { return fmt.Sprintf("/runs/%d/log?from_line=%d", run, from) }

	planned := b.run(j.ID).RunID
	require.False(t, get[api.RunLog](b.admin, log(planned, 1)).End)

	running := b.run(j.ID).RunID
	b.end(running, job.Running, nil)
	b.mu.Lock()
	b.logs[running] = job.LogPiece{FromLine: 3, ToLine: 4, Content: "three\nfour\n"}
	b.mu.Unlock()
	require.Equal(t, api.RunLog{FromLine: 3, ToLine: 4, Content: "three\nfour\n"}, get[api.RunLog](b.admin, log(running, 3)))
	b.admin.do("GET", log(running, 1), "").refused(502, "")
	b.admin.do("GET", log(running, 0), "").refused(422, "query.from_line")

	failed, tail := b.run(j.ID).RunID, "one\ntwo\nthree\n"
	b.end(failed, job.Failed, &tail)
	kept := get[api.RunLog](b.admin, log(failed, 2))
	require.Equal(t, "two\nthree", kept.Content)
	require.Equal(t, []int{2, 3}, []int{kept.FromLine, kept.ToLine})
	require.True(t, kept.End)
	require.NotEmpty(t, kept.Note)
	require.Empty(t, get[api.RunLog](b.admin, log(failed, 9)).Content)
	require.Equal(t, tail, *get[api.RunDetail](b.admin, fmt.Sprintf("/runs/%d", failed)).LogTail)
}

func TestSystem_TellsAboutItself(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := get[api.System](b.admin, "/system")
	require.Equal(t, "v1.2.3", s.Version)
	require.Equal(t, "UTC", s.TimeZone)
	require.Equal(t, 200, b.anonymous().do("GET", "/healthz", "").status)
	require.Equal(t, 200, b.anonymous().do("GET", "/readyz", "").status)
	b.mu.Lock()
	b.ready = errors.New("no lock for 10 s")
	b.mu.Unlock()
	b.anonymous().do("GET", "/readyz", "").refused(503, "")
}
