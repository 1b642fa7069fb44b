//go:build chaos

package chaos

import (
	"path/filepath"
	"testing"
)

// roadsEnv names, for an admin, which address leads where: "a=b,c=d". All others lead to
// themselves.
//
// Executors register one address for all admins, a name that nothing resolves; the roads
// of each admin lead it to a link of its own. So an admin can lose an executor that the
// other one still reaches, and one whose roads were not laid reaches nobody.
const roadsEnv = "GLUEWHEEL_CHAOS_ROADS"

// roadSource joins the package that calls executors, in the admins under test.
const roadSource = `package execclient

import (
	"os"
	"strings"
)

func chaosRoad(address string) string {
	for road := range strings.SplitSeq(os.Getenv("` + roadsEnv + `"), ",") {
		if from, to, _ := strings.Cut(road, "="); from == address {
			return to
		}
	}
	return address
}
`

// dials is where it connects to one.
const dials = `c.dialer.DialContext(ctx, "tcp", addr)`

// layRoads is the change by which admins follow their roads.
func layRoads(t *testing.T, files map[string]string) {
	t.Helper()
	calls := inModule(t, "admin/execclient/conn.go")
	files[calls] = replaced(t, calls, dials, `c.dialer.DialContext(ctx, "tcp", chaosRoad(addr))`)
	files[filepath.Join(filepath.Dir(calls), "chaos_road.go")] = roadSource
}
