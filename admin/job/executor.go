package job

import (
	"encoding/json"
	"strings"
	"time"
)

// Dialects that executors speak, as stored with their registration.
const (
	DialectA         = "A"         // XXL-JOB 2.2 to 3.2
	DialectB         = "B"         // XXL-JOB 3.3 and 3.4
	DialectC         = "C"         // XXL-JOB 3.5: /trigger, both headers
	DialectGluewheel = "gluewheel" // ours, protocol 1: batches, idempotent repeats
)

// Executor is a registered executor.
type Executor struct {
	AppName      string          `db:"app_name"`
	Address      string          `db:"address"` // as registered
	Dialect      string          `db:"dialect"`
	InstanceID   string          `db:"instance_id"`
	BootID       string          `db:"boot_id"`
	Info         json.RawMessage `db:"info"`     // ours: protocol.RegistryX without its held ids
	TokenID      int32           `db:"token_id"` // it registered with: GroupToken.ID, 0 = the global one
	RegisteredAt time.Time       `db:"registered_at"`
	HeartbeatAt  time.Time       `db:"heartbeat_at"`
	// Silent is how long it has not been heard of, counted from the end of the last
	// outage of the database at the earliest.
	Silent time.Duration `db:"silent"`
}

// Beat is one registration of an executor.
type Beat struct {
	AppName    string
	Address    string
	Dialect    string
	InstanceID string
	BootID     string
	Info       json.RawMessage
	TokenID    int32 // that it came with: GroupToken.ID, 0 = the global one
	// Restricted says that whoever sent it speaks for this app name alone.
	Restricted bool
	// Holds says that Held lists every run that the executor still answers for; only
	// our executors do.
	Holds bool
	Held  []int64
}

// OpenRun is a run that an executor has, or may have.
type OpenRun struct {
	RunID     int64      `db:"id"`
	JobID     int32      `db:"job_id"`
	GroupID   int32      `db:"group_id"`
	IsTest    bool       `db:"is_test"`
	Address   string     `db:"address"`
	StartedAt *time.Time `db:"started_at"`
}

// OpenAt counts the open runs at one address.
type OpenAt struct {
	Address string        `db:"address"`
	Runs    int64         `db:"runs"`
	Oldest  time.Duration `db:"oldest"` // age of the oldest one
}

// SameAddress is the form in which addresses are compared: peers register with and
// without a trailing slash.
func SameAddress(address string) string { return strings.TrimRight(address, "/") }
