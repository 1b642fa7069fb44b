//go:build long

package e2e

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// lateness is the sorted milliseconds from each fire's planned instant to the first
// line of its code, for fires of a time.
func lateness(t *testing.T, c *cluster, e *execProc, from, until time.Time) []int64 {
	t.Helper()
	rows, err := c.db.Query(t.Context(), `SELECT id, due_at FROM run WHERE fire_at > $1 AND fire_at <= $2 AND state = 10`, from, until)
	require.NoError(t, err)
	due := map[int64]time.Time{}
	var id int64
	var at time.Time
	_, err = pgx.ForEachRow(rows, []any{&id, &at}, func() error { due[id] = at; return nil })
	require.NoError(t, err)
	var late []int64
	for _, l := range e.lines() {
		if at, ok := due[l.run]; ok && l.what == "start" {
			late = append(late, l.ms-at.UnixMilli())
		}
	}
	require.NotEmpty(t, late)
	slices.Sort(late)
	return late
}

// machine is what the machine itself takes from everybody on it: how late it woke a loop
// that needs next to nothing.
type machine struct {
	t    *testing.T
	stop func()
	late []time.Duration
}

// watchMachine watches until the first question.
func watchMachine(t *testing.T) *machine {
	t.Helper()
	const pause = 20 * time.Millisecond
	end := make(chan struct{})
	var watch sync.WaitGroup
	m := &machine{t: t, stop: sync.OnceFunc(func() { close(end); watch.Wait() })}
	t.Cleanup(m.stop)
	watch.Go(func() {
		for {
			began := time.Now()
			select {
			case <-end:
				return
			case <-time.After(pause):
			}
			m.late = append(m.late, time.Since(began)-pause)
		}
	})
	return m
}

// stalls is for how long it stood still, all in all.
func (m *machine) stalls() (all time.Duration) {
	m.t.Helper()
	m.stop()
	const normal = 20 * time.Millisecond
	for _, late := range m.late {
		if late > normal {
			all += late
		}
	}
	m.t.Logf("the machine stood still for %v", all)
	return all
}

// p99 is how late it was 99 times of 100 at most.
func (m *machine) p99() time.Duration {
	m.t.Helper()
	m.stop()
	require.NotEmpty(m.t, m.late)
	late := slices.Sorted(slices.Values(m.late))[len(m.late)*99/100]
	m.t.Logf("the machine itself: p99 %v late", late)
	return late
}

// clock is the database's time.
func (c *cluster) clock() time.Time {
	c.t.Helper()
	var now time.Time
	require.NoError(c.t, c.db.QueryRow(c.t.Context(), `SELECT clock_timestamp()`).Scan(&now))
	return now
}

func (c *cluster) ids(sql string, args ...any) []int64 {
	c.t.Helper()
	rows, err := c.db.Query(c.t.Context(), sql, args...)
	require.NoError(c.t, err)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	require.NoError(c.t, err)
	return ids
}
