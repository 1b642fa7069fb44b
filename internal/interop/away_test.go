//go:build long

package interop

import (
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestJava_AdminAway: a result that no admin takes is kept by the executor and arrives
// when there is one again; XXL-JOB's executors try every 30 s.
func TestJava_AdminAway(t *testing.T) {
	for _, version := range []string{"2.4.2", "3.3.2"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel() // most of the time is the executors' wait
			b := javaVersion(version)
			b.require(t)
			admin, c := startAdminProcess(t)
			d := &day{rest: c, group: c.Group("java-away")}
			e := startJava(t, c, b, admin.addr, "java-away", d.group)
			j := d.job(d.group, "count", map[string]any{"handler": "countJobHandler", "param": "3", "retry_count": 1})
			id := d.running(j, map[string]any{})
			admin.end(syscall.SIGKILL)
			eventually(t, 20*time.Second, func() bool { return e.idle(t, j) }, "the run ends while nobody listens")
			admin.start(t)
			require.Equal(t, "succeeded", d.ended(id, 60*time.Second).State)
			require.Len(t, d.runs(j), 1, "it ran once")
		})
	}
}

// idle asks the executor itself whether a job neither runs nor waits there.
func (e *javaExecutor) idle(t *testing.T, job int32) bool {
	t.Helper()
	d := &dialects[1]
	addr := strings.Trim(strings.TrimPrefix(e.url, "http:"), "/")
	m := exchange(t, addr, d.post("/idleBeat", `{"jobId":`+strconv.Itoa(int(job))+`}`))
	return strings.HasPrefix(m.body, `{"code":200`)
}
