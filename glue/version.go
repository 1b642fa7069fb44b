package glue

import (
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// Limits on what is stored. Sizes in bytes.
const (
	MaxSource   = 1 << 20  // a version's source
	MaxArtifact = 16 << 20 // an uploaded module, by default
	MinRemark   = 4        // characters, as in XXL-JOB
	MaxRemark   = 100      // characters, as in XXL-JOB
)

// Version is one immutable version of a job's code.
type Version struct {
	JobID     int32     `db:"job_id"`
	Number    int32     `db:"number"` // 1, 2, … within the job
	Type      Type      `db:"glue_type"`
	Source    string    `db:"source"` // empty for an uploaded module
	Digest    string    `db:"digest"` // of what runs
	Artifact  *string   `db:"artifact"`
	Manifest  Manifest  `db:"manifest"`
	Remark    string    `db:"remark"`
	Author    string    `db:"author"`
	CreatedAt time.Time `db:"created_at"`

	BaseVersion int32      `db:"base_version"` // number of the live one when it was published, 0 = none
	Review      Review     `db:"review"`
	ReviewedBy  string     `db:"reviewed_by"`
	ReviewedAt  *time.Time `db:"reviewed_at"`
	ReviewNote  string     `db:"review_note"`
}

// Review is where a version stands between its author and a second pair of eyes.
type Review string

// Only what is pending changes, once, to approved or rejected. What is pending or
// rejected never runs.
const (
	ReviewNone     Review = "none" // nobody asked for one: it was live at once
	ReviewPending  Review = "pending"
	ReviewApproved Review = "approved" // and live from then on
	ReviewRejected Review = "rejected"
)

// WasLive reports whether runs may have run the version.
func (r Review) WasLive() bool { return r == ReviewNone || r == ReviewApproved }

// IsolationInproc is the value of Manifest.Isolation that is not the sandbox.
const IsolationInproc = "inproc"

// Manifest is what a version may use. Zero values mean the executor's defaults;
// an empty list grants nothing.
type Manifest struct {
	MemoryBytes int64    `json:"memory_bytes,omitempty"` // real memory of the guest
	CPUSeconds  int64    `json:"cpu_seconds,omitempty"`
	LogBytes    int64    `json:"log_bytes,omitempty"`
	Hosts       []string `json:"hosts,omitempty"`   // that gw.http may call
	Secrets     []string `json:"secrets,omitempty"` // names that gw.secret may read
	KV          bool     `json:"kv,omitempty"`      // gw.kv, the job's own store, is open
	// Isolation "inproc" runs a module in the executor's own process, where that is
	// allowed: faster to start, and without most of the sandbox.
	Isolation string `json:"isolation,omitempty"`
}

// Digest names content by its SHA-256: "sha256:" and 64 hex digits.
func Digest(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}
