package api

import (
	"context"
	"fmt"
	"slices"

	"github.com/gluewheel/gluewheel/admin/auth"
	"github.com/gluewheel/gluewheel/admin/job"
)

// checkAddresses keeps the tokens of executors from those who may not know them: the
// admin sends one to every address that it calls. Addresses of the group's executors,
// and those that stand in the group, are anybody's. Others may be entered by whoever may
// read the token that would be sent there: of the group's own its admins, of the global
// one the installation's.
func (s *server) checkAddresses(ctx context.Context, field string, g job.Group, addresses []string) error {
	c := callerOf(ctx)
	if len(addresses) == 0 || c.Admin() {
		return nil
	}
	strangers, err := s.strangers(ctx, g, addresses)
	if err != nil || len(strangers) == 0 {
		return err
	}
	own, err := s.deps.Store.GroupTokens(ctx, g.ID)
	if err != nil {
		return err
	}
	if len(own) > 0 && c.May(auth.WireTokenEdit, g.ID) {
		return nil
	}
	return &job.FieldError{Field: field, Message: fmt.Sprintf(
		"%q is no executor of the group, and you may not send it the token that would go there. Choose one that is registered, or ask an admin.", strangers[0])}
}

// checkGroupEdit keeps a group's admins from reaching beyond their group: by another app
// name to executors that are not theirs, by an address to a token.
func (s *server) checkGroupEdit(ctx context.Context, old, edited job.Group) error {
	if edited.AppName != old.AppName && !callerOf(ctx).Admin() {
		return &job.FieldError{Field: "app_name", Message: "Only an admin of the installation may change it: other executors would become the group's."}
	}
	if old.RequireReview && !edited.RequireReview && !callerOf(ctx).Admin() {
		return &job.FieldError{Field: "require_review", Message: "Only an admin of the installation may turn it off: it binds those who administer the group, too."}
	}
	return s.checkAddresses(ctx, "address_list", old, edited.AddressList)
}

// strangers are the addresses that neither registered for the group nor stand in it.
func (s *server) strangers(ctx context.Context, g job.Group, addresses []string) ([]string, error) {
	executors, err := s.deps.Store.Executors(ctx)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, a := range g.AddressList {
		known[job.SameAddress(a)] = true
	}
	for _, e := range executors {
		if e.AppName == g.AppName {
			known[job.SameAddress(e.Address)] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(addresses), func(a string) bool { return known[job.SameAddress(a)] }), nil
}
