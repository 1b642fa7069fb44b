package api

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// tagged is an answer that tells the version of the object in a header.
type tagged[T any] struct {
	ETag string `header:"ETag" doc:"The object's version, for If-Match."`
	Body T
}

func withTag[T any](v T, version int64) *tagged[T] { return &tagged[T]{etag(version), v} }

func etag(version int64) string { return fmt.Sprintf("%q", fmt.Sprint(version)) }

// Condition lets a write happen only to the version that the caller has seen.
type Condition struct {
	IfMatch string `header:"If-Match" maxLength:"200" doc:"ETag of the object as read: if it has moved on, nothing is changed (412)."`
}

// met refuses a write to another version than the one that is named; 0 is the version of
// what is not there.
func (c *Condition) met(version int64) error {
	if c.IfMatch == "" {
		return nil
	}
	for tag := range strings.SplitSeq(c.IfMatch, ",") {
		if tag = strings.TrimSpace(tag); version != 0 && (tag == "*" || tag == etag(version)) {
			return nil
		}
	}
	p := newProblem(http.StatusPreconditionFailed, "Somebody else has changed it since you read it. Read it again and repeat your change.")
	message := fmt.Sprintf("The object's version is %d.", version)
	if version == 0 {
		message = "There is no such object."
	}
	p.Errors = []*huma.ErrorDetail{{Location: "header.If-Match", Message: message}}
	return p
}

// only is the version that a write must find: 0 for any.
func (c *Condition) only(version int64) int64 {
	if c.IfMatch == "" || c.IfMatch == "*" {
		return 0
	}
	return version
}
