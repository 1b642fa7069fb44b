package api

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"unicode"

	"github.com/gluewheel/gluewheel/admin/audit"
	"github.com/gluewheel/gluewheel/admin/auth"
	"github.com/gluewheel/gluewheel/admin/job"
)

// loginFailed is the action of failed logins in the audit log.
const loginFailed = "loginFailed"

// noteLogin writes a login that was refused into the audit log, under the name that was
// typed; err is why. What is not the fault of who logs in is left out, and so is most of
// a flood: then the next entry tells how many were.
func (s *server) noteLogin(ctx context.Context, username string, from netip.Addr, err error) {
	reason := refusalOf(err)
	if reason == "" {
		return
	}
	noted, hidden := s.deps.Auth.Noteworthy(from)
	if !noted {
		return
	}
	e, _ := audit.Of(ctx).Pending() // knows the request
	e.Actor, e.Action, e.ObjectType = printable(username), loginFailed, "session"
	ctx = audit.With(ctx, e)
	after := map[string]any{"reason": reason}
	if hidden > 0 {
		after["not_recorded"] = hidden
	}
	audit.Record(ctx, audit.Change{After: after})
	if err := s.deps.Store.WriteAudit(ctx); err != nil {
		s.log.WarnContext(ctx, "failed login not recorded", "reason", reason, "err", err)
	}
}

// refusalOf is a word for why somebody was not let in; empty when it was not their fault.
func refusalOf(err error) string {
	field, _ := errors.AsType[*job.FieldError](err)
	_, throttled := errors.AsType[*auth.TooManyError](err)
	switch {
	case throttled:
		return "throttled"
	case errors.Is(err, auth.ErrWrongLogin):
		return "wrong_login"
	case errors.Is(err, auth.ErrSSOName):
		return "name_taken"
	case errors.Is(err, auth.ErrSSO):
		return "not_vouched_for"
	case field != nil && field.Field == "old_password":
		return "wrong_old_password"
	}
	return ""
}

// printable keeps what strangers type from doing things to terminals and pages.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, name)
}
