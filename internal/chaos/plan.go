package chaos

import (
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"time"
)

// Step is one fault of a plan.
type Step struct {
	Fault string
	Calm  time.Duration // before it
	Hold  time.Duration // how long it lasts
	Seed  uint64        // for what the fault itself leaves to chance
}

// Bounds of a plan: most faults are short enough to be ridden out, some outlast every
// lease, and the calm between two is sometimes too short to recover.
const (
	minCalm, maxCalm = 1 * time.Second, 8 * time.Second
	minHold, maxHold = 1 * time.Second, 12 * time.Second
)

// MakePlan orders faults for a time by chance, the same for the same seed. Each comes
// once before any comes again.
func MakePlan(seed uint64, faults []string, total time.Duration) []Step {
	r := rand.New(rand.NewPCG(seed, 0))
	var plan []Step
	for spent := time.Duration(0); len(faults) > 0; {
		for _, i := range r.Perm(len(faults)) {
			s := Step{Fault: faults[i], Calm: between(r, minCalm, maxCalm), Hold: oftenShort(r, minHold, maxHold), Seed: r.Uint64()}
			if spent += s.Calm + s.Hold; spent > total {
				return plan
			}
			plan = append(plan, s)
		}
	}
	return plan
}

// WithoutTurn are the faults that a plan has no time for.
func WithoutTurn(faults []string, plan []Step) []string {
	return slices.DeleteFunc(slices.Clone(faults), func(name string) bool {
		return slices.ContainsFunc(plan, func(s Step) bool { return s.Fault == name })
	})
}

func between(r *rand.Rand, low, high time.Duration) time.Duration {
	return low + time.Duration(r.Int64N(int64(high-low)))
}

// oftenShort is between two bounds, and in half of all cases in the first quarter.
func oftenShort(r *rand.Rand, low, high time.Duration) time.Duration {
	part := r.Float64()
	return low + time.Duration(part*part*float64(high-low))
}

// Choose picks from all faults those that a comma list names; parts may be patterns
// such as "db:*", and the empty list is all. A part that names none is an error.
func Choose(all []string, list string) ([]string, error) {
	if list == "" {
		return all, nil
	}
	var chosen []string
	for part := range strings.SplitSeq(list, ",") {
		part = strings.TrimSpace(part)
		n := len(chosen)
		for _, name := range all {
			if ok, err := path.Match(part, name); err != nil {
				return nil, fmt.Errorf("choose faults: %q: %w", part, err)
			} else if ok && !slices.Contains(chosen, name) {
				chosen = append(chosen, name)
			}
		}
		if len(chosen) == n {
			return nil, fmt.Errorf("choose faults: %q names none of %s", part, strings.Join(all, " "))
		}
	}
	return chosen, nil
}
