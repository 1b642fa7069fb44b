package house

import (
	"slices"
	"strings"
	"testing"
)

// A rule says what a package may import of this module. from and may match a package
// itself, and with a trailing /... all below it too. The first rule whose from matches
// counts; of test support and commands only the bans below hold.
type rule struct {
	from string
	may  []string
}

var rules = []rule{
	// Leaves.
	{"glue", nil},
	{"executor/protocol", nil},
	{"migrations", nil},
	{"webui", nil},
	{"runtime", nil},
	{"runtime/proc", nil},

	// The engines' side: runtime imports nothing of ours but itself.
	{"runtime/...", []string{"runtime/...", "glue"}},
	{"glue/...", []string{"glue/...", "runtime", "runtime/worker"}},

	// admin: only the root knows all parts; siblings meet in admin/job.
	{"admin", []string{"admin/...", "executor/protocol", "glue/...", "runtime", "runtime/check", "runtime/worker", "runtime/wasm/guard", "webui", "migrations", "internal/scrape", "internal/stack"}},
	{"admin/job", []string{"glue"}},
	{"admin/cron", []string{"admin/job"}},
	{"admin/route", []string{"admin/job", "admin/route/..."}},
	{"admin/audit", []string{"admin/job"}},
	{"admin/store", []string{"admin/audit", "admin/job", "executor/protocol", "glue", "migrations"}},
	{"admin/bundle", []string{"admin/cron", "admin/job", "glue"}},
	{"admin/report", []string{"admin/cron", "admin/job", "admin/outage", "glue"}},
	{"admin/api", []string{"admin/job", "admin/cron", "admin/route", "admin/access", "admin/audit", "admin/auth", "admin/bundle", "admin/outage", "admin/report", "admin/seal", "executor/protocol", "glue/...", "runtime"}},
	{"admin/...", []string{"admin/job", "admin/cron", "admin/route", "admin/access", "admin/audit", "admin/auth", "admin/outage", "admin/seal", "executor/protocol", "glue/...", "runtime"}},

	// executor: the SDK stays small, so no engine but native.
	{"executor", []string{"executor/...", "glue/...", "runtime", "runtime/native"}},
	{"executor/handlers", []string{"executor", "runtime", "runtime/egress", "runtime/proc"}}, // for daemons: the SDK does not import it
	{"executor/metrics", []string{"executor", "runtime/worker"}},                             // the same
	{"executor/...", []string{"executor/...", "glue/...", "runtime", "runtime/native"}},

	{"internal/pg", nil},
	{"internal/stack", nil},
}

// bans hold for every package, whatever the rules say.
var bans = []struct {
	from, never string
	except      []string
	why         string
}{
	{"admin/...", "executor/...", []string{"executor/protocol"}, "admin and executor share the wire types only"},
	{"executor/...", "admin/...", nil, "admin and executor share the wire types only"},
	{"executor/...", "github.com/jackc/pgx/...", nil, "an executor knows no database"},
	{"admin/api/...", "github.com/jackc/pgx/...", nil, "SQL lives in admin/store"},
	{"admin/schedule/...", "github.com/jackc/pgx/...", nil, "SQL lives in admin/store"},
	{"admin/dispatch/...", "github.com/jackc/pgx/...", nil, "SQL lives in admin/store"},
	{"...", "runtime/lua", nil, "engines run in the worker: only runtime/workermain links them"},
	{"...", "runtime/js", nil, "engines run in the worker: only runtime/workermain links them"},
	{"...", "runtime/wasm", nil, "engines run in the worker: only runtime/workermain links them"},
	{"runtime", "github.com/...", nil, "the interface of the engines needs none of them"},
}

// linksEngines may import what the bans keep to the worker: the worker itself, and the
// runs that an operator allows outside of it.
var linksEngines = []string{"runtime/workermain", "runtime/inproc"}

func TestImports_PointOneWay(t *testing.T) {
	t.Parallel()
	_, tree := readTree(t)
	dirs := map[string]bool{}
	for _, p := range tree {
		dirs[p.dir] = true
	}
	for _, p := range tree {
		for _, imported := range p.imports() {
			checkBans(t, p.dir, imported)
			if dirs[imported] && !isSupport(p.dir) {
				checkRules(t, p.dir, imported)
			}
		}
	}
}

func checkRules(t *testing.T, from, imported string) {
	t.Helper()
	i := slices.IndexFunc(rules, func(r rule) bool { return matches(r.from, from) })
	if i < 0 {
		return
	}
	if isSupport(imported) {
		t.Errorf("%s imports %s, which is for tests", from, imported)
		return
	}
	if !slices.ContainsFunc(rules[i].may, func(pattern string) bool { return matches(pattern, imported) }) {
		t.Errorf("%s must not import %s: the rule for %s allows %v", from, imported, rules[i].from, rules[i].may)
	}
}

func checkBans(t *testing.T, from, imported string) {
	t.Helper()
	for _, ban := range bans {
		if !matches(ban.from, from) || !matches(ban.never, imported) {
			continue
		}
		own := slices.Contains(linksEngines, from) || matches(ban.never+"/...", from)
		allowed := slices.ContainsFunc(ban.except, func(pattern string) bool { return matches(pattern, imported) })
		if !own && !allowed {
			t.Errorf("%s must not import %s: %s", from, imported, ban.why)
		}
	}
}

// isSupport reports whether a package helps tests and is imported by tests only.
func isSupport(dir string) bool {
	return strings.HasSuffix(dir, "test") && strings.Contains(dir, "/")
}

// matches reports whether a package is the pattern, or below it where that ends in /....
func matches(pattern, dir string) bool {
	if pattern == "..." {
		return true
	}
	base, below := strings.CutSuffix(pattern, "/...")
	return dir == base || below && strings.HasPrefix(dir, base+"/")
}

func TestMatches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, dir string
		want         bool
	}{
		{"admin", "admin", true},
		{"admin", "admin/store", false},
		{"admin/...", "admin", true},
		{"admin/...", "admin/store", true},
		{"admin/...", "administration", false},
		{"...", "anything/at/all", true},
	} {
		if matches(c.pattern, c.dir) != c.want {
			t.Errorf("matches(%q, %q): want %v", c.pattern, c.dir, c.want)
		}
	}
}
