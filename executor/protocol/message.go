package protocol

import (
	"encoding/json"
	"math"
)

// Envelope is every answer. Content and Data hold the same payload: the first is
// read by 2.x peers, the second by 3.3 and later.
type Envelope struct {
	Code    Int             `json:"code"`
	Msg     *string         `json:"msg"`
	Content json.RawMessage `json:"content,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Payload is Data or, where that is absent, Content; nil when there is none.
func (e *Envelope) Payload() json.RawMessage {
	if len(e.Data) > 0 && string(e.Data) != "null" {
		return e.Data
	}
	if len(e.Content) > 0 && string(e.Content) != "null" {
		return e.Content
	}
	return nil
}

// Text is the message, or "" when there is none.
func (e *Envelope) Text() string {
	if e.Msg == nil {
		return ""
	}
	return *e.Msg
}

// Trigger asks an executor to run a job once. Members stand in Java's order.
type Trigger struct {
	JobID           Int       `json:"jobId"`
	ExecutorHandler string    `json:"executorHandler"`
	ExecutorParams  string    `json:"executorParams"`
	BlockStrategy   string    `json:"executorBlockStrategy"`
	TimeoutS        Int       `json:"executorTimeout"` // seconds
	LogID           Int       `json:"logId"`           // the run's id
	LogDateTimeMS   Int       `json:"logDateTime"`     // the run's planned instant
	GlueType        string    `json:"glueType"`
	GlueSource      string    `json:"glueSource"`
	GlueUpdateMS    Int       `json:"glueUpdatetime"` // version stamp
	BroadcastIndex  Int       `json:"broadcastIndex"`
	BroadcastTotal  Int       `json:"broadcastTotal"`
	Gluewheel       *TriggerX `json:"gluewheel,omitempty"` // only to executors that declared protocol 1
}

// TriggerX is what our executors get beside XXL-JOB's members.
type TriggerX struct {
	Epoch      int32           `json:"epoch"`              // of the claim: the fence
	Attempt    int             `json:"attempt"`            // 0 first, then one a retry
	Version    int32           `json:"version"`            // GLUE version's number, 0 for BEAN
	Digest     string          `json:"digest,omitempty"`   // of what runs
	Artifact   bool            `json:"artifact,omitempty"` // fetch Digest from the admin
	Manifest   json.RawMessage `json:"manifest,omitempty"`
	Idempotent bool            `json:"idempotent,omitempty"` // may be run again after a crash
	Test       bool            `json:"test,omitempty"`       // a test-run of a draft
}

// TestJobID is the job id that a test-run of a job travels under, and the other way
// round. Executors queue by job id, and XXL-JOB's stop a job's run when its code
// changes: under an id of its own a test-run neither waits for the job's runs nor stops
// them. It meets no other job's while there are fewer than 2^30 of them.
func TestJobID(jobID int32) int32 { return math.MaxInt32 - jobID }

// BatchRequest is many triggers for one gluewheel executor.
type BatchRequest struct {
	Triggers []Trigger `json:"triggers"`
}

// BatchAnswer has one entry a trigger, in the same order.
type BatchAnswer struct {
	Code    Int           `json:"code"`
	Msg     string        `json:"msg,omitempty"`
	Results []BatchResult `json:"results"`
}

// BatchResult is the answer to one trigger: CodeOK means it is durable in the
// executor's journal, or was already (Repeat).
type BatchResult struct {
	LogID  Int    `json:"logId"`
	Code   Int    `json:"code"`
	Msg    string `json:"msg,omitempty"`
	Repeat bool   `json:"repeat,omitempty"`
}

// Kill stops a job's run and its queue. With LogID, which only our executors know,
// it stops just that run.
type Kill struct {
	JobID Int `json:"jobId"`
	LogID Int `json:"logId,omitempty"`
}

// IdleBeat asks whether a job is idle on this executor.
type IdleBeat struct {
	JobID Int `json:"jobId"`
}

// LogRequest asks for a run's log from a line on. Both spellings of the time are
// sent; either is read.
type LogRequest struct {
	LogDateTim  Int `json:"logDateTim"`
	LogDateTime Int `json:"logDateTime"`
	LogID       Int `json:"logId"`
	FromLineNum Int `json:"fromLineNum"` // 1-based
}

// LogResult is a piece of a log, in the payload of an envelope.
type LogResult struct {
	FromLineNum Int    `json:"fromLineNum"`
	ToLineNum   Int    `json:"toLineNum"` // last line in LogContent; less than FromLineNum when there is none yet
	LogContent  string `json:"logContent"`
	IsEnd       bool   `json:"isEnd"`
}

// Registry is a heartbeat, a registration or its removal.
type Registry struct {
	Group     string     `json:"registryGroup"` // always EXECUTOR
	Key       string     `json:"registryKey"`   // app name
	Value     string     `json:"registryValue"` // address
	Gluewheel *RegistryX `json:"gluewheel,omitempty"`
}

// RegistryGroup is the only value of Registry.Group in use.
const RegistryGroup = "EXECUTOR"

// RegistryX is what our executors declare.
type RegistryX struct {
	Protocol   int      `json:"protocol"` // 1: batch, idempotent repeats, kill by log id
	InstanceID string   `json:"instance"` // survives restarts: kept beside the journal
	BootID     string   `json:"boot"`     // new with every process
	Version    string   `json:"version"`  // of the program, for people
	Engines    []string `json:"engines"`  // glue types it runs
	Handlers   []string `json:"handlers,omitempty"`
	Notes      []string `json:"notes,omitempty"` // how it isolates and kills, for people
	// Held lists the log ids that it has accepted and whose result the admin has not
	// acknowledged. An open run of this executor that is not listed is lost.
	Held []int64 `json:"held"`
}

// Callback is one result. It accepts every dialect and is written in B's.
type Callback struct {
	LogID         Int            `json:"logId"`
	LogDateTim    Int            `json:"logDateTim"`
	LogDateTime   Int            `json:"logDateTime,omitempty"`
	HandleCode    Int            `json:"handleCode"`
	HandleMsg     *string        `json:"handleMsg,omitempty"`
	ExecuteResult *ExecuteResult `json:"executeResult,omitempty"` // A0 and the Go client
	Gluewheel     *CallbackX     `json:"gluewheel,omitempty"`
}

// ExecuteResult is how dialect A0 and the Go client report a result.
type ExecuteResult struct {
	Code Int    `json:"code"`
	Msg  string `json:"msg"`
}

// CallbackX says more than three codes can. Outcome is a terminal state's name as
// the admin spells it (succeeded, failed, timed_out, killed, lost); Reason a stable code.
type CallbackX struct {
	Outcome   string  `json:"outcome"`
	Reason    string  `json:"reason"`
	StartedMS int64   `json:"started_ms,omitempty"` // Unix ms, when the code began
	EndedMS   int64   `json:"ended_ms,omitempty"`
	CPUMS     int64   `json:"cpu_ms,omitempty"`
	PeakBytes int64   `json:"peak_bytes,omitempty"`
	WallMS    int64   `json:"wall_ms,omitempty"`
	LogBytes  int64   `json:"log_bytes,omitempty"`
	HostCalls int64   `json:"host_calls,omitempty"`
	LogTail   *string `json:"log_tail,omitempty"` // failed runs only, at most 64 KiB
}

// Result gives the code and message, wherever the dialect put them.
func (c *Callback) Result() (code int, msg string) {
	if c.HandleCode > 0 {
		if c.HandleMsg != nil {
			msg = *c.HandleMsg
		}
		return int(c.HandleCode), msg
	}
	if c.ExecuteResult != nil {
		return int(c.ExecuteResult.Code), c.ExecuteResult.Msg
	}
	return 0, ""
}
