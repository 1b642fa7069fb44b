//go:build chaos

package chaos

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// mutant is the product with one promise broken on purpose, by one change of its text.
type mutant struct {
	name     string
	file     string // from the top of the module
	old, new string
	settings settings // under which the suite has to notice
	kinds    []Kind   // one of which it must call it
	audit    string   // the check by which doctor must notice too; empty: the ledger shows nothing
}

func mutants() []mutant {
	return []mutant{
		{
			// The next fire moves in a transaction of its own, as XXL-JOB fills its ring
			// before it commits: what the other transaction loses is never planned again.
			name:     "next fire moved before the rows are committed",
			file:     "admin/store/plan.go",
			old:      `rows, err := p.tx.Query(ctx, sql, moveArgs(moves))`,
			new:      `rows, err := p.store.pool.Query(ctx, sql, moveArgs(moves))`,
			settings: settings{seed: 1, duration: 45 * time.Second, faults: []string{"point:plan-commit", "point:plan-written"}},
			kinds:    []Kind{Missing},
			audit:    "lost",
		},
		{
			name:     "completion without compare-and-set",
			file:     "admin/store/end.go",
			old:      `AND (r.state IN (2, 4) AND c.epoch IN (0, r.epoch) OR r.state = 3 AND c.epoch = 0)`,
			new:      `AND c.epoch >= 0`,
			settings: settings{seed: 1, duration: 45 * time.Second, faults: []string{"callback:duplicate", "callback:swallow"}},
			kinds:    []Kind{StaleWrite, Following},
			audit:    "doubled_follow",
		},
		{
			name:     "no sweeper",
			file:     "admin/schedule/loops.go",
			old:      `room := min(s.cfg.Dispatcher.Free(), sweepLimit)`,
			new:      `room := 0 * min(s.cfg.Dispatcher.Free(), sweepLimit)`,
			settings: settings{seed: 1, duration: 30 * time.Second, faults: []string{"admin-kill"}},
			kinds:    []Kind{Late, Stuck},
		},
	}
}

// TestMutants shows that the suite notices: each mutant must break a promise.
func TestMutants(t *testing.T) {
	for _, m := range mutants() {
		t.Run(strings.ReplaceAll(m.name, " ", "_"), func(t *testing.T) {
			b := build(t, m.change)
			began := time.Now()
			e := storm(t, b, m.settings)
			found := Check(e)
			found = slices.DeleteFunc(found, func(v Violation) bool { return !slices.Contains(m.kinds, v.Kind) })
			require.NotEmpty(t, found, "the suite did not notice: %s", m.name)
			require.Less(t, time.Since(began), 5*time.Minute)
			require.True(t, m.audit == "" || slices.ContainsFunc(e.Audit, func(text string) bool { return strings.HasPrefix(text, m.audit+":") }),
				"doctor did not notice: %s; it says %q", m.name, e.Audit)
			t.Logf("noticed %d times, first: %s, %s", len(found), found[0].Kind, found[0].Text)
		})
	}
}

// change puts the changed text in place of the file's own.
func (m *mutant) change(t *testing.T, files map[string]string) {
	t.Helper()
	file := inModule(t, m.file)
	files[file] = replaced(t, file, m.old, m.new)
}
