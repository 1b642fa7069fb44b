package guard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/runtime/wasm/guard"
)

const header = "\x00asm\x01\x00\x00\x00"

// command is a WASI command: imports proc_exit, has a memory of one page, exports
// memory and _start.
var command = header +
	"\x01\x08\x02\x60\x01\x7f\x00\x60\x00\x00" +
	"\x02\x24\x01\x16wasi_snapshot_preview1\x09proc_exit\x00\x00" +
	"\x03\x02\x01\x01" +
	"\x05\x04\x01\x01\x01\x10" +
	"\x07\x13\x02\x06memory\x02\x00\x06_start\x00\x01" +
	"\x0a\x08\x01\x06\x00\x41\x00\x10\x00\x0b" +
	"\x0b\x08\x01\x00\x41\x00\x0b\x02hi"

func TestCheck_ReportsWhatAModuleShows(t *testing.T) {
	t.Parallel()
	report, err := guard.Check([]byte(command), guard.DefaultLimits())
	require.NoError(t, err)
	require.Equal(t, guard.Report{
		Bytes:     len(command),
		Functions: 1,
		Imports:   []guard.Import{{Module: "wasi_snapshot_preview1", Name: "proc_exit", Kind: guard.Func}},
		Exports: []guard.Export{
			{Name: "memory", Kind: guard.Memory},
			{Name: "_start", Kind: guard.Func},
		},
		MemoryPages: 1,
		MaxPages:    16,
	}, report)
}

func TestCheck_Refuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ module, reason string }{
		"nothing":                     {"", "not a WebAssembly module"},
		"text":                        {"(module)", "not a WebAssembly module"},
		"a component":                 {"\x00asm\x0d\x00\x01\x00", "component"},
		"version 2":                   {"\x00asm\x02\x00\x00\x00", "version"},
		"15 bytes, 4 G functions":     {header + "\x03\x05\xff\xff\xff\xff\x0f", "function"},
		"15 bytes, 4 G types":         {header + "\x01\x05\xff\xff\xff\xff\x0f", "types"},
		"15 bytes, 4 G imports":       {header + "\x02\x05\xff\xff\xff\xff\x0f", "imports"},
		"15 bytes, 4 G data":          {header + "\x0b\x05\xff\xff\xff\xff\x0f", "data segments"},
		"more items than bytes":       {header + "\x01\x02\xff\x01", "only"},
		"section beyond the end":      {header + "\x01\x7f\x00", "ends inside"},
		"section longer than content": {header + "\x01\x02\x00\x00", "longer than what it holds"},
		"sections out of order":       {header + "\x03\x01\x00\x01\x01\x00", "out of order"},
		"section twice":               {header + "\x01\x01\x00\x01\x01\x00", "repeated"},
		"exception tags":              {header + "\x0d\x01\x00", "no kind that is supported"},
		"number too long":             {header + "\x01\x06\x80\x80\x80\x80\x80\x01", "longer than 5 bytes"},
		"number above 32 bits":        {header + "\x01\x05\xff\xff\xff\xff\x7f", "larger than 32 bits"},
		"memory of 4 GiB at once":     {header + "\x05\x05\x01\x00\x80\x80\x04", "memory begins with"},
		"shared memory":               {header + "\x05\x04\x01\x03\x01\x02", "not supported"},
		"two memories":                {header + "\x05\x05\x02\x00\x01\x00\x01", "memories"},
		"huge table":                  {header + "\x04\x06\x01\x70\x00\x80\x80\x7f", "table begins with"},
		"function without a type":     {header + "\x03\x02\x01\x00", "type 0 of 0"},
		"function without code":       {header + "\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00", "1 functions are declared and 0 have code"},
		"4 G locals":                  {header + "\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00\x0a\x0b\x01\x09\x01\xff\xff\xff\xff\x0f\x7f\x0b\x00", "locals"},
		"export of nothing":           {header + "\x07\x05\x01\x01f\x00\x00", "func 0 of 0"},
		"export name twice":           {header + "\x05\x03\x01\x00\x01\x07\x09\x02\x01m\x02\x00\x01m\x02\x00", "exported twice"},
		"name that is not UTF-8":      {header + "\x05\x03\x01\x00\x01\x07\x05\x01\x01\xff\x02\x00", "UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := guard.Check([]byte(tc.module), guard.DefaultLimits())
			var refusal *guard.Refusal
			require.ErrorAs(t, err, &refusal)
			require.Contains(t, refusal.Reason, tc.reason)
		})
	}
}

func TestCheck_BoundsTheSize(t *testing.T) {
	t.Parallel()
	limits := guard.DefaultLimits()
	limits.Bytes = len(command) - 1
	_, err := guard.Check([]byte(command), limits)
	require.ErrorContains(t, err, "at most")
}

// Every cut of a good module is refused, and none makes the guard panic.
func TestCheck_RefusesEveryPrefixThatCutsASection(t *testing.T) {
	t.Parallel()
	whole := 0
	for n := range len(command) {
		if _, err := guard.Check([]byte(command[:n]), guard.DefaultLimits()); err == nil {
			whole++
		}
	}
	// Only cuts between sections that leave no function without code pass: after the
	// header, the types and the imports, and before the data.
	require.Equal(t, 4, whole)
}

func FuzzCheck(f *testing.F) {
	f.Add([]byte(command))
	f.Add([]byte(header + "\x03\x05\xff\xff\xff\xff\x0f"))
	f.Fuzz(func(t *testing.T, module []byte) {
		report, err := guard.Check(module, guard.DefaultLimits())
		if err == nil {
			require.LessOrEqual(t, len(report.Imports)+len(report.Exports), len(module))
		}
	})
}

func TestAddChecks_ChangesNothingElse(t *testing.T) {
	t.Parallel()
	checked, err := guard.AddChecks([]byte(command))
	require.NoError(t, err)
	require.Len(t, checked, len(command)+3)
	require.Contains(t, string(checked), "\x0a\x0b\x01\x09\x00\x03\x40\x0b\x41\x00\x10\x00\x0b")
	before, err := guard.Check([]byte(command), guard.DefaultLimits())
	require.NoError(t, err)
	after, err := guard.Check(checked, guard.DefaultLimits())
	require.NoError(t, err)
	before.Bytes += 3
	require.Equal(t, before, after)
	for end := range len(command) {
		_, _ = guard.AddChecks([]byte(command[:end])) // no panic
	}
}
