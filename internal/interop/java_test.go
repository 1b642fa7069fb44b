//go:build long

package interop

import (
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/internal/freeaddr"
)

// javaBuild is samples/java with one version of xxl-job-core.
type javaBuild struct {
	version string
	dialect string // as our admin calls it
	once    sync.Once
	jar     string // "" when it was not, or could not be, built
	absent  string // why it cannot take part
	broken  string // Maven's output, when the build failed although everything was there
}

// builds are the versions that take part, each dialect of released ones among them.
// 3.3.2 speaks as 3.4.2 does, and takes part because Maven Central ends there: 3.4.0 and
// later were not found in it.
var builds = []*javaBuild{
	{version: "2.3.1", dialect: "A"},
	{version: "2.4.2", dialect: "A"},
	{version: "3.1.1", dialect: "A"},
	{version: "3.2.0", dialect: "A"},
	{version: "3.3.2", dialect: "B"},
	{version: "3.4.2", dialect: "B"},
}

func javaVersion(version string) *javaBuild {
	for _, b := range builds {
		if b.version == version {
			return b
		}
	}
	return nil
}

// available builds the executor, once, and reports whether it can take part.
func (b *javaBuild) available(t *testing.T) bool {
	t.Helper()
	b.once.Do(b.build)
	require.Empty(t, b.broken, "build samples/java with xxl-job-core %s", b.version)
	return b.jar != ""
}

// require is available, or skips the test for all to read.
func (b *javaBuild) require(t *testing.T) {
	t.Helper()
	if !b.available(t) {
		t.Skipf("NOT RUN: Java executor with xxl-job-core %s: %s", b.version, b.absent)
	}
}

func (b *javaBuild) build() {
	for _, program := range []string{"mvn", "java"} {
		if _, err := exec.LookPath(program); err != nil {
			b.absent = program + " is not installed"
			return
		}
	}
	dir := filepath.Join(work, "java-"+b.version)
	out, err := exec.Command("mvn", "-q", "-B", "-f", "../../samples/java/pom.xml",
		"-Dxxl.version="+b.version, "-Dbuild.dir="+dir, "package").CombinedOutput()
	switch text := string(out); {
	case err == nil:
		b.jar = filepath.Join(dir, "java-executor.jar")
	case strings.Contains(text, "Could not resolve dependencies"), strings.Contains(text, "could not be resolved"),
		strings.Contains(text, "Could not transfer"), strings.Contains(text, "Could not find artifact"):
		b.absent = "it cannot be fetched"
	default:
		b.broken = text
	}
}

// proc is a child process whose output a failed test shows.
type proc struct {
	cmd  *exec.Cmd
	done chan struct{}
}

// start runs a program with env added to a bare environment, until the test ends.
func start(t *testing.T, name string, env []string, args ...string) *proc {
	t.Helper()
	log := filepath.Join(t.TempDir(), name+".log")
	f, err := os.Create(log)
	require.NoError(t, err)
	defer f.Close()
	p := &proc{cmd: exec.Command(args[0], args[1:]...), done: make(chan struct{})}
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}, env...)
	p.cmd.Dir = t.TempDir()
	p.cmd.Stdout, p.cmd.Stderr = f, f
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, p.cmd.Start())
	go func() { defer close(p.done); _ = p.cmd.Wait() }()
	t.Cleanup(func() {
		p.end(syscall.SIGKILL)
		if b, err := os.ReadFile(log); err == nil && t.Failed() {
			t.Logf("last output of %s:\n%s", name, b[max(0, len(b)-6000):])
		}
	})
	return p
}

// end signals the process and waits for its end.
func (p *proc) end(sig syscall.Signal) {
	_ = p.cmd.Process.Signal(sig) // it may have ended
	<-p.done
}

func freePort(t *testing.T) int {
	t.Helper()
	addr, err := freeaddr.Get()
	require.NoError(t, err)
	return int(netip.MustParseAddrPort(addr).Port())
}

// javaExecutor is a process of samples/java.
type javaExecutor struct {
	*proc
	url string
}

// startJava runs the executor of a version for an app and waits for its registration.
func startJava(t *testing.T, c *rest, b *javaBuild, adminAddr, app string, group int32) *javaExecutor {
	t.Helper()
	return startJavaWith(t, c, b, adminAddr, app, group, freePort(t), token)
}

// startJavaWith is startJava with a port and a token.
func startJavaWith(t *testing.T, c *rest, b *javaBuild, adminAddr, app string, group int32, port int, token string) *javaExecutor {
	t.Helper()
	e := &javaExecutor{url: fmt.Sprintf("http://127.0.0.1:%d/", port)}
	e.proc = start(t, "java-"+b.version, nil, "java", "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
		"-Dxxl.job.admin.addresses=http://"+adminAddr+"/xxl-job-admin", "-Dxxl.job.accessToken="+token,
		"-Dxxl.job.executor.appname="+app, "-Dxxl.job.executor.ip=127.0.0.1",
		fmt.Sprintf("-Dxxl.job.executor.port=%d", port), "-Dxxl.job.executor.logpath="+t.TempDir(),
		"-jar", b.jar, samplesFile(t, "java/xxl-job-executor.properties"))
	eventually(t, 40*time.Second, func() bool { return registered(c, group, e.url) != nil }, "Java %s registers", b.version)
	require.Equal(t, &executorView{Address: e.url, Dialect: b.dialect, Alive: true}, registered(c, group, e.url))
	return e
}

// ownExecutor is a process of ours in a group.
type ownExecutor struct {
	*proc
	url string
}

// startOwn runs our executor for an app and waits for its registration.
func startOwn(t *testing.T, c *rest, adminAddr, app string, group int32, port int, token string) *ownExecutor {
	t.Helper()
	addr := fmt.Sprintf("127.0.0.1:%d", port)
	e := &ownExecutor{url: "http://" + addr + "/"}
	e.proc = start(t, "executor", []string{
		"GLUEWHEEL_ADMIN_ADDRESSES=http://" + adminAddr + "/xxl-job-admin", "GLUEWHEEL_EXECUTOR_TOKEN=" + token,
		"GLUEWHEEL_APP_NAME=" + app, "GLUEWHEEL_EXECUTOR_LISTEN=" + addr, "GLUEWHEEL_DATA_DIR=" + t.TempDir(),
	}, binary(), "executor")
	eventually(t, 20*time.Second, func() bool { return registered(c, group, e.url) != nil }, "our executor registers")
	require.Equal(t, "gluewheel", registered(c, group, e.url).Dialect)
	return e
}

// twoPorts are free, and in the order in which their addresses are sorted.
func twoPorts(t *testing.T) (first, second int) {
	t.Helper()
	first, second = freePort(t), freePort(t)
	if strconv.Itoa(first)+"/" > strconv.Itoa(second)+"/" {
		return second, first
	}
	return first, second
}

func samplesFile(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs("../../samples/" + name)
	require.NoError(t, err)
	return path
}

// registered finds a group's executor by its address; nil when it is not there.
func registered(c *rest, group int32, url string) *executorView {
	for _, e := range c.executors(group) {
		if e.Address == url {
			return &e
		}
	}
	return nil
}
