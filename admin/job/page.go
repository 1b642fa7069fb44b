package job

import (
	"time"

	"github.com/gluewheel/gluewheel/glue"
)

// TotalCap is the largest total that lists count exactly.
const TotalCap = 10_000

// Page is one page of a list in a stable order.
type Page[T any] struct {
	Items       []T
	Total       int    // of the whole filter, at most TotalCap
	TotalCapped bool   // there are more than TotalCap
	NextCursor  string // empty on the last page
}

// Paging asks for a page.
type Paging struct {
	Limit  int    // rows a page; the store bounds it
	Cursor string // NextCursor of the page before, empty = first
}

// Filter selects jobs; zero fields select all.
type Filter struct {
	GroupIDs []int32 // nil = all groups; empty but not nil = none
	Query    string  // part of the name, any case
	Enabled  *bool
	GlueType glue.Type
	Handler  string // part of the handler's name
	Author   string // part of the author's name
	Tag      string // one of its tags

	Sort       Sort // empty = the newest first
	Descending bool
}

// Sort is an order of jobs; those that are alike in it stand by their ids.
type Sort string

const (
	SortID   Sort = "id"
	SortName Sort = "name"      // in any case
	SortNext Sort = "next_fire" // those without one last
)

// Summary is a job as lists show it.
type Summary struct {
	Job
	AppName    string
	GroupTitle string
	LastRun    *LastRun // nil = never ran
}

// LastRun is the newest run of a job that an executor has got, or that ended without one.
type LastRun struct {
	ID      int64
	State   State
	FireAt  time.Time
	EndedAt *time.Time
}
