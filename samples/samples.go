// Package samples holds the jobs that `gluewheel standalone` creates at its first
// start, and small programs to copy: one folder each beside this file.
//
// A sample is data; the standalone command stores it through the admin.
package samples

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
)

//go:embed jobs
var sources embed.FS

// modules are built by `make samples`; without them the folder is empty.
//
//go:embed all:wasm/dist
var modules embed.FS

// Sample is one job. Zero values mean the admin's defaults.
type Sample struct {
	Name         string
	Description  string // one line that says what there is to see
	ScheduleType string // NONE, CRON, FIX_RATE
	ScheduleConf string
	GlueType     string
	File         string // below jobs/; empty for BEAN and modules
	Module       string // below wasm/dist/, for GLUE_WASM
	Handler      string // for BEAN
	Param        string
	Route        string
	TimeoutS     int32 // seconds
	RetryCount   int32
	RetryDelayS  int32  // seconds
	Child        string // name of the sample that this one fires
}

// Source is the job's code, or "" for BEAN.
func (s Sample) Source() (string, error) {
	if s.File == "" {
		return "", nil
	}
	b, err := sources.ReadFile("jobs/" + s.File)
	if err != nil {
		return "", fmt.Errorf("read sample %q: %w", s.Name, err)
	}
	return string(b), nil
}

// ReadModule is the job's compiled module; nil when this binary was built without it.
func (s Sample) ReadModule() ([]byte, error) {
	b, err := modules.ReadFile("wasm/dist/" + s.Module)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read sample %q: %w", s.Name, err)
	}
	return b, nil
}

// Jobs lists the samples. A child stands before its parent.
func Jobs() []Sample {
	return []Sample{
		{
			Name: "hello-lua", Description: "Lua every 5 s: edit it, publish, and the next run uses the new code.",
			ScheduleType: "FIX_RATE", ScheduleConf: "5", GlueType: "GLUE_LUA", File: "hello.lua", Param: "world",
		},
		{
			Name: "disk-shell", Description: "A shell script every minute: shows the free disk space.",
			ScheduleType: "CRON", ScheduleConf: "* * * * *", GlueType: "GLUE_SHELL", File: "disk.sh", TimeoutS: 10,
		},
		{
			Name: "report-python", Description: "A Python script, run by hand: needs python3 on the executor.",
			ScheduleType: "NONE", GlueType: "GLUE_PYTHON", File: "report.py", Param: "monthly", TimeoutS: 30,
		},
		{
			Name: "countdown-go", Description: "A native Go handler every 10 s: shows progress and the log.",
			ScheduleType: "FIX_RATE", ScheduleConf: "10", GlueType: "BEAN", Handler: "countdownJobHandler", Param: "3",
		},
		{
			Name: "shard-lua", Description: "A sharding broadcast every 15 s: one run on each executor of the group.",
			ScheduleType: "FIX_RATE", ScheduleConf: "15", GlueType: "GLUE_LUA", File: "shard.lua", Route: "SHARDING_BROADCAST",
		},
		{
			Name: "child-lua", Description: "Has no schedule: fired by the success of parent-lua.",
			ScheduleType: "NONE", GlueType: "GLUE_LUA", File: "child.lua",
		},
		{
			Name: "parent-lua", Description: "Every 20 s; each success fires child-lua, exactly once.",
			ScheduleType: "FIX_RATE", ScheduleConf: "20", GlueType: "GLUE_LUA", File: "parent.lua", Child: "child-lua",
		},
		{
			Name: "flaky-shell", Description: "Every 30 s: fails at first and is retried after 3 s, then succeeds.",
			ScheduleType: "FIX_RATE", ScheduleConf: "30", GlueType: "GLUE_SHELL", File: "flaky.sh", RetryCount: 2, RetryDelayS: 3,
		},
		{
			Name: "slow-lua", Description: "Every 30 s: loops for ever, and its timeout of 2 s ends it for certain.",
			ScheduleType: "FIX_RATE", ScheduleConf: "30", GlueType: "GLUE_LUA", File: "slow.lua", TimeoutS: 2,
		},
		{
			Name: "primes-wasm", Description: "Go compiled to WebAssembly, every 20 s: counts primes. Upload your own module.",
			ScheduleType: "FIX_RATE", ScheduleConf: "20", GlueType: "GLUE_WASM", Module: "primes.wasm", Param: "100000", TimeoutS: 20,
		},
		{
			Name: "fibonacci-wasm", Description: "AssemblyScript compiled to WebAssembly, run by hand: give it a number up to 90.",
			ScheduleType: "NONE", GlueType: "GLUE_WASM", Module: "fibonacci.wasm", Param: "40", TimeoutS: 10,
		},
		{
			Name: "tick-wasm", Description: "WebAssembly written by hand (WAT), every 15 s: the smallest job there is.",
			ScheduleType: "FIX_RATE", ScheduleConf: "15", GlueType: "GLUE_WASM", Module: "tick.wasm", TimeoutS: 10,
		},
	}
}
