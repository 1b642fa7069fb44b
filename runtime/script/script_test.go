package script_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/script"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type bundle struct {
	engine *script.Engine
	dir    string
}

func setup(t *testing.T, mutate ...func(*script.Config)) bundle {
	t.Helper()
	cfg := script.Config{
		Dir: filepath.Join(t.TempDir(), "glue[source]"),
		Env: append(os.Environ(), "SECRET=hunter2", "LANG=C.UTF-8"),
	}
	for _, m := range mutate {
		m(&cfg)
	}
	engine, err := script.New(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, engine.Close()) })
	return bundle{engine, cfg.Dir}
}

// log collects a run's lines.
type log struct {
	mu     sync.Mutex
	lines  []string
	onLine func(line string)
}

func (l *log) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
	if l.onLine != nil {
		l.onLine(line)
	}
}

func (b bundle) run(ctx context.Context, t *testing.T, src runtime.Source, req runtime.Request) (runtime.Result, *log) {
	t.Helper()
	return b.runLogged(ctx, t, src, req, &log{})
}

func (b bundle) runLogged(ctx context.Context, t *testing.T, src runtime.Source, req runtime.Request, l *log) (runtime.Result, *log) {
	t.Helper()
	program, err := b.engine.Prepare(ctx, src)
	require.NoError(t, err)
	req.Log = l.add
	result := program.Run(ctx, req)
	require.NoError(t, program.Close())
	return result, l
}

func shell(code string) runtime.Source {
	return runtime.Source{JobID: 7, Version: 1700000000000, Type: "GLUE_SHELL", Code: []byte(code)}
}

func needs(t *testing.T, b bundle, glueType string) {
	t.Helper()
	for _, found := range b.engine.Types() {
		if found == glueType {
			return
		}
	}
	t.Skipf("no interpreter for %s on this machine", glueType)
}

func TestProgram_EveryLanguageGetsXXLJobsArguments(t *testing.T) {
	t.Parallel()
	for glueType, c := range map[string]struct{ suffix, code string }{
		"GLUE_SHELL":      {".sh", `printf '%s\n' "$0" "$@"; echo "$GW_PARAM/$GW_RUN_ID/$GW_ATTEMPT"`},
		"GLUE_PYTHON":     {".py", "import os,sys\nprint('\\n'.join(sys.argv))\nprint('/'.join(os.environ[k] for k in ['GW_PARAM','GW_RUN_ID','GW_ATTEMPT']))"},
		"GLUE_NODEJS":     {".js", "const e=process.env; console.log([...process.argv.slice(1), [e.GW_PARAM,e.GW_RUN_ID,e.GW_ATTEMPT].join('/')].join('\\n'))"},
		"GLUE_PHP":        {".php", "<?php echo implode(\"\\n\", $argv), \"\\n\", getenv('GW_PARAM').'/'.getenv('GW_RUN_ID').'/'.getenv('GW_ATTEMPT'), \"\\n\";"},
		"GLUE_POWERSHELL": {".ps1", "$PSCommandPath; $args; \"$($env:GW_PARAM)/$($env:GW_RUN_ID)/$($env:GW_ATTEMPT)\""},
	} {
		t.Run(glueType, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			needs(t, b, glueType)
			src := runtime.Source{JobID: 7, Version: 1700000000000, Type: glueType, Code: []byte(c.code)}
			param := `two words; "$(id)"`
			result, l := b.run(t.Context(), t, src, runtime.Request{RunID: 9, Param: param, ShardIndex: 1, ShardTotal: 3, Attempt: 2})
			require.Equal(t, runtime.Succeeded, result.Kind, l.lines)
			path := filepath.Join(b.dir, "7_1700000000000"+c.suffix)
			require.Equal(t, []string{
				"----------- script file:" + path + " -----------",
				path, param, "1", "3", param + "/9/2",
			}, l.lines)
			require.Positive(t, result.Usage.Wall)
			require.Positive(t, result.Usage.LogBytes)
		})
	}
}

func TestProgram_EnvironmentIsClean(t *testing.T) {
	t.Parallel()
	_, l := setup(t).run(t.Context(), t, shell("env | cut -d= -f1 | sort"), runtime.Request{FireAt: time.Unix(1, 0)})
	allowed := append([]string{"PATH", "HOME", "LANG", "TMPDIR"}, "PWD", "SHLVL", "_") // bash adds the last three
	for _, name := range l.lines[1:] {
		require.True(t, strings.HasPrefix(name, "GW_") || contains(allowed, name), name)
	}
	require.Contains(t, l.lines, "LANG")
	require.Contains(t, l.lines, "GW_FIRE_AT")
}

func contains(list []string, s string) bool {
	for _, item := range list {
		if item == s {
			return true
		}
	}
	return false
}

func TestProgram_Ends(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		code    string
		param   string
		kind    runtime.Kind
		message string
	}{
		"exit code":     {"exit 3", "", runtime.Failed, "script exit value(3) is failed"},
		"signal":        {"kill -9 $$", "", runtime.Failed, "script exit value(137) is failed: ended by signal: killed"},
		"success":       {"echo fine >&2", "", runtime.Succeeded, ""},
		"NUL parameter": {"exit 0", "a\x00b", runtime.Failed, "the parameter holds a NUL character, which no process can be given"},
		"background processes are ended with the script": {"sleep 100 & exit 0", "", runtime.Succeeded, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, _ := setup(t).run(t.Context(), t, shell(c.code), runtime.Request{Param: c.param})
			require.Equal(t, c.kind, result.Kind)
			require.Equal(t, c.message, result.Message)
		})
	}
}

func TestProgram_TimeoutOutranksTheExitCode(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]string{
		"a dying script that reports success": "trap 'exit 0' TERM; echo ready; while :; do sleep 0.01; done",
		"a script that ignores signals":       "trap '' TERM INT HUP; echo ready; while :; do sleep 0.01; done",
		"a script that left its session":      "setsid bash -c 'trap \"\" TERM; echo ready; sleep 100' & wait",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			src := shell(code)
			src.Limits.Grace = 200 * time.Millisecond
			started := time.Now()
			result, _ := setup(t).runLogged(ctx, t, src, runtime.Request{}, &log{onLine: func(line string) {
				if line == "ready" {
					cancel(runtime.ErrTimeout)
				}
			}})
			require.Equal(t, runtime.TimedOut, result.Kind)
			require.Equal(t, "timeout", result.Message)
			require.Less(t, time.Since(started), 30*time.Second)
		})
	}
}

func TestProgram_OutputIsBounded(t *testing.T) {
	t.Parallel()
	src := shell(`printf 'bad \xff byte\r\n'; yes 0123456789 | head -c 10000000; printf tail`)
	src.Limits.LogBytes = 1000
	result, l := setup(t).run(t.Context(), t, src, runtime.Request{})
	require.Equal(t, runtime.Succeeded, result.Kind)
	require.Equal(t, "bad \uFFFD byte", l.lines[1])
	require.Equal(t, "[log cut: the run wrote more than its limit of 1000 bytes]", l.lines[len(l.lines)-1])
	require.LessOrEqual(t, result.Usage.LogBytes, int64(1000))
}

func TestProgram_LongLinesAreSplit(t *testing.T) {
	t.Parallel()
	_, l := setup(t).run(t.Context(), t, shell(`head -c 100000 /dev/zero | tr '\0' x; printf '\nend'`), runtime.Request{})
	var total int
	for _, line := range l.lines[1 : len(l.lines)-1] {
		require.LessOrEqual(t, len(line), runtime.MaxLine)
		total += len(line)
	}
	require.Equal(t, 100000, total)
	require.Equal(t, "end", l.lines[len(l.lines)-1])
}

func TestProgram_OutOfMemory(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if b.engine.Methods().Memory == "" {
		t.Skip("nothing bounds memory here")
	}
	src := shell(`x=$(head -c 200000000 /dev/zero | tr '\0' x); echo ${#x}`)
	src.Limits.MemoryBytes = 48 << 20
	result, _ := b.run(t.Context(), t, src, runtime.Request{})
	require.Equal(t, runtime.OutOfMemory, result.Kind)
	require.Contains(t, result.Message, "outgrew its memory")
}

func TestEngine_Files(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, src := range []runtime.Source{
		shell("echo one"),
		{JobID: 70, Version: 5, Type: "GLUE_SHELL", Code: []byte("echo other job")},
		{JobID: 7, Version: 1700000000001, Type: "GLUE_SHELL", Code: []byte("echo two")},
	} {
		_, err := b.engine.Prepare(t.Context(), src)
		require.NoError(t, err)
	}
	entries, err := os.ReadDir(b.dir)
	require.NoError(t, err)
	require.Len(t, entries, 2)
	require.Equal(t, "70_5.sh", entries[0].Name())
	require.Equal(t, "7_1700000000001.sh", entries[1].Name())
	info, err := os.Stat(b.dir)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
}

func TestEngine_FileThatWentMissingIsWrittenAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	program, err := b.engine.Prepare(t.Context(), shell("exit 0"))
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(b.dir, "7_1700000000000.sh")))
	require.Equal(t, runtime.Succeeded, program.Run(t.Context(), runtime.Request{}).Kind)
}

func TestEngine_UnknownType(t *testing.T) {
	t.Parallel()
	_, err := setup(t).engine.Prepare(t.Context(), runtime.Source{Type: "GLUE_COBOL"})
	_, ok := errors.AsType[*runtime.InvalidError](err)
	require.True(t, ok)
}

// TestEngine_MissingInterpreter empties PATH, so it cannot run beside others.
func TestEngine_MissingInterpreter(t *testing.T) {
	b := setup(t)
	t.Setenv("PATH", t.TempDir())
	require.Empty(t, b.engine.Types())
	result, _ := b.run(t.Context(), t, shell("exit 0"), runtime.Request{})
	require.Equal(t, runtime.EngineMissing, result.Kind)
	require.Equal(t, "bash is not installed on this executor", result.Message)
	require.Equal(t, "pwsh is not installed on this executor", b.engine.Missing("GLUE_POWERSHELL"))
}

func TestEngine_SwitchedOff(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *script.Config) { c.Off = true })
	require.Empty(t, b.engine.Types())
	require.Equal(t, "scripts are switched off on this executor", b.engine.Missing("GLUE_SHELL"))
	require.Empty(t, b.engine.Missing("GLUE_LUA"), "no script")
	result, _ := b.run(t.Context(), t, shell("exit 0"), runtime.Request{})
	require.Equal(t, runtime.EngineMissing, result.Kind)
	require.Contains(t, result.Message, "switched off")
}

func TestEngine_BoundsWhatVersionsMayAskFor(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *script.Config) { c.MaxMemoryBytes = 64 << 20 })
	src := shell("exit 0")
	src.Limits.MemoryBytes = 65 << 20
	_, err := b.engine.Prepare(t.Context(), src)
	require.ErrorContains(t, err, "asks for 65 MiB of memory; this executor allows 64 MiB")
}
