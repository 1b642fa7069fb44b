//go:build chaos

package chaos

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// mutant is the product with one promise broken on purpose, by a build tag.
type mutant struct {
	name     string
	tag      string
	settings settings // under which the suite has to notice
	kinds    []Kind   // one of which it must call it
	audit    string   // the check by which doctor must notice too; empty: the ledger shows nothing
}

func mutants() []mutant {
	return []mutant{
		{
			name: "next fire moved before the rows are committed", tag: "mutant_ring",
			settings: settings{seed: 1, duration: 45 * time.Second, faults: []string{"point:plan-commit", "point:plan-written"}},
			kinds:    []Kind{Missing},
			audit:    "lost",
		},
		{
			name: "completion without compare-and-set", tag: "mutant_end",
			settings: settings{seed: 1, duration: 45 * time.Second, faults: []string{"callback:duplicate", "callback:swallow"}},
			kinds:    []Kind{StaleWrite, Following},
			audit:    "doubled_follow",
		},
		{
			name: "no sweeper", tag: "mutant_sweeper",
			settings: settings{seed: 1, duration: 30 * time.Second, faults: []string{"admin-kill"}},
			kinds:    []Kind{Late, Stuck},
		},
	}
}

// TestMutants shows that the suite notices: each mutant must break a promise.
func TestMutants(t *testing.T) {
	for _, m := range mutants() {
		t.Run(strings.ReplaceAll(m.name, " ", "_"), func(t *testing.T) {
			b := buildTagged(t, m.tag)
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
