package job

import (
	"errors"
	"time"
	"unicode/utf8"

	"github.com/gluewheel/gluewheel/glue"
)

// Why a version is not reviewed.
var (
	// ErrOwnVersion: the author cannot be the second pair of eyes.
	ErrOwnVersion = errors.New("reviewed by its author")
	// ErrNotPending: it was live at once, or somebody has decided already.
	ErrNotPending = errors.New("does not wait for approval")
	// ErrPending: what was to be published waits for approval already.
	ErrPending = errors.New("same as a version that waits for approval")
)

// MaxReviewNote is the most characters of a note.
const MaxReviewNote = 1000

// Review is a decision on a pending version.
type Review struct {
	JobID  int32
	Number int32
	To     glue.Review // ReviewApproved or ReviewRejected
	By     string      // username
	Note   string
}

// ValidateReview says what is wrong with a decision. Who rejects must say why.
func ValidateReview(r *Review) []*FieldError {
	var f fields
	switch n := utf8.RuneCountInString(r.Note); {
	case n > MaxReviewNote:
		f.add("note", "It has %d characters. Use at most %d.", n, MaxReviewNote)
	case n == 0 && r.To == glue.ReviewRejected:
		f.add("note", "It is empty. Say what the author should change.")
	}
	return f
}

// PendingVersion is a version that waits for approval.
type PendingVersion struct {
	JobID       int32     `db:"job_id"`
	JobName     string    `db:"job_name"`
	GroupID     int32     `db:"group_id"`
	Number      int32     `db:"number"`
	Type        glue.Type `db:"glue_type"`
	Author      string    `db:"author"`
	Remark      string    `db:"remark"`
	BaseVersion int32     `db:"base_version"`
	LiveVersion int32     `db:"live_version"` // another than BaseVersion: it can only be rejected
	CreatedAt   time.Time `db:"created_at"`
}
