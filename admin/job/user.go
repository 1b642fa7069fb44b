package job

import (
	"slices"
	"time"
)

// Role is what a user may do everywhere. What a plain user may do depends on the
// account's grants.
type Role string

const (
	// RoleAdmin may do everything.
	RoleAdmin Role = "admin"
	// RoleAuditor may read everything, the audit log included, and change nothing.
	RoleAuditor Role = "auditor"
	// RoleUser may do what the account's grants say.
	RoleUser Role = "user"
)

// Roles lists every role.
func Roles() []Role { return []Role{RoleAdmin, RoleAuditor, RoleUser} }

// GroupRole is what a user may do with the objects of one group. A higher role
// includes the lower ones.
type GroupRole string

const (
	GroupNone      GroupRole = ""
	GroupViewer    GroupRole = "viewer"      // see jobs, code, runs, logs
	GroupOperator  GroupRole = "operator"    // run, kill, start, stop
	GroupEditor    GroupRole = "editor"      // jobs and drafts
	GroupPublisher GroupRole = "publisher"   // make code live
	GroupAdmin     GroupRole = "group_admin" // the group itself, its secrets, alarms and tokens
)

// GroupRoles lists every group role, the lowest first.
func GroupRoles() []GroupRole {
	return []GroupRole{GroupViewer, GroupOperator, GroupEditor, GroupPublisher, GroupAdmin}
}

// AtLeast reports whether a role includes another one.
func (r GroupRole) AtLeast(other GroupRole) bool { return r.rank() >= other.rank() }

// Min is the lower of two roles.
func (r GroupRole) Min(other GroupRole) GroupRole {
	if r.AtLeast(other) {
		return other
	}
	return r
}

// rank is -1 for what is no role.
func (r GroupRole) rank() int { return slices.Index(GroupRoles(), r) }

// Grant gives a role in a group.
type Grant struct {
	GroupID int32     `json:"group_id"`
	Role    GroupRole `json:"role"`
}

// User is an account.
type User struct {
	ID           int32      `db:"id"`
	Username     string     `db:"username"`
	PasswordHash string     `db:"password_hash"` // argon2id, PHC string; empty: no login by password
	Role         Role       `db:"role"`
	Grants       []Grant    `db:"grants"` // ordered by group
	Disabled     bool       `db:"disabled"`
	Subject      *string    `db:"subject"` // issuer and subject of single sign-on; nil = none
	LastLoginAt  *time.Time `db:"last_login_at"`
	Version      int64      `db:"version"` // moves with every edit
	CreatedAt    time.Time  `db:"created_at"`
	UpdatedAt    time.Time  `db:"updated_at"`
}

// UserEdit replaces what an admin may change of an account.
type UserEdit struct {
	ID           int32
	Version      int64 // as read
	Role         Role
	Grants       []Grant
	Disabled     bool
	PasswordHash string // empty = as it was
}

// Session is a login to be stored.
type Session struct {
	TokenHash []byte // SHA-256 of the secret that the browser holds
	OldHash   []byte // of the session that this one takes the place of; nil = none
	UserID    int32
	Lifetime  time.Duration // after which it ends, however much it is used
	Address   string
	UserAgent string
}

// Renewal gives a session another secret; both are SHA-256.
type Renewal struct{ OldHash, NewHash []byte }

// SessionInfo is a login as its user sees it.
type SessionInfo struct {
	ID        int64     `db:"id"`
	CreatedAt time.Time `db:"created_at"`
	UsedAt    time.Time `db:"used_at"`
	ExpiresAt time.Time `db:"expires_at"` // when it ends, unless it is used before
	Address   string    `db:"address"`
	UserAgent string    `db:"user_agent"`
	Current   bool      `db:"current"` // the one that asks
}

// APIToken lets a program act for a user, with some of the user's rights.
type APIToken struct {
	ID         int32      `db:"id"`
	UserID     int32      `db:"user_id"`
	ParentID   *int32     `db:"parent_id"` // token that made it, and that it ends with; nil = a person made it
	Username   string     `db:"username"`
	Name       string     `db:"name"`
	Prefix     string     `db:"prefix"`     // the token's first characters, to tell it by
	TokenHash  []byte     `db:"token_hash"` // SHA-256
	Role       TokenRole  `db:"role"`
	GroupIDs   []int32    `db:"group_ids"` // empty = all groups of the user
	ExpiresAt  *time.Time `db:"expires_at"`
	LastUsedAt *time.Time `db:"last_used_at"`
	CreatedAt  time.Time  `db:"created_at"`
}

// TokenRole bounds what a token may do: a group role in its groups, or a role
// everywhere. Its user's own rights bound it too, as they are at each use.
type TokenRole string

// TokenRoles lists every role that a token may have, the lowest first.
func TokenRoles() []TokenRole {
	roles := []TokenRole{}
	for _, r := range GroupRoles() {
		roles = append(roles, TokenRole(r))
	}
	return append(roles, TokenRole(RoleAuditor), TokenRole(RoleAdmin))
}

// Bucket is a leaky bucket of failed logins: so many fit, and as many leak out in a
// window.
type Bucket struct {
	Key string
	Max float64
}
