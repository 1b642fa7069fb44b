package dispatch

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
	"github.com/gluewheel/gluewheel/glue"
)

// send dispatches one run and waits until it was sent.
func (b *bundle) send1(t *testing.T, edit ...func(*job.Job)) job.Fire {
	t.Helper()
	f := b.trigger(t, b.job(t, edit...))
	run(t, b.Dispatcher)
	b.Dispatch([]job.Fire{f})
	eventually(t, "sent", func() bool { return b.peer.count(f.RunID) > 0 })
	return f
}

// firstUnanswered gives no answer to the first request of each run.
func firstUnanswered(then job.Outcome) func(string, int64, int) job.Outcome {
	return func(_ string, _ int64, nth int) job.Outcome {
		if nth == 1 {
			return noAnswer
		}
		return then
	}
}

var (
	logExists = func(int64) (job.LogPiece, error) { return job.LogPiece{FromLine: 1, ToLine: 1, Content: "x\n"}, nil }
	logAbsent = func(int64) (job.LogPiece, error) {
		return job.LogPiece{Content: protocol.MsgNoLogFile, End: true}, nil
	}
	logOfGoClient = func(int64) (job.LogPiece, error) {
		return job.LogPiece{FromLine: 1, ToLine: 2, Content: "default log", End: true}, nil
	}
)

func TestUnknown_OursIsAskedAgainUntilItAnswers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.peer.answer = func(_ string, _ int64, nth int) job.Outcome {
		return []job.Outcome{noAnswer, unreachable, noAnswer, {Verdict: job.Accepted, Code: 200, Repeat: true}}[min(nth-1, 3)]
	}
	f := b.send1(t)
	eventually(t, "unknown", func() bool { return b.row(t, f.RunID).State == job.Unknown })
	require.Equal(t, job.ReasonNoAnswer, b.row(t, f.RunID).Reason)
	eventually(t, "accepted", func() bool { return b.ends.has(f.RunID) })
	require.Equal(t, 4, b.peer.count(f.RunID))
	_, ended := b.ends.end(f.RunID)
	require.False(t, ended, "never called failed")
}

func TestUnknown_ForeignWithALogIsRunning(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.hosts.set(foreignAt)
	b.peer.answer, b.peer.log = firstUnanswered(accepted), logExists
	f := b.send1(t)
	eventually(t, "running", func() bool { return b.ends.has(f.RunID) })
	require.Equal(t, 1, b.peer.count(f.RunID), "never sent again")
}

func TestUnknown_ForeignWithoutALogIsSentOnceMore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.hosts.set(foreignAt)
	b.peer.answer, b.peer.log = firstUnanswered(accepted), logAbsent
	f := b.send1(t)
	eventually(t, "accepted", func() bool { return b.ends.has(f.RunID) })
	require.Equal(t, 2, b.peer.count(f.RunID))
	require.True(t, b.row(t, f.RunID).Resent)
}

func TestUnknown_ForeignIsNeverSentAThirdTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.hosts.set(foreignAt)
	asked := make(chan struct{}, 100)
	b.peer.answer = func(string, int64, int) job.Outcome { return noAnswer }
	b.peer.log = func(id int64) (job.LogPiece, error) {
		asked <- struct{}{}
		return logAbsent(id)
	}
	f := b.trigger(t, b.job(t))
	stop := run(t, b.Dispatcher)
	b.Dispatch([]job.Fire{f})
	eventually(t, "sent again", func() bool { return b.peer.count(f.RunID) == 2 })
	<-asked

	// Nor by an admin that takes it over.
	stop()
	b.exec(t, `UPDATE run SET epoch = epoch + 1, lease_until = clock_timestamp() - interval '1 s'`)
	run(t, b.another(t, 2))
	eventually(t, "taken over", func() bool { return b.row(t, f.RunID).Owner == 2 })
	for range 2 {
		<-asked
	}
	require.Equal(t, 2, b.peer.count(f.RunID))
}

func TestUnknown_ForeignThatCannotTellIsLeftToItsCallback(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.hosts.set(foreignAt)
	b.peer.answer, b.peer.log = firstUnanswered(accepted), logOfGoClient
	f := b.send1(t)
	eventually(t, "parked", func() bool {
		var parked bool
		err := b.sql.QueryRow(t.Context(), `SELECT state = 4 AND lease_until IS NULL FROM run WHERE id = $1`, f.RunID).Scan(&parked)
		return err == nil && parked
	})
	require.Equal(t, 1, b.peer.count(f.RunID))
	require.False(t, b.ends.has(f.RunID))
}

func TestUnknown_WaitsForAForeignExecutorThatIsAway(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.hosts.set(foreignAt)
	b.peer.answer = firstUnanswered(accepted)
	tries := 0
	b.peer.log = func(id int64) (job.LogPiece, error) {
		if tries++; tries < 3 {
			return job.LogPiece{}, errors.New("refused")
		}
		return logExists(id)
	}
	f := b.send1(t)
	eventually(t, "running", func() bool { return b.ends.has(f.RunID) })
	require.Equal(t, 1, b.peer.count(f.RunID))
}

func TestUnknown_ARefusalEndsIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.peer.answer = firstUnanswered(job.Outcome{Verdict: job.Refused, Code: 500, Text: "job handler [demo] not found."})
	f := b.send1(t)
	var e job.Ending
	eventually(t, "end", func() (ok bool) { e, ok = b.ends.end(f.RunID); return ok })
	require.Equal(t, job.ReasonHandlerNotFound, e.Reason)
}

func TestUnknown_OnlyIdempotentRunsGoElsewhere(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.peer.answer = firstUnanswered(unreachable)
	e := &entry{Claimed: job.Claimed{RunID: 1 << 40}, job: &job.Job{}, doubt: &doubt{misses: resendPatience}}
	require.False(t, b.failOver(e))
	e.job.Idempotent = true
	require.True(t, b.failOver(e))
	e.doubt.misses--
	require.False(t, b.failOver(e))
}

// An admin dies after its claim: another asks the executor, and nothing runs twice.
func TestTakeOver_ResolvesWhatADeadAdminClaimed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	j := b.job(t)
	f := b.trigger(t, j)
	claims := []job.Claim{{RunID: f.RunID, JobID: j.ID, JobVersion: j.Version, Address: oursAt}}
	_, err := b.store.Claim(t.Context(), 99, 10*time.Millisecond, claims)
	require.NoError(t, err)
	run(t, b.Dispatcher)
	eventually(t, "accepted", func() bool { return b.ends.has(f.RunID) })
	require.Equal(t, row{State: job.Unknown, Reason: job.ReasonTakenOver, Address: oursAt, Owner: 1, Epoch: 2}, b.row(t, f.RunID))
	require.Equal(t, int32(2), b.peer.trigger(f.RunID).Gluewheel.Epoch)
}

// What a dead admin claimed is sent as it was claimed, whatever was edited and published
// since; and what is claimed afterwards is sent as it is now.
func TestTakeOver_SendsWhatWasClaimed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	j := b.job(t, func(j *job.Job) { j.GlueType, j.Handler, j.Param, j.TimeoutS = glue.Lua, "", "old", 7 })
	const publish = `WITH v AS (INSERT INTO glue_version (job_id, number, glue_type, source, digest, remark, author)
			VALUES ($1, $2, 'GLUE_LUA', $3, 'sha256:' || $3, 'text', 'a'))
		UPDATE job SET glue_version = $2, version = version + 1 WHERE id = $1`
	b.exec(t, publish, j.ID, 1, "return 1")
	j.Version++
	f := b.trigger(t, j)
	claims := []job.Claim{{RunID: f.RunID, JobID: j.ID, JobVersion: j.Version, Address: oursAt}}
	won, err := b.store.Claim(t.Context(), 99, 10*time.Millisecond, claims)
	require.NoError(t, err)
	require.Len(t, won, 1)

	edit := j
	for i, param := range []string{"newer", "newest"} {
		b.exec(t, publish, j.ID, i+2, "return 2")
		edit.Version++
		edit.Param, edit.TimeoutS, edit.BlockStrategy = param, 9, protocol.BlockCover
		w, err := b.store.UpdateJob(t.Context(), edit, nil)
		require.NoError(t, err)
		edit.Version = w.Version
	}
	later := b.trigger(t, j)
	run(t, b.Dispatcher)
	eventually(t, "taken over", func() bool { return b.ends.has(f.RunID) })
	sent := b.peer.trigger(f.RunID)
	require.Equal(t, "return 1", sent.GlueSource)
	require.Equal(t, int32(1), sent.Gluewheel.Version)
	require.Equal(t, "sha256:return 1", sent.Gluewheel.Digest)
	require.Equal(t, "old", sent.ExecutorParams)
	require.Equal(t, protocol.Int(7), sent.TimeoutS)
	require.Equal(t, protocol.BlockSerial, sent.BlockStrategy)

	b.Dispatch([]job.Fire{later})
	eventually(t, "claimed afterwards", func() bool { return b.ends.has(later.RunID) })
	require.Equal(t, "newest", b.peer.trigger(later.RunID).ExecutorParams)
	require.Equal(t, "return 2", b.peer.trigger(later.RunID).GlueSource)
}

// A claim without an address was made to end the run; its admin died before it did.
func TestTakeOver_EndsWhatHadNowhereToGo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	j := b.job(t)
	f := b.trigger(t, j)
	_, err := b.store.Claim(t.Context(), 99, 10*time.Millisecond, []job.Claim{{RunID: f.RunID, JobID: j.ID, JobVersion: j.Version}})
	require.NoError(t, err)
	run(t, b.Dispatcher)
	var e job.Ending
	eventually(t, "end", func() (ok bool) { e, ok = b.ends.end(f.RunID); return ok })
	require.Equal(t, job.ReasonNoExecutor, e.Reason)
	require.Equal(t, int32(2), e.Epoch)
	require.Zero(t, b.peer.count(f.RunID))
}

func TestUnknown_AResultThatCameMeanwhileStands(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.hosts.set(foreignAt)
	b.peer.answer = func(_ string, id int64, _ int) job.Outcome {
		_, err := b.store.End(t.Context(), []job.Ending{{Result: job.Result{RunID: id, State: job.Succeeded, Code: 200}}},
			func(*job.Ended, *job.FollowRules) job.Follow { return job.Follow{} })
		if err != nil {
			t.Errorf("end: %v", err)
		}
		return noAnswer
	}
	f := b.send1(t)
	eventually(t, "no longer held", func() bool {
		b.held.mu.Lock()
		defer b.held.mu.Unlock()
		return len(b.held.entries) == 0
	})
	require.Equal(t, job.Succeeded, b.row(t, f.RunID).State)
	require.Equal(t, 1, b.peer.count(f.RunID))
}

func TestResolver_PausesGrowUpToABound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r resolver
		r.init()
		e := &entry{doubt: &doubt{}}
		var pauses []time.Duration
		for range 7 {
			now := time.Now()
			r.later(e, now)
			entries, wait := r.due(now)
			require.Empty(t, entries)
			pauses = append(pauses, wait)
			time.Sleep(wait)
			entries, _ = r.due(time.Now())
			require.Len(t, entries, 1)
		}
		const ms = time.Millisecond
		require.Equal(t, []time.Duration{500 * ms, 1000 * ms, 2000 * ms, 4000 * ms, 8000 * ms, 8000 * ms, 8000 * ms}, pauses)
	})
}
