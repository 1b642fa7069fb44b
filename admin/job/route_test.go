package job_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

func TestRoute_HasACodeForEachStrategy(t *testing.T) {
	t.Parallel()
	seen := map[job.RouteCode]bool{job.RouteCodeOnly: true, job.RouteCodeShardGone: true}
	for _, s := range job.RouteStrategies() {
		seen[(&job.Route{Strategy: s, Candidates: 3}).Code()] = true
	}
	for _, code := range job.RouteCodes() {
		require.True(t, seen[code], code)
	}
	require.Len(t, seen, len(job.RouteCodes()))
	for _, c := range []struct {
		route job.Route
		want  job.RouteCode
	}{
		{job.Route{Strategy: job.RouteRound, Candidates: 1}, job.RouteCodeOnly},
		{job.Route{Strategy: job.RouteFailover, Candidates: 1}, job.RouteCodeOnly},
		{job.Route{Strategy: job.RouteBroadcast, Candidates: 1}, job.RouteCodeShard},
		{job.Route{Strategy: job.RouteBroadcast, Candidates: 1, Gone: true}, job.RouteCodeShardGone},
		{job.Route{Strategy: "OF_A_LATER_RELEASE", Candidates: 2}, job.RouteCodeRandom},
	} {
		require.Equal(t, c.want, c.route.Code(), "%+v", c.route)
	}
}

func TestRoute_KeepsFewAndShortAnswers(t *testing.T) {
	t.Parallel()
	var r job.Route
	for i := range 12 {
		r.Pass(fmt.Sprint(i), errors.New("a"+strings.Repeat("忙", 1000)+"\xff"))
	}
	require.Equal(t, int32(12), r.PassedTotal)
	require.Len(t, r.Passed, 5)
	require.Equal(t, "4", r.Passed[4].Address)
	require.LessOrEqual(t, len(r.Passed[0].Answer), 200)
	require.True(t, utf8.ValidString(r.Passed[0].Answer))
}

func TestRoute_KeepsItsTextShort(t *testing.T) {
	t.Parallel()
	failover := job.Route{Strategy: job.RouteFailover, Candidates: 4, Place: 3, PassedTotal: 2}
	failover.Passed = []job.Passed{{Address: "http://a b", Answer: "no \"\u2028\" \x01"}, {Address: "http://c", Answer: ""}}
	for text, route := range map[string]job.Route{
		"first 1/1":       {Strategy: job.RouteFirst, Candidates: 1, Place: 1},
		"lfu 12/30 41":    {Strategy: job.RouteLFU, Candidates: 30, Place: 12, Uses: 41},
		"lru 2/3":         {Strategy: job.RouteLRU, Candidates: 3, Place: 2},
		"shard 1/3 gone":  {Strategy: job.RouteBroadcast, Candidates: 3, Place: 1, Gone: true},
		"busyover 2/2 1":  {Strategy: job.RouteBusyover, Candidates: 2, Place: 2, Uses: 1}, // of another release
		"OF_A_LATER 2/30": {Strategy: "OF_A_LATER", Candidates: 30, Place: 2},
		`failover 3/4 2 [{"address":"http://a b","answer":"no \"\u2028\" \u0001"},{"address":"http://c","answer":""}]`: failover,
	} {
		require.Equal(t, text, *route.Text())
		var back job.Route
		require.NoError(t, back.Scan(text))
		require.Equal(t, route, back)
	}
	for _, s := range job.RouteStrategies() {
		r := job.Route{Strategy: s, Candidates: 3, Place: 2}
		var back job.Route
		require.NoError(t, back.Scan(*r.Text()))
		require.Equal(t, r, back)
	}
	require.Nil(t, (*job.Route)(nil).Text())
	require.Error(t, new(job.Route).Scan(7))
}

func FuzzRoute_Scan(f *testing.F) {
	for _, text := range []string{"", "round 2/3", "lfu 1/3 41", "shard 1/3 gone", `failover 3/3 2 [{"address":"a","answer":"b"}]`, "x 99999999999/- [", " / ", "failover 1/2 1 [1,2]"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var r, again job.Route
		require.NoError(t, r.Scan(text), "a run is shown whatever stands there")
		require.NotEmpty(t, r.Code())
		require.NoError(t, again.Scan(*r.Text()))
	})
}

func BenchmarkRoute_Text(b *testing.B) {
	b.ReportAllocs()
	r := job.Route{Strategy: job.RouteRound, Candidates: 3, Place: 2}
	for b.Loop() {
		_ = r.Text()
	}
}
