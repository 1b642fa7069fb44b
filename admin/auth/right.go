package auth

import (
	"errors"

	"github.com/gluewheel/gluewheel/admin/job"
)

// ErrForbidden: logged in, but without the right.
var ErrForbidden = errors.New("not allowed")

// Right is what an operation needs. Rights on jobs, their code and their runs are held
// per group: they are asked for with the group of the object at hand.
type Right string

const (
	Public     Right = "public"      // nobody need be logged in
	Self       Right = "self"        // any user, about themselves and the installation
	AccountOwn Right = "account.own" // one's own password and sessions: nothing for API tokens
	TokenOwn   Right = "token.own"   // one's own API tokens

	GroupView     Right = "group.view"      // see a group and its executors
	GroupEdit     Right = "group.edit"      // change a group
	JobView       Right = "job.view"        // see a job, its code and its runs
	JobOperate    Right = "job.operate"     // start, stop, trigger, kill
	JobEdit       Right = "job.edit"        // create, change and delete jobs, keep drafts
	GluePublish   Right = "glue.publish"    // make code live
	GlueUpload    Right = "glue.upload"     // upload modules; they belong to no group until published
	AlarmEdit     Right = "alarm.edit"      // rules of a group's alarms
	SecretEdit    Right = "secret.edit"     // secrets and variables of a group
	WireTokenEdit Right = "wire_token.edit" // tokens of a group's executors

	AuditView   Right = "audit.view"   // read the audit log: of a group, or all of it
	UserView    Right = "user.view"    // see accounts and everybody's tokens
	UserEdit    Right = "user.edit"    // create, change and delete accounts
	SystemAdmin Right = "system.admin" // create groups, and what concerns the whole installation
)

// Rights lists every right but Public.
func Rights() []Right {
	return []Right{
		Self, AccountOwn, TokenOwn, GroupView, GroupEdit, JobView, JobOperate, JobEdit, GluePublish, GlueUpload,
		AlarmEdit, SecretEdit, WireTokenEdit, AuditView, UserView, UserEdit, SystemAdmin,
	}
}

// needed is the least role in the object's group that a right comes with.
func needed(r Right) (role job.GroupRole, perGroup bool) {
	switch r {
	case GroupView, JobView:
		return job.GroupViewer, true
	case JobOperate:
		return job.GroupOperator, true
	case JobEdit, GlueUpload:
		return job.GroupEditor, true
	case GluePublish:
		return job.GroupPublisher, true
	case GroupEdit, AlarmEdit, SecretEdit, WireTokenEdit, AuditView:
		return job.GroupAdmin, true
	default:
		return job.GroupNone, false
	}
}

// Identity is who is asking.
type Identity struct {
	UserID   int32
	Username string
	Role     job.Role
	Grants   []job.Grant
	// Everywhere is the role in every group, beside those of Grants.
	Everywhere job.GroupRole
	// Token is the API token that speaks for the user; nil for the user in person.
	Token *job.APIToken
}

// Admin reports whether the identity has every right in every group.
func (id Identity) Admin() bool { return id.Role == job.RoleAdmin }

// Holds reports whether the identity has a right in at least one group, or anywhere
// if the right has nothing to do with groups. Lists then show what May lets through.
func (id Identity) Holds(r Right) bool {
	switch r {
	case Public:
		return true
	case Self, TokenOwn, GroupView, JobView: // without a group, lists are empty
		return id.UserID != 0
	case AccountOwn:
		return id.UserID != 0 && id.Token == nil
	case UserEdit, SystemAdmin:
		return id.Admin()
	case UserView:
		return id.Admin() || id.Role == job.RoleAuditor
	case AuditView:
		if id.Role == job.RoleAuditor {
			return true
		}
	}
	groups, all := id.GroupsWith(r)
	return all || len(groups) > 0
}

// May reports whether the identity has a right on the objects of a group; 0 is no
// group, for objects of the whole installation.
func (id Identity) May(r Right, groupID int32) bool {
	role, perGroup := needed(r)
	switch {
	case !perGroup:
		return id.Holds(r)
	case id.everywhere(r, role):
		return true
	}
	return groupID != 0 && id.roleIn(groupID).AtLeast(role)
}

// GroupsWith are the groups in which the identity has a right; all instead of a list
// when that is every group.
func (id Identity) GroupsWith(r Right) (groups []int32, all bool) {
	role, perGroup := needed(r)
	if id.everywhere(r, role) && perGroup {
		return nil, true
	}
	groups = []int32{}
	for _, g := range id.Grants {
		if perGroup && g.Role.AtLeast(role) {
			groups = append(groups, g.GroupID)
		}
	}
	return groups, false
}

func (id Identity) everywhere(r Right, role job.GroupRole) bool {
	if r == AuditView { // an auditor reads it without being admin of any group
		return id.Role == job.RoleAdmin || id.Role == job.RoleAuditor
	}
	return role != job.GroupNone && id.Everywhere.AtLeast(role)
}

func (id Identity) roleIn(groupID int32) job.GroupRole {
	for _, g := range id.Grants {
		if g.GroupID == groupID {
			return g.Role
		}
	}
	return job.GroupNone
}

// Rights are those that the identity holds in at least one group, for a page that
// hides what is refused.
func (id Identity) Rights() []Right {
	var held []Right
	for _, r := range Rights() {
		if id.Holds(r) {
			held = append(held, r)
		}
	}
	return held
}

// identity is what an account may do in person.
func identity(u job.User) Identity {
	id := Identity{UserID: u.ID, Username: u.Username, Role: u.Role, Grants: u.Grants}
	switch u.Role {
	case job.RoleAdmin:
		id.Everywhere = job.GroupAdmin
	case job.RoleAuditor:
		id.Everywhere = job.GroupViewer
	}
	return id
}

// ForReading is what an identity may do in a request that changes nothing: an auditor
// sees what an admin sees.
func (id Identity) ForReading() Identity {
	if id.Role == job.RoleAuditor {
		id.Role, id.Everywhere = job.RoleAdmin, job.GroupAdmin
	}
	return id
}

// narrow is what an API token of that user may do: no more than the user may now, and
// no more than the token says.
func (id Identity) narrow(t job.APIToken) Identity {
	id.Token = &t
	switch job.Role(t.Role) {
	case job.RoleAdmin:
		return id
	case job.RoleAuditor:
		return id.readOnly()
	}
	role := job.GroupRole(t.Role)
	out := Identity{UserID: id.UserID, Username: id.Username, Role: job.RoleUser, Token: id.Token}
	if len(t.GroupIDs) == 0 {
		out.Everywhere = id.Everywhere.Min(role)
		for _, g := range id.Grants {
			out.Grants = append(out.Grants, job.Grant{GroupID: g.GroupID, Role: g.Role.Min(role)})
		}
		return out
	}
	for _, g := range t.GroupIDs {
		own := id.roleIn(g)
		if id.Everywhere.AtLeast(own) {
			own = id.Everywhere
		}
		if own = own.Min(role); own != job.GroupNone {
			out.Grants = append(out.Grants, job.Grant{GroupID: g, Role: own})
		}
	}
	return out
}

// readOnly is what an identity may see, without what it may do.
func (id Identity) readOnly() Identity {
	if id.Role == job.RoleAdmin {
		id.Role = job.RoleAuditor
	}
	id.Everywhere = id.Everywhere.Min(job.GroupViewer)
	grants := id.Grants
	id.Grants = nil
	for _, g := range grants {
		id.Grants = append(id.Grants, job.Grant{GroupID: g.GroupID, Role: g.Role.Min(job.GroupViewer)})
	}
	return id
}

// Covers reports whether everything that a token of that role and those groups may do,
// the identity may do itself.
func (id Identity) Covers(role job.TokenRole, groupIDs []int32) bool {
	switch job.Role(role) {
	case job.RoleAdmin:
		return id.Admin()
	case job.RoleAuditor:
		return id.Role == job.RoleAdmin || id.Role == job.RoleAuditor
	}
	if id.Token == nil && len(groupIDs) == 0 {
		return true // narrowed to the user's own groups at each use
	}
	wanted := job.GroupRole(role)
	if id.Everywhere.AtLeast(wanted) {
		return true
	}
	for _, g := range groupIDs {
		if !id.roleIn(g).AtLeast(wanted) {
			return false
		}
	}
	return len(groupIDs) > 0
}
