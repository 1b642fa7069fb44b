package chaos

import (
	"slices"
	"time"
)

// Window is a time in which something was broken.
type Window struct {
	Fault    string
	Detail   string
	From, To time.Time
}

// joined are windows in order, those that meet made one.
func joined(windows []Window) []Window {
	slices.SortFunc(windows, func(a, b Window) int { return a.From.Compare(b.From) })
	var out []Window
	for _, w := range windows {
		if n := len(out); n > 0 && !w.From.After(out[n-1].To) {
			out[n-1].To = latest(out[n-1].To, w.To)
		} else {
			out = append(out, w)
		}
	}
	return out
}

// overlap is how much of the time between two moments lies in windows, which are in order
// and apart.
func overlap(windows []Window, from, to time.Time) time.Duration {
	sum := time.Duration(0)
	first, _ := slices.BinarySearchFunc(windows, from, func(w Window, t time.Time) int { return w.To.Compare(t) })
	for _, w := range windows[first:] {
		if !w.From.Before(to) {
			break
		}
		sum += min(w.To.Sub(from), w.To.Sub(w.From), to.Sub(w.From), to.Sub(from))
	}
	return sum
}

// stalled is how long the machine stood still between two moments.
func (f *facts) stalled(from, to time.Time) time.Duration { return overlap(f.Stalls, from, to) }

// past is the moment at which d has passed, not counting stalls.
func (f *facts) past(from time.Time, d time.Duration) time.Time {
	to := from.Add(d)
	for {
		next := from.Add(d + f.stalled(from, to))
		if !next.After(to) {
			return to
		}
		to = next
	}
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
