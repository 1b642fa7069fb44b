package runtime

import "strconv"

// Invocation is what a sandboxed guest is told of its run. As JSON it is also what a
// WebAssembly command reads from its standard input.
type Invocation struct {
	RunID      int64  `json:"run_id"`
	JobID      int32  `json:"job_id"`
	Name       string `json:"name"`
	Param      string `json:"param"`
	ShardIndex int    `json:"shard_index"`
	ShardTotal int    `json:"shard_total"`
	Attempt    int    `json:"attempt"`
	FireAt     string `json:"fire_at,omitempty"` // RFC 3339 in UTC with milliseconds
	TimeoutMS  int64  `json:"timeout_ms,omitempty"`
}

// fireLayout is RFC 3339 with milliseconds, as everywhere that people see instants.
const fireLayout = "2006-01-02T15:04:05.000Z"

// Invocation is the part of the request that guests see; name is the program's.
func (r Request) Invocation(name string) Invocation {
	inv := Invocation{
		RunID:      r.RunID,
		JobID:      r.JobID,
		Name:       name,
		Param:      r.Param,
		ShardIndex: r.ShardIndex,
		ShardTotal: r.ShardTotal,
		Attempt:    r.Attempt,
		TimeoutMS:  r.Timeout.Milliseconds(),
	}
	if !r.FireAt.IsZero() {
		inv.FireAt = r.FireAt.UTC().Format(fireLayout)
	}
	return inv
}

// Environ is the invocation as the GW_* variables that scripts and WebAssembly commands
// find in their environment.
func (i Invocation) Environ() []string {
	env := []string{
		"GW_RUN_ID=" + strconv.FormatInt(i.RunID, 10),
		"GW_JOB_ID=" + strconv.FormatInt(int64(i.JobID), 10),
		"GW_PARAM=" + i.Param,
		"GW_SHARD_INDEX=" + strconv.Itoa(i.ShardIndex),
		"GW_SHARD_TOTAL=" + strconv.Itoa(i.ShardTotal),
		"GW_ATTEMPT=" + strconv.Itoa(i.Attempt),
		"GW_TIMEOUT_MS=" + strconv.FormatInt(i.TimeoutMS, 10),
	}
	if i.FireAt != "" {
		env = append(env, "GW_FIRE_AT="+i.FireAt)
	}
	return env
}
