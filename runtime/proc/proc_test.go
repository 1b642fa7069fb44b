package proc_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gluewheel/gluewheel/runtime/proc"
)

// TestMain lets the test binary be its own shim, a supervisor that can be killed, and
// processes that do something on their first thread.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "__shim" {
		os.Exit(proc.Shim(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == "__supervise" {
		supervise(os.Args[2])
	}
	if len(os.Args) > 2 && os.Args[1] == proc.OnFirstThread {
		os.Exit(proc.DoOnFirstThread(os.Args[2]))
	}
	goleak.VerifyTestMain(m)
}

const grace = 200 * time.Millisecond

func newSupervisor(t *testing.T, method proc.Method) *proc.Supervisor {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	s, err := proc.New(proc.Config{Method: method, Shim: []string{exe, "__shim"}})
	if method != "" && err != nil {
		t.Skipf("this machine has no %s: %v", method, err)
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// forEachMethod runs test with every method that works here.
func forEachMethod(t *testing.T, test func(t *testing.T, s *proc.Supervisor)) {
	t.Helper()
	for _, m := range []proc.Method{proc.ControlGroup, proc.PIDNamespace, proc.SubReaper, proc.ProcessGroup} {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			test(t, newSupervisor(t, m))
		})
	}
}

func shell(script string, out *bytes.Buffer) proc.Command {
	bash, err := exec.LookPath("bash")
	if err != nil {
		bash = "bash"
	}
	cmd := proc.Command{Path: bash, Args: []string{"-c", script}, Env: []string{"PATH=" + os.Getenv("PATH")}}
	if out != nil {
		cmd.Stdout = out
	}
	return cmd
}

func run(t *testing.T, s *proc.Supervisor, cmd proc.Command) proc.Exit {
	t.Helper()
	p, err := s.Start(cmd)
	require.NoError(t, err)
	return p.Wait(t.Context(), grace)
}

// alive reports whether the process whose id is in file runs (a zombie does not).
func alive(t *testing.T, file string) bool {
	t.Helper()
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(b)) + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

func TestProcess_ExitCodeAndOutput(t *testing.T) {
	t.Parallel()
	forEachMethod(t, func(t *testing.T, s *proc.Supervisor) {
		var out bytes.Buffer
		exit := run(t, s, shell(`echo "$0 out"; echo "env: $(env | grep -c HOME)"; exit 7`, &out))
		require.Equal(t, 7, exit.Code)
		require.Equal(t, "exit code 7", exit.String())
		require.Equal(t, "bash out\nenv: 0\n", strings.ReplaceAll(out.String(), filepath.Dir(shell("", nil).Path)+"/", ""))
		require.False(t, exit.Survived)
	})
}

func TestProcess_MissingCommand(t *testing.T) {
	t.Parallel()
	s := newSupervisor(t, "")
	_, err := s.Start(proc.Command{Path: "/no/such/command", Stdout: &bytes.Buffer{}})
	require.ErrorIs(t, err, os.ErrNotExist)
	require.Zero(t, s.Running())
}

func TestProcess_StopIsObeyed(t *testing.T) {
	t.Parallel()
	forEachMethod(t, func(t *testing.T, s *proc.Supervisor) {
		ctx, cancel := context.WithCancel(t.Context())
		out := &onWrite{do: cancel}
		cmd := shell(`trap 'echo bye; exit 3' TERM; echo ready; while :; do sleep 0.01; done`, nil)
		cmd.Stdout = out
		p, err := s.Start(cmd)
		require.NoError(t, err)
		exit := p.Wait(ctx, 30*time.Second)
		require.Equal(t, 3, exit.Code)
		require.Equal(t, "ready\nbye\n", out.String())
	})
}

func TestProcess_DeafIsKilled(t *testing.T) {
	t.Parallel()
	forEachMethod(t, func(t *testing.T, s *proc.Supervisor) {
		ctx, cancel := context.WithCancel(t.Context())
		cmd := shell(`trap '' TERM; echo ready; while :; do sleep 0.01; done`, nil)
		cmd.Stdout = &onWrite{do: cancel}
		p, err := s.Start(cmd)
		require.NoError(t, err)
		started := time.Now()
		exit := p.Wait(ctx, grace)
		require.Equal(t, syscall.SIGKILL, exit.Signal)
		require.Less(t, time.Since(started), grace+30*time.Second)
	})
}

// daemon starts a process that nothing but a fence holds, and waits until it runs.
const daemon = `setsid bash -c 'trap "" TERM HUP; (echo $BASHPID > "$1"; exec >/dev/null 2>&1; while :; do sleep 0.01; done) &' x "$FILE"
	while [ ! -s "$FILE" ]; do sleep 0.01; done; `

// TestProcess_DaemonsDieToo is why there are fences: setsid and a double fork leave
// every process group.
func TestProcess_DaemonsDieToo(t *testing.T) {
	t.Parallel()
	for name, rest := range map[string]string{
		"when the command ends":   "exit 0",
		"when the run is stopped": "echo ready; sleep 100",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			forEachMethod(t, func(t *testing.T, s *proc.Supervisor) {
				if s.Methods().Kill == proc.ProcessGroup {
					t.Skip("a process group does not hold daemons")
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				file := filepath.Join(t.TempDir(), "pid")
				cmd := shell(strings.ReplaceAll(daemon, "$FILE", file)+rest, nil)
				cmd.Stdout = &onWrite{do: cancel}
				p, err := s.Start(cmd)
				require.NoError(t, err)
				exit := p.Wait(ctx, grace)
				require.False(t, exit.Survived)
				if s.Methods().Kill != proc.PIDNamespace { // its ids mean nothing out here
					require.False(t, alive(t, file))
				}
			})
		})
	}
}

// supervise starts a command whose daemon writes its id to file, and waits to be killed.
func supervise(file string) {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	s, err := proc.New(proc.Config{Shim: []string{exe, "__shim"}})
	if err != nil {
		panic(err)
	}
	cmd := shell(strings.ReplaceAll(daemon, "$FILE", file)+"echo ready; sleep 100", nil)
	cmd.Stdout = os.Stdout
	if _, err := s.Start(cmd); err != nil {
		panic(err)
	}
	select {}
}

func TestSupervisor_ClearsWhatAKilledOneLeft(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "pid")
	other := exec.CommandContext(t.Context(), exe, "__supervise", file)
	out, err := other.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, other.Start())
	_, err = out.Read(make([]byte, 16))
	require.NoError(t, err)
	require.True(t, alive(t, file))
	require.NoError(t, other.Process.Kill())
	require.Error(t, other.Wait())

	newSupervisor(t, "")
	require.Eventually(t, func() bool { return !alive(t, file) }, 30*time.Second, time.Millisecond)
}

func TestProcess_MemoryIsBounded(t *testing.T) {
	t.Parallel()
	s := newSupervisor(t, "")
	if s.Methods().Memory == "" {
		t.Skip("nothing bounds memory here")
	}
	cmd := shell(`x=$(head -c 200000000 /dev/zero | tr '\0' x); echo ${#x}`, &bytes.Buffer{})
	cmd.MemoryBytes = 64 << 20
	exit := run(t, s, cmd)
	require.True(t, exit.OutOfMemory)
	require.LessOrEqual(t, exit.PeakBytes, cmd.MemoryBytes)
}

func TestProcess_ForkBombIsBounded(t *testing.T) {
	t.Parallel()
	s := newSupervisor(t, "")
	if s.Methods().Processes == "" {
		t.Skip("nothing bounds processes here")
	}
	// bash waits and tries again when it cannot fork, so the bomb goes on by itself.
	cmd := shell(`bomb() { bomb | bomb & }; while :; do bomb 2>/dev/null; done`, nil)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	cmd.Processes = 32
	p, err := s.Start(cmd)
	require.NoError(t, err)
	require.False(t, p.Wait(ctx, grace).Survived)
}

func TestSupervisor_CloseKills(t *testing.T) {
	t.Parallel()
	forEachMethod(t, func(t *testing.T, s *proc.Supervisor) {
		p, err := s.Start(shell(`trap '' TERM; sleep 100`, nil))
		require.NoError(t, err)
		require.NoError(t, s.Close())
		require.NotZero(t, p.Wait(t.Context(), grace).Code)
		_, err = s.Start(shell(`:`, nil))
		require.ErrorIs(t, err, proc.ErrClosed)
	})
}

func TestSupervisor_UsesNoDescriptors(t *testing.T) {
	t.Parallel()
	// Other tests open files meanwhile, so only a leak a run is told from their noise.
	s := newSupervisor(t, "")
	before := descriptors(t)
	for range 100 {
		require.Zero(t, run(t, s, shell(`:`, &bytes.Buffer{})).Code)
	}
	require.Less(t, descriptors(t)-before, 80)
}

func descriptors(t *testing.T) int {
	t.Helper()
	fds, err := os.ReadDir("/proc/" + strconv.Itoa(os.Getpid()) + "/fd")
	require.NoError(t, err)
	return len(fds)
}

// onWrite is a buffer that tells of the first output.
type onWrite struct {
	buf bytes.Buffer
	do  func()
}

func (w *onWrite) Write(p []byte) (int, error) {
	w.do()
	return w.buf.Write(p)
}

func (w *onWrite) String() string { return w.buf.String() }

func TestProcess_SealedHasNoRights(t *testing.T) {
	t.Parallel()
	s := newSupervisor(t, "")
	const ask = `grep -E '^(NoNewPrivs|CapEff|CapBnd):' /proc/self/status | tr -d '\t'`
	var sealed, open bytes.Buffer
	cmd := shell(ask, &sealed)
	cmd.Sealed = true
	require.Zero(t, run(t, s, cmd).Code)
	require.Zero(t, run(t, s, shell(ask, &open)).Code)
	require.Contains(t, sealed.String(), "NoNewPrivs:1")
	require.Contains(t, sealed.String(), "CapEff:"+strings.Repeat("0", 16))
	require.Contains(t, open.String(), "NoNewPrivs:0")
}
