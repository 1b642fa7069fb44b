package auth

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gluewheel/gluewheel/admin/job"
)

// Access is what a group of the identity provider stands for here.
type Access struct {
	Role   job.Role                 // admin or auditor; empty for none
	Groups map[string]job.GroupRole // by app name
}

// ParseAccess reads "admin", "auditor", or roles in groups by app name, such as
// "sync:operator,billing:viewer".
func ParseAccess(text string) (Access, error) {
	switch r := job.Role(text); r {
	case job.RoleAdmin, job.RoleAuditor:
		return Access{Role: r}, nil
	}
	a := Access{Groups: map[string]job.GroupRole{}}
	for part := range strings.SplitSeq(text, ",") {
		app, role, ok := strings.Cut(strings.TrimSpace(part), ":")
		if !ok || app == "" || !slices.Contains(job.GroupRoles(), job.GroupRole(role)) {
			return Access{}, fmt.Errorf("read access %q: write admin, auditor, or app:role with one of the roles %v", text, job.GroupRoles())
		}
		a.Groups[app] = job.GroupRole(role)
	}
	return a, nil
}

// mapped is the sum of what the provider's groups stand for.
func mapped(table map[string]Access, groups []string) Access {
	sum := Access{Role: job.RoleUser, Groups: map[string]job.GroupRole{}}
	for _, g := range groups {
		a := table[g]
		if a.Role == job.RoleAdmin || a.Role == job.RoleAuditor && sum.Role == job.RoleUser {
			sum.Role = a.Role
		}
		for app, role := range a.Groups {
			if role.AtLeast(sum.Groups[app]) {
				sum.Groups[app] = role
			}
		}
	}
	return sum
}

// grants finds the groups by their app names. One that does not exist (yet) grants nothing.
func (a *Auth) grants(ctx context.Context, byApp map[string]job.GroupRole) ([]job.Grant, error) {
	groups, err := a.store.GroupsByApp(ctx, slices.Sorted(maps.Keys(byApp)))
	if err != nil {
		return nil, err
	}
	out := make([]job.Grant, len(groups))
	for i, g := range groups {
		out[i] = job.Grant{GroupID: g.ID, Role: byApp[g.AppName]}
	}
	return out, nil
}
