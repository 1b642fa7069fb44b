package registry

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

// fakeAccess knows the groups 1 (app) and 2 (other), and 3 (locked) whose token cannot
// be read.
type fakeAccess struct{}

var fakeApps = map[int32]string{1: "app", 2: "other", 3: "locked"}

func (fakeAccess) App(group int32) string { return fakeApps[group] }

func (fakeAccess) Group(app string) int32 {
	for id, name := range fakeApps {
		if name == app {
			return id
		}
	}
	return 0
}

// Sent names the group, and the token that was registered with.
func (fakeAccess) Sent(group int32, registered *int32) (string, bool) {
	if group == 3 {
		return "", false
	}
	if registered == nil {
		return fmt.Sprintf("group %d", group), true
	}
	return fmt.Sprintf("group %d, token %d", group, *registered), true
}

func TestTarget_TellsWhatIsSent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := start(t)
		shared := job.Beat{AppName: "app", Address: "http://shared:1/", Dialect: job.DialectA, TokenID: 7}
		require.NoError(t, b.Registry.Beat(shared))
		time.Sleep(time.Second)
		shared.AppName, shared.Dialect, shared.TokenID = "other", job.DialectC, 8
		require.NoError(t, b.Registry.Beat(shared))
		require.NoError(t, b.Registry.Beat(job.Beat{AppName: "other", Address: "http://alone:1", Dialect: job.DialectB, TokenID: 9}))
		time.Sleep(time.Second)
		for _, c := range []struct {
			group   int32
			address string
			want    job.Target
		}{
			{1, "http://shared:1", job.Target{AppName: "app", Dialect: job.DialectA, Token: "group 1, token 7"}},
			{2, "http://shared:1", job.Target{AppName: "other", Dialect: job.DialectC, Token: "group 2, token 8"}},
			{1, "http://alone:1", job.Target{AppName: "other", Dialect: job.DialectB, Token: "group 1"}},
			{1, "http://nobody:1", job.Target{AppName: "app", Token: "group 1"}},
			{3, "http://nobody:1", job.Target{AppName: "locked", Tokenless: true}},
		} {
			c.want.Address = c.address
			require.Equal(t, c.want, b.Target(c.group, c.address))
		}
	})
}

func TestBeat_ARestrictedSenderTakesNobodysAddress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := start(t)
		require.NoError(t, b.Registry.Beat(java))
		time.Sleep(time.Second)
		thief := job.Beat{AppName: "other", Address: java.Address + "/", Restricted: true}
		require.ErrorIs(t, b.Registry.Beat(thief), ErrTaken)
		own := java
		own.Restricted = true
		require.NoError(t, b.Registry.Beat(own))
		time.Sleep(protocol.DeadAfter + time.Minute)
		require.NoError(t, b.Registry.Beat(thief), "nobody has it any more")
	})
}

func TestBeat_WaitingAppsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := start(t)
		beat := func(n int) job.Beat {
			return job.Beat{AppName: fmt.Sprintf("newcomer-%d", n), Address: "http://e:1"}
		}
		for n := range 2 * job.MaxWaiting {
			require.NoError(t, b.Registry.Beat(beat(n)))
			if n%100 == 0 {
				time.Sleep(time.Second)
			}
		}
		time.Sleep(time.Second)
		require.Len(t, b.Executors(), job.MaxWaiting)
		require.NoError(t, b.Registry.Beat(java))
		require.NoError(t, b.Registry.Beat(beat(0)), "one that is known already")
		time.Sleep(time.Second)
		require.Len(t, b.Executors(), job.MaxWaiting+1, "groups are served all the same")
	})
}

func TestLost_AnExecutorThatRefusesTheTokenIsThere(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		protocol.MsgBadToken: true,
		"invalid request, accessToken or appname invalid.":  true,
		"invalid request, accessToken or appname is empty.": true,
		"HTTP status 404": false,
	} {
		require.Equal(t, want, there(job.Outcome{Verdict: job.Refused, Text: text}), text)
	}
	require.True(t, there(job.Outcome{Verdict: job.Accepted}))
	require.False(t, there(job.Outcome{Verdict: job.NoAnswer}))
}
