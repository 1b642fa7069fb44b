package store_test

import (
	_ "embed"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/auth"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/store/storetest"
	"github.com/gluewheel/gluewheel/glue"
)

//go:embed testdata/first_schema.sql
var firstSchema string

// installation is one of the data sets of firstSchema.
type installation struct {
	*fixture
	n int32
}

func (i installation) id(k int32) int32 { return i.n*100 + k }

// runID is what the data set calls its k-th run.
func (i installation) runID(t *testing.T, k int64) (id int64) {
	t.Helper()
	sql := `SELECT id FROM run WHERE job_id = $1 AND id & ((1::bigint << 39) - 1) = $2`
	require.NoError(t, i.sql.QueryRow(t.Context(), sql, i.id(1), int64(i.n)*100_000_000+k).Scan(&id))
	return id
}

// install writes a data set as the program of the first schema did.
func (f *fixture) install(t *testing.T, n int32) installation {
	t.Helper()
	f.exec(t, strings.ReplaceAll(firstSchema, "{n}", fmt.Sprint(n)))
	return installation{f, n}
}

// before is a database with the schema of a version of before.
func before(t *testing.T, version int64) *fixture {
	t.Helper()
	url := storetest.EmptyURL(t)
	f := &fixture{url: url, store: storetest.Open(t, url), sql: connect(t, url)}
	require.NoError(t, f.store.MigrateTo(t.Context(), version))
	require.NoError(t, f.store.KeepPartitions(t.Context()))
	return f
}

// TestMigrate_DataOfTheFirstSchemaGoesOn migrates one data set, and has an admin of before
// write another to the schema of today, as in a rolling restart.
func TestMigrate_DataOfTheFirstSchemaGoesOn(t *testing.T) {
	t.Parallel()
	f := before(t, 1)
	f.install(t, 1)
	require.NoError(t, f.store.Migrate(t.Context()))
	f.install(t, 2)
	var err error
	f.node, err = f.store.RegisterNode(t.Context(), "test")
	require.NoError(t, err)
	taken, err := f.store.TakeOver(t.Context(), f.node, lease, time.Hour, 10)
	require.NoError(t, err)
	require.Len(t, taken, 2)
	planned := map[int32]bool{}
	for _, fire := range f.plan(t, 5*time.Second).Fires {
		planned[fire.JobID] = true
	}
	for n := range int32(2) {
		i := installation{f, n + 1}
		t.Run(fmt.Sprintf("installation %d", i.n), func(t *testing.T) {
			require.True(t, planned[i.id(1)], "its schedule goes on")
			i.jobsMeanTheSame(t)
			i.codeRuns(t)
			i.runsGoOn(t)
			i.historyIsThere(t)
		})
	}
}

func (i installation) jobsMeanTheSame(t *testing.T) {
	t.Helper()
	j := i.read(t, i.id(1))
	require.True(t, j.Enabled)
	require.Equal(t, []any{job.DSTXXL, job.RetryFixed, int32(0), false, false, false},
		[]any{j.DSTPolicy, j.RetryBackoff, j.MaxConcurrent, j.DiscardIsFailure, j.ChildrenOnce, j.PassResult})
	require.Nil(t, j.ValidFrom)
	require.Empty(t, j.Tags)
	everywhere := i.read(t, i.id(3))
	require.Equal(t, []int32{i.id(1)}, everywhere.ChildJobIDs)
	g, err := i.store.Group(t.Context(), i.id(2))
	require.NoError(t, err)
	require.False(t, g.RequireReview)
	require.Equal(t, []string{"http://10.0.0.9:9999"}, g.AddressList)
	all, err := i.store.Executors(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 2)

	w, err := i.store.UpdateJob(t.Context(), j, nextSecond)
	require.NoError(t, err)
	require.Equal(t, j.Version+1, w.Version)
}

// codeRuns wants each version of before to have been live, and to be there to run again.
func (i installation) codeRuns(t *testing.T) {
	t.Helper()
	second, err := i.store.Version(t.Context(), i.id(1), 2)
	require.NoError(t, err)
	require.Equal(t, glue.ReviewNone, second.Review)
	require.Equal(t, []string{"KEY"}, second.Manifest.Secrets)
	if i.n == 1 { // what is written now by an admin of before, the migration has not seen
		require.Equal(t, int32(1), second.BaseVersion)
	}
	j := i.read(t, i.id(1))
	old := i.trigger(t, j, 1, chosen(1))
	won, err := i.store.Claim(t.Context(), i.node, lease, claims(j, old))
	require.NoError(t, err)
	require.Equal(t, int32(1), won[0].GlueVersion)
	_, err = i.store.RollbackVersion(t.Context(), job.Rollback{JobID: j.ID, Number: 1, BaseVersion: 2, Remark: "better", Author: "ann"})
	require.NoError(t, err)

	module, err := i.store.Version(t.Context(), i.id(2), 1)
	require.NoError(t, err)
	content, err := i.store.ArtifactContent(t.Context(), *module.Artifact)
	require.NoError(t, err)
	require.Equal(t, glue.Digest(content), *module.Artifact)
	seen, err := i.store.Artifact(t.Context(), *module.Artifact, job.ArtifactFilter{GroupIDs: []int32{i.id(1)}})
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf("root-%d", i.n), seen.CreatedBy)
}

// runsGoOn ends what was open, whoever had it.
func (i installation) runsGoOn(t *testing.T) {
	t.Helper()
	j := i.read(t, i.id(1))
	planned := job.Fire{RunID: i.runID(t, 1), JobID: j.ID}
	won, err := i.store.Claim(t.Context(), i.node, lease, claims(j, []job.Fire{planned}))
	require.NoError(t, err)
	require.True(t, won[0].Won())
	require.Equal(t, job.Unknown, i.run(t, i.runID(t, 2)).State, "its admin is gone")
	ends := i.end(t, result(planned.RunID, job.Failed), result(i.runID(t, 2), job.Succeeded), result(i.runID(t, 3), job.Succeeded))
	require.Len(t, ends.Ended, 3)
	require.Len(t, ends.Fires, 1)
	require.Nil(t, i.run(t, ends.Fires[0].RunID).VersionPin, "the retry runs what is live")
	everywhere := i.read(t, i.id(3))
	parent := i.trigger(t, everywhere, 1)[0]
	shards, err := i.store.ExpandBroadcast(t.Context(), i.node, lease, []job.Expansion{
		{RunID: parent.RunID, JobID: everywhere.ID, JobVersion: everywhere.Version, Addresses: []string{"http://a", "http://b"}},
	})
	require.NoError(t, err)
	require.Len(t, shards, 2)
	require.Equal(t, i.id(1), i.end(t, result(shards[0].RunID, job.Succeeded)).Fires[0].JobID)
}

func (i installation) historyIsThere(t *testing.T) {
	t.Helper()
	failed, err := i.store.Run(t.Context(), i.runID(t, 5))
	require.NoError(t, err)
	require.Equal(t, []any{job.Failed, "one\ntwo\n", "nightly", fmt.Sprintf("app-%d", i.n), int32(2)},
		[]any{*failed.Outcome, *failed.LogTail, failed.JobName, failed.AppName, failed.GlueVersion})
	require.Nil(t, failed.Route)
	require.Nil(t, failed.Usage)
	page, err := i.store.Runs(t.Context(), job.RunFilter{GroupIDs: []int32{i.id(1)}, States: []job.State{job.Misfired}}, job.Paging{Limit: 10})
	require.NoError(t, err)
	require.Len(t, page.Items, 1)
	require.Equal(t, int32(7), page.Items[0].RangeCount)
	_, err = i.store.Tally(t.Context())
	require.NoError(t, err)
	counts, err := i.store.VersionCounts(t.Context(), i.id(1))
	require.NoError(t, err)
	require.Contains(t, counts, job.VersionCount{Number: 2, Runs: 4, Failures: 1}, "two of before, and two that were open")
}

func TestMigrate_UsersOfBeforeGoOn(t *testing.T) {
	t.Parallel()
	f := before(t, 5)
	f.install(t, 1)
	require.NoError(t, f.store.Migrate(t.Context()))
	accounts, err := auth.New(t.Context(), f.store)
	require.NoError(t, err)
	from := auth.Client{Addr: netip.MustParseAddr("192.0.2.1")}
	login := func(name string) auth.Identity {
		t.Helper()
		id, cookie, err := accounts.Login(t.Context(), name, "an old password", from)
		require.NoError(t, err)
		require.NotEmpty(t, cookie)
		return id
	}
	_, _, err = accounts.Login(t.Context(), "ann-1", "another password", from)
	require.ErrorIs(t, err, auth.ErrWrongLogin)
	require.True(t, login("root-1").Admin())
	require.Empty(t, login("nobody-1").Grants)
	ann, err := accounts.Authenticate(t.Context(), "cookie 1")
	require.NoError(t, err, "whoever was logged in still is")
	require.Equal(t, []job.Grant{{GroupID: 101, Role: job.GroupPublisher}}, ann.Grants, "and not of a group that is gone")
	for right, may := range map[auth.Right]bool{
		auth.JobView: true, auth.JobOperate: true, auth.JobEdit: true, auth.GluePublish: true,
		auth.GroupEdit: false, auth.SecretEdit: false, auth.UserView: false, auth.SystemAdmin: false,
	} {
		require.Equal(t, may, ann.May(right, 101), right)
	}
	sessions, err := accounts.Sessions(t.Context(), ann.UserID, "cookie 1")
	require.NoError(t, err)
	require.NotEmpty(t, sessions)
	hers := from
	hers.Session = "cookie 1"
	_, err = accounts.ChangePassword(t.Context(), ann, "an old password", "a new password", hers)
	require.NoError(t, err)
	_, _, err = accounts.Login(t.Context(), "ann-1", "a new password", from)
	require.NoError(t, err)
}

// TestMigrate_DownAndUpAgain goes back with data in each table of the first schema.
func TestMigrate_DownAndUpAgain(t *testing.T) {
	t.Parallel()
	f := before(t, 1)
	f.install(t, 1)
	contents := func() (out []string) {
		t.Helper()
		for _, columns := range []string{
			"id, app_name, address_list FROM job_group", "id, name, glue_version, child_job_ids, enabled FROM job",
			"job_id, number, source, manifest FROM glue_version", "digest, content FROM artifact",
			"id, state, outcome, reason, address, log_tail FROM run", "app_name, address FROM executor_node",
			"id, username, password_hash, role FROM user_account", "token_hash, user_id FROM session",
		} {
			var text string
			sql := fmt.Sprintf(`SELECT string_agg(t::text, E'\n' ORDER BY t::text) FROM (SELECT %s) AS t`, columns)
			require.NoError(t, f.sql.QueryRow(t.Context(), sql).Scan(&text))
			out = append(out, text)
		}
		return out
	}
	was := contents()
	for range 2 {
		require.NoError(t, f.store.Migrate(t.Context()))
		require.Equal(t, was, contents())
		require.NoError(t, f.store.MigrateTo(t.Context(), 1))
		require.Equal(t, was, contents())
	}
	var groups []int32
	require.NoError(t, f.sql.QueryRow(t.Context(), `SELECT group_ids FROM user_account WHERE username = 'ann-1'`).Scan(&groups))
	require.Equal(t, []int32{101}, groups)
}
