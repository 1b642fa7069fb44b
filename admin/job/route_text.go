package job

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// The ledger keeps a route of each claimed run, so its text is short:
//
//	round 2/3            the second of three
//	lfu 1/3 41           … which had got 41 runs
//	shard 1/3 gone       … in place of one that is not there any more
//	failover 3/3 2 […]   … after two, which answered as the JSON says
const routeGone = "gone"

// routeWords are the strategies in that text.
var routeWords = map[RouteStrategy]string{
	RouteFirst: "first", RouteLast: "last", RouteRandom: "random", RouteRound: "round", RouteLFU: "lfu", RouteLRU: "lru",
	RouteHash: "hash", RouteFailover: "failover", RouteBusyover: "busyover", RouteBroadcast: "shard",
}

// Text is the route as the ledger keeps it; nil of none.
func (r *Route) Text() *string {
	if r == nil {
		return nil
	}
	b := append(make([]byte, 0, 24), cmp.Or(routeWords[r.Strategy], string(r.Strategy))...)
	b = append(b, ' ')
	b = strconv.AppendInt(b, int64(r.Place), 10)
	b = append(b, '/')
	b = strconv.AppendInt(b, int64(r.Candidates), 10)
	switch {
	case r.Gone:
		b = append(b, " "+routeGone...)
	case r.PassedTotal > 0:
		b = strconv.AppendInt(append(b, ' '), int64(r.PassedTotal), 10)
		if list, err := json.Marshal(r.Passed); err == nil { // texts always have a form
			b = append(append(b, ' '), list...)
		}
	case r.Uses > 0:
		b = strconv.AppendInt(append(b, ' '), r.Uses, 10)
	}
	text := string(b)
	return &text
}

// Scan reads what Text made; it implements sql.Scanner. What a later release writes is read
// as far as it is known: a run is shown all the same.
func (r *Route) Scan(from any) error {
	text, ok := from.(string)
	if !ok {
		return fmt.Errorf("read route from %T: want a text", from)
	}
	*r = Route{}
	word, rest, _ := strings.Cut(text, " ")
	r.Strategy = strategyOf(word)
	places, rest, _ := strings.Cut(rest, " ")
	place, of, _ := strings.Cut(places, "/")
	r.Place, r.Candidates = number(place), number(of)
	first, list, _ := strings.Cut(rest, " ")
	switch {
	case first == routeGone:
		r.Gone = true
	case list != "":
		r.PassedTotal = number(first)
		if json.Unmarshal([]byte(list), &r.Passed) != nil {
			r.Passed = nil
		}
	case first != "":
		r.Uses, _ = strconv.ParseInt(first, 10, 64)
	}
	return nil
}

func strategyOf(word string) RouteStrategy {
	for strategy, w := range routeWords {
		if w == word {
			return strategy
		}
	}
	return RouteStrategy(word)
}

// number is 0 of what is none.
func number(text string) int32 {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0
	}
	return int32(n)
}
