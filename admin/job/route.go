package job

import (
	"cmp"
	"strings"
	"unicode/utf8"
)

// Route is why a run went to its executor: facts, for others to put into words.
type Route struct {
	Strategy   RouteStrategy // as it was then
	Candidates int32         // addresses to choose from
	Place      int32         // of the chosen one in their order, from 1 on
	// Uses is how many runs of the job LEAST_FREQUENTLY_USED had counted there before.
	Uses int64
	// Gone says of a shard that runs again that its own place is no longer in the list,
	// and it went to the first.
	Gone bool
	// Passed are the first of those before the chosen one that FAILOVER found dead or
	// BUSYOVER busy; PassedTotal is how many there were.
	Passed      []Passed
	PassedTotal int32
}

// Passed is an executor that routing asked and did not take.
type Passed struct {
	Address string `json:"address"`
	Answer  string `json:"answer"`
}

// Choice is where a run goes, and why.
type Choice struct {
	Address string
	Route   Route
}

const (
	// maxPassed bounds what a Route keeps of executors that did not answer well.
	maxPassed = 5
	// maxPassedAnswer is the most bytes of one answer.
	maxPassedAnswer = 200
)

// Pass notes an executor that was asked and not taken.
func (r *Route) Pass(address string, answer error) {
	if r.PassedTotal++; len(r.Passed) < maxPassed {
		r.Passed = append(r.Passed, Passed{address, cut(answer.Error(), maxPassedAnswer)})
	}
}

// cut makes clean text of at most limit bytes, and ends it between characters.
func cut(text string, limit int) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "")
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// RouteCode says in a word why a run went where it went.
type RouteCode string

const (
	RouteCodeOnly          RouteCode = "only"           // there was one executor
	RouteCodeFirst         RouteCode = "first"          // of the list
	RouteCodeLast          RouteCode = "last"           // of the list
	RouteCodeRandom        RouteCode = "random"         // drawn
	RouteCodeRound         RouteCode = "round"          // its turn
	RouteCodeLeastUsed     RouteCode = "least_used"     // had got the fewest runs of the job
	RouteCodeLongestUnused RouteCode = "longest_unused" // had waited longest for one
	RouteCodeHash          RouteCode = "hash"           // where the job's id leads to
	RouteCodeFailover      RouteCode = "failover"       // the first that answered
	RouteCodeBusyover      RouteCode = "busyover"       // the first that was not busy
	RouteCodeShard         RouteCode = "shard"          // the place of its index
	RouteCodeShardGone     RouteCode = "shard_gone"     // that place is gone: the first
)

// RouteCodes lists every code.
func RouteCodes() []RouteCode {
	return []RouteCode{
		RouteCodeOnly, RouteCodeFirst, RouteCodeLast, RouteCodeRandom, RouteCodeRound, RouteCodeLeastUsed,
		RouteCodeLongestUnused, RouteCodeHash, RouteCodeFailover, RouteCodeBusyover, RouteCodeShard, RouteCodeShardGone,
	}
}

// codeOfStrategy is the word for each strategy that had several executors to choose from.
var codeOfStrategy = map[RouteStrategy]RouteCode{
	RouteFirst: RouteCodeFirst, RouteLast: RouteCodeLast, RouteRandom: RouteCodeRandom, RouteRound: RouteCodeRound,
	RouteLFU: RouteCodeLeastUsed, RouteLRU: RouteCodeLongestUnused, RouteHash: RouteCodeHash,
	RouteFailover: RouteCodeFailover, RouteBusyover: RouteCodeBusyover,
}

// Code is the word for the route. A strategy of a later release counts as a draw: one of
// several, no more is known.
func (r *Route) Code() RouteCode {
	switch {
	case r.Gone:
		return RouteCodeShardGone
	case r.Strategy == RouteBroadcast:
		return RouteCodeShard
	case r.Candidates == 1:
		return RouteCodeOnly
	}
	return cmp.Or(codeOfStrategy[r.Strategy], RouteCodeRandom)
}
