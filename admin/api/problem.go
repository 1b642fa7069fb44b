package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/gluewheel/gluewheel/admin/auth"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/seal"
)

// invalid is what validation found.
type invalid []*job.FieldError

func (e invalid) Error() string {
	if len(e) == 0 {
		return "invalid input"
	}
	return e[0].Error()
}

// orNil is the error of a validation that may have found nothing.
func (e invalid) orNil() error {
	if len(e) == 0 {
		return nil
	}
	return e
}

// answers are the domain's errors as problems.
var answers = []struct {
	err      error
	status   int
	detail   string
	location string // of the one entry in errors; empty for none
}{
	{auth.ErrWrongLogin, http.StatusUnauthorized, "The user name or the password is wrong.", ""},
	{auth.ErrNoSession, http.StatusUnauthorized, "You are not logged in, or the session has expired. Log in.", ""},
	{auth.ErrForbidden, http.StatusForbidden, "You do not have the right to do this. Ask an admin for it.", ""},
	{job.ErrNotFound, http.StatusNotFound, "There is no such object; it may have been deleted.", ""},
	{job.ErrConflict, http.StatusConflict, "Somebody else has changed it since you read it. Read it again and repeat your change.", "body.version"},
	{job.ErrUnchanged, http.StatusConflict, "This is what is live already. Change something before you publish.", "body.source"},
	{job.ErrPending, http.StatusConflict, "The same code waits for approval already. Have another publisher look at it.", "body.source"},
	{job.ErrNotPending, http.StatusConflict, "This version does not wait for approval: it was live at once, or somebody has decided on it already.", ""},
	{job.ErrOwnVersion, http.StatusForbidden, "You have published this version yourself. Another publisher of the group has to look at it.", ""},
	{job.ErrDuplicateApp, http.StatusConflict, "Another group has this app name. Choose another one.", "body.app_name"},
	{job.ErrDuplicateUser, http.StatusConflict, "Another user has this name. Choose another one.", "body.username"},
	{job.ErrLastAdmin, http.StatusConflict, "Nobody else could administer gluewheel then. Make another admin first.", ""},
	{job.ErrGroupInUse, http.StatusConflict, "The group still has jobs. Move or delete them first.", ""},
	{job.ErrExecutor, http.StatusBadGateway, "The executor did not do it, or did not answer. Look at the run in a moment, then try again.", ""},
	{job.ErrDuplicateName, http.StatusConflict, "Another one has this name. Choose another name.", "body.name"},
	{job.ErrChannelInUse, http.StatusConflict, "Alarm rules use this channel. Take it out of them first.", ""},
	{job.ErrNoChannel, http.StatusUnprocessableEntity, "One of the channels does not exist. Choose existing ones.", "body.channel_ids"},
	{job.ErrForeignJob, http.StatusUnprocessableEntity, "One of the jobs does not exist in this group. Choose jobs of the group.", "body.job_ids"},
	{job.ErrTooManySecrets, http.StatusConflict, "The group has 500 of them, which is the most. Delete some first.", ""},
	{seal.ErrNoKey, http.StatusConflict, "This admin has no key to keep secrets with. Start it with --seal-key-file.", ""},
	{job.ErrSandbox, http.StatusServiceUnavailable, "The code could not be looked at, by no fault of its own. Try again in a moment; the admin's log says more.", ""},
	{job.ErrEnded, http.StatusConflict, "The run has already ended.", ""},
}

// problem turns any error into the answer of RFC 9457. What is not foreseen is logged
// here and told as 500 without its text.
func (s *server) problem(ctx context.Context, err error) error {
	if p := domainProblem(err); p != nil {
		return p
	}
	if tooMany, ok := errors.AsType[*auth.TooManyError](err); ok {
		seconds := int(tooMany.After/time.Second) + 1
		p := newProblem(http.StatusTooManyRequests, fmt.Sprintf("There were too many failed logins. Try again in %d seconds.", seconds))
		return huma.ErrorWithHeaders(p, http.Header{"Retry-After": {strconv.Itoa(seconds)}})
	}
	switch {
	case s.deps.Unavailable(err):
		s.log.WarnContext(ctx, "request failed without the database", "err", err)
		p := newProblem(http.StatusServiceUnavailable, "The database does not answer. Nothing was changed; try again in a moment.")
		return huma.ErrorWithHeaders(p, http.Header{"Retry-After": {"2"}})
	case errors.Is(err, context.DeadlineExceeded):
		s.log.WarnContext(ctx, "request took too long", "err", err)
		return newProblem(http.StatusServiceUnavailable, "This took too long and was given up. Look whether it happened, then try again.")
	}
	s.log.ErrorContext(ctx, "request failed", "err", err)
	return newProblem(http.StatusInternalServerError, internalDetail)
}

// internalDetail is all that people are told of a mistake of ours, beside where to look.
const internalDetail = "Something went wrong in the server. Its log says what."

func domainProblem(err error) *huma.ErrorModel {
	if p, ok := errors.AsType[*huma.ErrorModel](err); ok {
		return p
	}
	if list, ok := errors.AsType[invalid](err); ok {
		return fieldsProblem(list)
	}
	if one, ok := errors.AsType[*job.FieldError](err); ok {
		return fieldsProblem(invalid{one})
	}
	if code, ok := errors.AsType[*job.CodeError](err); ok {
		return codeProblem(code)
	}
	for _, a := range answers {
		if errors.Is(err, a.err) {
			p := newProblem(a.status, a.detail)
			if a.location != "" {
				p.Errors = []*huma.ErrorDetail{{Location: a.location, Message: a.detail}}
			}
			return p
		}
	}
	return nil
}

func newProblem(status int, detail string) *huma.ErrorModel {
	return &huma.ErrorModel{Status: status, Title: http.StatusText(status), Detail: detail}
}

func fieldsProblem(list invalid) *huma.ErrorModel {
	p := newProblem(http.StatusUnprocessableEntity, invalidInput)
	for _, f := range list {
		p.Errors = append(p.Errors, &huma.ErrorDetail{Location: place(f.Field), Message: f.Message})
	}
	tidy(p)
	return p
}

// place is where a field stands in a request: the body, but for the cursor and what
// says otherwise itself.
func place(field string) string {
	switch {
	case field == "cursor":
		return "query.cursor"
	case strings.HasPrefix(field, "path."):
		return field
	}
	return "body." + field
}

// codeProblem marks the place in the source for an editor.
func codeProblem(e *job.CodeError) *huma.ErrorModel {
	p := newProblem(http.StatusUnprocessableEntity, "The code cannot be run: "+e.Message)
	d := &huma.ErrorDetail{Location: "body.source", Message: e.Message}
	if e.Line > 0 {
		p.Detail = fmt.Sprintf("The code cannot be run: line %d: %s", e.Line, e.Message)
		d.Value = map[string]int{"line": e.Line, "column": e.Column}
	}
	p.Errors = []*huma.ErrorDetail{d}
	return p
}

const (
	invalidInput = "The input is not accepted."
	humaInvalid  = "validation failed" // huma's own word for it
	maxEcho      = 100                 // characters of a value that are repeated in a problem
	maxDetails   = 50                  // entries of errors
)

// tidyProblems is a huma transformer: it makes huma's own problems those of this API.
func tidyProblems(hc huma.Context, _ string, v any) (any, error) {
	if p, ok := v.(*huma.ErrorModel); ok {
		tidy(p)
		nameFailure(hc.Context(), p)
	}
	return v, nil
}

func tidy(p *huma.ErrorModel) {
	p.Errors = p.Errors[:min(len(p.Errors), maxDetails)]
	for _, d := range p.Errors {
		tidyDetail(d)
	}
	if len(p.Errors) > 0 && (p.Detail == humaInvalid || p.Detail == invalidInput) {
		first := p.Errors[0]
		p.Detail = fmt.Sprintf("%s %s: %s", invalidInput, first.Location, first.Message)
	}
}

// missing is how huma reports an absent field: at the object that lacks it.
var missing = regexp.MustCompile(`^expected required property (\S+) to be present$`)

// advice says to people what huma's terse messages mean for them.
var advice = map[string]string{
	"unexpected property":     "There is no such field. Take it out.",
	"unknown query parameter": "There is no such parameter. Take it out.",
}

func tidyDetail(d *huma.ErrorDetail) {
	if m := missing.FindStringSubmatch(d.Message); m != nil {
		d.Location, d.Message, d.Value = d.Location+"."+m[1], "This is required. Fill it in.", nil
	}
	// Errors of decoding name their place in the text, because huma knows only "body".
	if where, what, ok := strings.Cut(d.Message, ": "); ok && d.Location == "body" && strings.HasPrefix(where, "body") {
		d.Location, d.Message = where, what
	}
	d.Message = cmp.Or(advice[d.Message], d.Message)
	if !mayEcho(d) {
		d.Value = nil
	}
}

// mayEcho keeps secrets, whole bodies and long texts out of answers and of the logs of
// those who get them.
func mayEcho(d *huma.ErrorDetail) bool {
	if d.Location == "body" || strings.Contains(d.Location, "password") {
		return false
	}
	switch v := d.Value.(type) {
	case string:
		return v != "" && utf8.RuneCountInString(v) <= maxEcho
	case bool, float64, int64, int32, int, map[string]int:
		return true
	default:
		return false
	}
}
