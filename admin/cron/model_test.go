package cron

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// model is a slow evaluator that shares nothing with the fast one: it steps through
// instants and asks of each whether its wall clock matches.
type model struct {
	expr string
	// Wall times are in UTC. hours looks at the date and the hour only.
	hours, minutes, seconds func(wall time.Time) bool

	loc *time.Location
	dst DST
}

func (m *model) match(wall time.Time) bool {
	return m.hours(wall) && m.minutes(wall) && m.seconds(wall)
}

// modelDays is how far the model looks. A day is 96 steps at least.
const modelDays = 200

func (m *model) wall(u int64) time.Time {
	t := time.Unix(u, 0).In(m.loc)
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
}

// next returns the first fire after from, or false if there is none in modelDays.
func (m *model) next(from int64) (int64, bool) {
	start := m.wall(from + 1)
	for u := from + 1; u < from+modelDays*secondsPerDay; u = m.skip(u) {
		if m.gapFires(u) {
			return u, true
		}
		if wall := m.wall(u); m.match(wall) && m.isLast(u) && !wall.Before(start) {
			return u, true
		}
	}
	return 0, false
}

// skip goes to the next instant that can match. Clocks are changed at quarters of an
// hour only.
func (m *model) skip(u int64) int64 {
	wall := m.wall(u)
	switch {
	case !m.hours(wall):
		return u - u%900 + 900
	case !m.minutes(wall):
		return u - u%60 + 60
	}
	return u + 1
}

// isLast reports whether the clock never shows the wall time of u again.
func (m *model) isLast(u int64) bool {
	for d := int64(900); d <= 3*3600; d += 900 {
		if m.wall(u + d).Equal(m.wall(u)) {
			return false
		}
	}
	return true
}

// gapFires reports whether u ends a gap in which a wall time matches.
func (m *model) gapFires(u int64) bool {
	if m.dst != DSTRunOnce {
		return false
	}
	end := m.wall(u)
	for w := m.wall(u - 1).Add(time.Second); w.Before(end); w = w.Add(time.Second) {
		if m.match(w) {
			return true
		}
	}
	return false
}

// source makes choices from fuzzed bytes.
type source []byte

func (s *source) pick(n int) int {
	if len(*s) == 0 {
		return 0
	}
	b := (*s)[0]
	*s = (*s)[1:]
	return int(b) % n
}

// values chooses a field of one or two items and says which values it means.
func (s *source) values(low, high int) (text string, has func(int) bool) {
	var texts []string
	var items []func(int) bool
	for range 1 + s.pick(2) {
		a, b := low+s.pick(high-low+1), low+s.pick(high-low+1)
		step := 1 + s.pick(high-low)
		switch s.pick(6) {
		case 0:
			texts = append(texts, "*")
			items = append(items, func(int) bool { return true })
		case 1:
			texts = append(texts, fmt.Sprint(a))
			items = append(items, func(v int) bool { return v == a })
		case 2:
			texts = append(texts, fmt.Sprintf("%d/%d", a, step))
			items = append(items, func(v int) bool { return v >= a && (v-a)%step == 0 })
		case 3:
			texts = append(texts, fmt.Sprintf("*/%d", step))
			items = append(items, func(v int) bool { return (v-low)%step == 0 })
		case 4: // wraps when a > b
			texts = append(texts, fmt.Sprintf("%d-%d", a, b))
			items = append(items, func(v int) bool {
				if a <= b {
					return v >= a && v <= b
				}
				return v >= a || v <= b
			})
		case 5:
			a, b := min(a, b), max(a, b)
			texts = append(texts, fmt.Sprintf("%d-%d/%d", a, b, step))
			items = append(items, func(v int) bool { return v >= a && v <= b && (v-a)%step == 0 })
		}
	}
	return strings.Join(texts, ","), func(v int) bool {
		return slices.ContainsFunc(items, func(has func(int) bool) bool { return has(v) })
	}
}

// day chooses the two day fields.
func (s *source) day() (date, weekday string, match func(time.Time) bool) {
	n := s.pick(31)
	fromEnd := func(t time.Time) int { return t.AddDate(0, 0, 1-t.Day()).AddDate(0, 1, -1).Day() - t.Day() }
	switch s.pick(6) {
	case 0:
		return fmt.Sprintf("L-%d", n), "?", func(t time.Time) bool { return fromEnd(t) == n }
	case 1:
		return fmt.Sprintf("L,%d", n%28+1), "?", func(t time.Time) bool { return fromEnd(t) == 0 || t.Day() == n%28+1 }
	case 2:
		d, k := n%7, n/7%5+1
		return "?", fmt.Sprintf("%d#%d", d+1, k), func(t time.Time) bool {
			return int(t.Weekday()) == d && t.AddDate(0, 0, -7*(k-1)).Month() == t.Month() && t.AddDate(0, 0, -7*k).Month() != t.Month()
		}
	case 3:
		d := n % 7
		return "?", fmt.Sprintf("%dL", d+1), func(t time.Time) bool {
			return int(t.Weekday()) == d && t.AddDate(0, 0, 7).Month() != t.Month()
		}
	case 4:
		text, has := s.values(1, 31)
		return text, "?", func(t time.Time) bool { return has(t.Day()) }
	}
	text, has := s.values(1, 7)
	return "?", text, func(t time.Time) bool { return has(int(t.Weekday()) + 1) }
}

var modelZones = []string{
	"UTC", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "America/Sao_Paulo",
	"Asia/Kolkata", "Africa/Casablanca", "Pacific/Apia", "America/Santiago", "Asia/Tehran",
}

func newModel(t *testing.T, data []byte) *model {
	s := source(data)
	second, hasSecond := s.values(0, 59)
	minute, hasMinute := s.values(0, 59)
	hour, hasHour := s.values(0, 23)
	month, hasMonth := s.values(1, 12)
	date, weekday, hasDay := s.day()
	return &model{
		expr: strings.Join([]string{second, minute, hour, date, month, weekday}, " "),
		loc:  zone(t, modelZones[s.pick(len(modelZones))]),
		dst:  []DST{DSTXXL, DSTRunOnce}[s.pick(2)],
		hours: func(w time.Time) bool {
			return hasHour(w.Hour()) && hasMonth(int(w.Month())) && hasDay(w)
		},
		minutes: func(w time.Time) bool { return hasMinute(w.Minute()) },
		seconds: func(w time.Time) bool { return hasSecond(w.Second()) },
	}
}

// FuzzSchedule_AgreesWithModel compares three fires in a row.
func FuzzSchedule_AgreesWithModel(f *testing.F) {
	for i := range 24 {
		data := make([]byte, 40)
		for j := range data {
			data[j] = byte((i + 1) * (j + 3) * 37)
		}
		f.Add(data, int64(i)*61_000_000+1_000_000_000)
	}
	f.Fuzz(func(t *testing.T, data []byte, from int64) {
		const first, last = 700_000_000, 3_000_000_000 // 1992 to 2065
		from = first + (from%(last-first)+(last-first))%(last-first)
		m := newModel(t, data)
		s := mustParse(t, m.expr, Options{Location: m.loc, DST: m.dst})
		for range 3 {
			want, found := m.next(from)
			got := s.Next(time.Unix(from, 0))
			if !found {
				require.True(t, got.IsZero() || got.Unix() >= from+modelDays*secondsPerDay,
					"%s in %s (%s) after %d: unexpected %s", m.expr, m.loc, m.dst, from, got)
				return
			}
			require.Equal(t, time.Unix(want, 0).In(m.loc).String(), got.In(m.loc).String(),
				"%s in %s (%s) after %d", m.expr, m.loc, m.dst, from)
			from = want
		}
	})
}
