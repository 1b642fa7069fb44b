//go:build long

package interop

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestJava_MixedGroup has two generations of Java and our own executor in one group, as
// while a team moves over.
func TestJava_MixedGroup(t *testing.T) {
	older, newer := javaVersion("2.4.2"), javaVersion("3.4.2")
	older.require(t)
	if !newer.available(t) {
		t.Logf("NOT RUN: xxl-job-core %s: %s; 3.3.2 takes its place", newer.version, newer.absent)
		newer = javaVersion("3.3.2")
		newer.require(t)
	}
	admin, c := startAdminProcess(t)
	const app = "java-mixed"
	g := &mixed{day: day{rest: c, group: c.Group(app)}}
	ours := startOwn(t, c, admin.addr, app, g.group, freePort(t), token)
	first, second := startJava(t, c, older, admin.addr, app, g.group), startJava(t, c, newer, admin.addr, app, g.group)
	g.addresses = []string{first.url, second.url, ours.url}
	slices.Sort(g.addresses)

	for _, part := range []struct {
		name string
		run  func(*mixed, *testing.T)
	}{{"broadcast", (*mixed).broadcast}, {"round", (*mixed).round}, {"busyover", (*mixed).busyover}} {
		t.Run(part.name, func(t *testing.T) {
			part.run(&mixed{day{c.on(t), g.group}, g.addresses}, t)
		})
	}
	// The two Java executors alone, with their handlers.
	pair := []string{first.url, second.url}
	slices.Sort(pair)
	javas := c.Group("java-pair", pair...)
	t.Run("handlers in two shards", func(t *testing.T) {
		(&mixed{day{c.on(t), javas}, pair}).shards(t)
	})
	t.Run("fail-over", func(t *testing.T) {
		dead := map[string]*javaExecutor{first.url: first, second.url: second}[pair[0]]
		(&mixed{day{c.on(t), javas}, pair}).failOver(t, dead)
	})
}

// mixed is a group whose addresses are known, in the order of routing.
type mixed struct {
	day
	addresses []string
}

const whereAmI = "echo \"param $1 shard $2/$3\"\nsleep ${1:-0}\n"

func (g *mixed) broadcast(t *testing.T) {
	j := g.job(g.group, "broadcast", map[string]any{"glue_type": "GLUE_SHELL", "handler": "", "route_strategy": "SHARDING_BROADCAST", "param": "0"})
	g.Publish(j, whereAmI, 0)
	g.Trigger(j, map[string]any{})
	shards := g.shardsOf(j, len(g.addresses))
	for i, r := range shards {
		require.Equal(t, "succeeded", r.State, r.Message)
		require.Equal(t, g.addresses[i], r.Address)
		require.Contains(t, g.log(r.ID, 1).Content, fmt.Sprintf("param 0 shard %d/%d", i, len(g.addresses)))
	}
}

// shardsOf waits until a broadcast's n shards have ended and gives them in their order.
func (g *mixed) shardsOf(j int32, n int) []run {
	g.T.Helper()
	var shards []run
	eventually(g.T, 20*time.Second, func() bool {
		shards = slices.DeleteFunc(g.runs(j), func(r run) bool { return r.Shard < 0 || !r.Ended() })
		return len(shards) >= n
	}, "%d shards end", n)
	require.Len(g.T, shards, n)
	slices.SortFunc(shards, func(a, b run) int { return a.Shard - b.Shard })
	return shards
}

func (g *mixed) shards(t *testing.T) {
	j := g.job(g.group, "shards", map[string]any{"handler": "echoJobHandler", "route_strategy": "SHARDING_BROADCAST", "param": "x"})
	g.Trigger(j, map[string]any{})
	for i, r := range g.shardsOf(j, 2) {
		require.Equal(t, "succeeded echo x", r.State+" "+r.Message)
		require.Equal(t, g.addresses[i], r.Address)
		require.Contains(t, g.log(r.ID, 1).Content, fmt.Sprintf("param=x shard=%d/2", i))
	}
}

func (g *mixed) round(t *testing.T) {
	j := g.job(g.group, "round", map[string]any{"glue_type": "GLUE_SHELL", "handler": "", "route_strategy": "ROUND"})
	g.Publish(j, whereAmI, 0)
	var at []string
	for range 2 * len(g.addresses) {
		r := g.succeeds(j, map[string]any{"param": "0"})
		at = append(at, r.Address)
	}
	for i, address := range at {
		require.Equal(t, at[i%len(g.addresses)], address, "%v", at)
	}
	slices.Sort(at)
	require.Equal(t, g.addresses, slices.Compact(at))
}

func (g *mixed) busyover(t *testing.T) {
	j := g.job(g.group, "busyover", map[string]any{"glue_type": "GLUE_SHELL", "handler": "", "route_strategy": "BUSYOVER"})
	g.Publish(j, whereAmI, 0)
	var at []string
	var ids []int64
	for range g.addresses {
		id := g.Trigger(j, map[string]any{"param": "5"})
		at = append(at, g.reaches(id, "running", 10*time.Second).Address)
		ids = append(ids, id)
	}
	require.Equal(t, g.addresses, at, "each goes to the first that is not busy")
	for _, id := range ids {
		require.Equal(t, "succeeded", g.ended(id, 20*time.Second).State)
	}
}

func (g *mixed) failOver(t *testing.T, dead *javaExecutor) {
	over := g.job(g.group, "failover", map[string]any{"handler": "echoJobHandler", "route_strategy": "FAILOVER", "param": "x"})
	first := g.job(g.group, "first", map[string]any{"handler": "echoJobHandler", "route_strategy": "FIRST", "param": "x"})
	require.Equal(t, g.addresses[0], g.succeeds(over, map[string]any{}).Address)
	dead.end(syscall.SIGKILL)
	require.Equal(t, g.addresses[1], g.succeeds(over, map[string]any{}).Address)
	r := g.ended(g.Trigger(first, map[string]any{}), 10*time.Second)
	require.Equal(t, "failed unreachable", r.State+" "+r.Reason)
	require.True(t, strings.HasPrefix(r.Message, "The executor could not be reached: "), r.Message)
}
