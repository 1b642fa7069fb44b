package job

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/gluewheel/gluewheel/glue"
)

// ErrUnchanged: what was to be published is what is live already.
var ErrUnchanged = errors.New("same as the live version")

// CodeError says where job code is wrong. Line and Column are 1-based, 0 = not known.
type CodeError struct {
	Line, Column int
	Message      string // a sentence
}

func (e *CodeError) Error() string { return e.Message }

// Publish asks for a new live version of a job's code.
type Publish struct {
	JobID       int32
	BaseVersion int32 // number of the version that was edited, 0 = none
	Source      string
	Artifact    *string // digest of an uploaded module, instead of a source
	Manifest    glue.Manifest
	Remark      string
	Author      string
}

// Rollback asks for an old version's content as a new version.
type Rollback struct {
	JobID       int32
	Number      int32 // the old version
	BaseVersion int32 // number of the live version as the user saw it
	Remark      string
	Author      string
}

// Published is a new version, and what publishing it did to the job.
type Published struct {
	Version glue.Version
	Write
}

// Artifact describes an uploaded module.
type Artifact struct {
	Digest     string          `db:"digest"`
	SizeBytes  int64           `db:"size_bytes"`
	Inspection json.RawMessage `db:"inspection"` // a JSON object: what an engine found in it
	CreatedBy  string          `db:"created_by"`
	CreatedAt  time.Time       `db:"created_at"` // of the latest upload
}

// ArtifactUse is a version that uses an artifact.
type ArtifactUse struct {
	JobID   int32  `db:"job_id"`
	JobName string `db:"job_name"`
	Number  int32  `db:"number"`
}

// ArtifactFilter selects artifacts. The zero value selects none.
type ArtifactFilter struct {
	All      bool
	By       string  // what this user uploaded; empty = nobody
	GroupIDs []int32 // what versions of jobs in these groups run
	Query    string  // part of the digest or of the uploader's name, any case
}
