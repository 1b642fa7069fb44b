package route

import (
	"math/rand/v2"
	"slices"
)

// scores holds a number for each address of a job's list, in its order. The address
// with the smallest is next.
type scores struct {
	addresses []string
	values    []uint64
}

// adopt takes over list. Addresses that are gone are forgotten; fresh gives the
// number of one that is new.
func (s *scores) adopt(list []string, fresh func() uint64) {
	if slices.Equal(s.addresses, list) {
		return
	}
	known := make(map[string]uint64, len(s.addresses))
	for i, a := range s.addresses {
		known[a] = s.values[i]
	}
	values := make([]uint64, len(list))
	for _, i := range rand.Perm(len(list)) {
		value, ok := known[list[i]]
		if !ok {
			value = fresh()
		}
		values[i] = value
	}
	s.addresses, s.values = slices.Clone(list), values
}

// leastUsed counts what each address got, and breaks ties at random. uses is the count
// of the chosen one before.
func (r *Router) leastUsed(jobID int32, list []string) (place int, uses uint64) {
	r.uses.update(jobID, func(s scores, _ bool) (scores, int) {
		var floor uint64
		if len(s.values) > 0 {
			floor = slices.Min(s.values)
		}
		s.adopt(list, func() uint64 { return floor })
		place = smallest(s.values)
		uses = s.values[place]
		s.values[place]++
		return s, 1 + len(list)
	})
	return place, uses
}

// smallest returns the place of the smallest value, any of them if there are many.
func smallest(values []uint64) int {
	place, ties := 0, 1
	for i, v := range values[1:] {
		switch {
		case v < values[place]:
			place, ties = i+1, 1
		case v == values[place]:
			if ties++; rand.IntN(ties) == 0 {
				place = i + 1
			}
		}
	}
	return place
}

// longestUnused numbers the runs, and keeps for each address the number of its last.
func (r *Router) longestUnused(jobID int32, list []string) int {
	var place int
	r.ages.update(jobID, func(s scores, _ bool) (scores, int) {
		var latest uint64
		if len(s.values) > 0 {
			latest = slices.Max(s.values)
		}
		s.adopt(list, func() uint64 { latest++; return latest })
		place = smallest(s.values)
		s.values[place] = slices.Max(s.values) + 1
		return s, 1 + len(list)
	})
	return place
}
