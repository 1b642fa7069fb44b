package auth

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

const (
	mine, foreign int32 = 7, 8
)

func person(role job.Role, grants ...job.Grant) Identity {
	return identity(job.User{ID: 2, Username: "ann", Role: role, Grants: grants})
}

func in(group int32, role job.GroupRole) job.Grant { return job.Grant{GroupID: group, Role: role} }

// groupRights are the rights that each group role adds to the ones below it.
var groupRights = map[job.GroupRole][]Right{
	job.GroupViewer:    {GroupView, JobView},
	job.GroupOperator:  {JobOperate},
	job.GroupEditor:    {JobEdit, GlueUpload},
	job.GroupPublisher: {GluePublish},
	job.GroupAdmin:     {GroupEdit, AlarmEdit, SecretEdit, WireTokenEdit, AuditView},
}

func TestIdentity_HigherGroupRolesIncludeLowerOnes(t *testing.T) {
	t.Parallel()
	var sofar []Right
	for _, role := range job.GroupRoles() {
		sofar = append(sofar, groupRights[role]...)
		id := person(job.RoleUser, in(mine, role))
		for _, r := range Rights() {
			if _, perGroup := needed(r); !perGroup {
				continue
			}
			has := slices.Contains(sofar, r)
			require.Equal(t, has, id.May(r, mine), "%s %s", role, r)
			require.Equal(t, has, id.Holds(r), "%s %s", role, r)
			require.Equal(t, r == JobView || r == GroupView, person(job.RoleUser).Holds(r), r)
			require.False(t, id.May(r, foreign), "%s %s", role, r)
			require.False(t, id.May(r, 0), "%s %s", role, r)
			groups, all := id.GroupsWith(r)
			require.False(t, all)
			require.NotNil(t, groups)
			require.Equal(t, has, slices.Contains(groups, mine))
		}
		require.False(t, id.Holds(SystemAdmin) || id.Holds(UserEdit) || id.Holds(UserView))
	}
}

func TestIdentity_RolesEverywhere(t *testing.T) {
	t.Parallel()
	admin, auditor := person(job.RoleAdmin), person(job.RoleAuditor)
	reads := []Right{Self, AccountOwn, TokenOwn, GroupView, JobView, AuditView, UserView}
	for _, r := range Rights() {
		require.True(t, admin.May(r, mine), r)
		require.True(t, admin.May(r, 0), r)
		require.Equal(t, slices.Contains(reads, r), auditor.May(r, mine), r)
		require.Equal(t, slices.Contains(reads, r), auditor.Holds(r), r)
		require.False(t, Identity{}.Holds(r), r)
		require.False(t, Identity{}.May(r, mine), r)
	}
	require.True(t, Identity{}.Holds(Public))
	require.False(t, admin.Holds("no.such"))
	require.False(t, admin.May("no.such", mine))
	groups, all := auditor.GroupsWith(JobView)
	require.True(t, all)
	require.Nil(t, groups)
	mixed := person(job.RoleAuditor, in(mine, job.GroupOperator))
	require.True(t, mixed.May(JobOperate, mine))
	require.False(t, mixed.May(JobOperate, foreign))
	require.Equal(t, reads, auditor.Rights())
}

func TestIdentity_TokensMayNoMoreThanTheirUserAndThemselves(t *testing.T) {
	t.Parallel()
	publisher := person(job.RoleUser, in(mine, job.GroupPublisher), in(9, job.GroupViewer))
	for _, c := range []struct {
		name              string
		id                Identity
		token             job.APIToken
		may, mayNot       []Right
		elsewhere, system bool
	}{
		{"viewer of all", publisher, job.APIToken{Role: "viewer"}, []Right{JobView}, []Right{JobOperate}, false, false},
		{"more than its user", publisher, job.APIToken{Role: "group_admin"}, []Right{GluePublish}, []Right{GroupEdit}, false, false},
		{"another group only", publisher, job.APIToken{Role: "publisher", GroupIDs: []int32{9, foreign}}, nil, []Right{JobView}, false, false},
		{"of an admin, one group", person(job.RoleAdmin), job.APIToken{Role: "operator", GroupIDs: []int32{mine}}, []Right{JobOperate}, []Right{JobEdit}, false, false},
		{"of an admin, all groups", person(job.RoleAdmin), job.APIToken{Role: "operator"}, []Right{JobOperate}, []Right{JobEdit}, true, false},
		{"of an admin, everything", person(job.RoleAdmin), job.APIToken{Role: "admin"}, []Right{GroupEdit}, nil, true, true},
		{"of who was admin", publisher, job.APIToken{Role: "admin"}, []Right{GluePublish}, []Right{GroupEdit}, false, false},
		{"auditor of an admin", person(job.RoleAdmin), job.APIToken{Role: "auditor"}, []Right{JobView, AuditView}, []Right{JobOperate, GroupEdit}, true, false},
		{"auditor of who was one", publisher, job.APIToken{Role: "auditor"}, []Right{JobView}, []Right{JobOperate, AuditView}, false, false},
		{"operator of an auditor", person(job.RoleAuditor), job.APIToken{Role: "operator"}, []Right{JobView}, []Right{JobOperate, AuditView}, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			id := c.id.narrow(c.token)
			for _, r := range c.may {
				require.True(t, id.May(r, mine), r)
			}
			for _, r := range c.mayNot {
				require.False(t, id.May(r, mine), r)
			}
			require.Equal(t, c.elsewhere, id.May(JobView, foreign))
			require.Equal(t, c.system, id.Holds(SystemAdmin))
			require.False(t, id.Holds(AccountOwn), "a token changes no password")
			require.True(t, id.Holds(TokenOwn))
		})
	}
}

func TestIdentity_CoversWhatATokenMayDo(t *testing.T) {
	t.Parallel()
	admin, auditor := person(job.RoleAdmin), person(job.RoleAuditor)
	editor := person(job.RoleUser, in(mine, job.GroupEditor))
	for _, c := range []struct {
		name   string
		id     Identity
		role   job.TokenRole
		groups []int32
		want   bool
	}{
		{"own role in own group", editor, "editor", []int32{mine}, true},
		{"more than one's own", editor, "publisher", []int32{mine}, false},
		{"foreign group", editor, "viewer", []int32{mine, foreign}, false},
		{"all one's own groups", editor, "publisher", nil, true},
		{"admin by a user", editor, "admin", nil, false},
		{"auditor by a user", editor, "auditor", nil, false},
		{"auditor by an auditor", auditor, "auditor", nil, true},
		{"admin by an auditor", auditor, "admin", nil, false},
		{"admin by an admin", admin, "admin", nil, true},
		{"any group by an admin", admin, "group_admin", []int32{foreign}, true},
		{"all groups by a token of one", admin.narrow(job.APIToken{Role: "editor", GroupIDs: []int32{mine}}), "editor", nil, false},
		{"its group by a token", admin.narrow(job.APIToken{Role: "editor", GroupIDs: []int32{mine}}), "editor", []int32{mine}, true},
		{"more by a token", admin.narrow(job.APIToken{Role: "editor", GroupIDs: []int32{mine}}), "publisher", []int32{mine}, false},
	} {
		require.Equal(t, c.want, c.id.Covers(c.role, c.groups), c.name)
	}
	soon := time.Now()
	later := soon.Add(time.Hour)
	require.False(t, outlives(&soon, &later))
	require.True(t, outlives(&later, &soon))
	require.True(t, outlives(nil, &soon))
	require.False(t, outlives(nil, nil))
}

func TestParseAccess(t *testing.T) {
	t.Parallel()
	a, err := ParseAccess("sync:operator, billing:viewer")
	require.NoError(t, err)
	require.Equal(t, map[string]job.GroupRole{"sync": job.GroupOperator, "billing": job.GroupViewer}, a.Groups)
	a, err = ParseAccess("auditor")
	require.NoError(t, err)
	require.Equal(t, job.RoleAuditor, a.Role)
	for _, wrong := range []string{"", "user", "sync", "sync:boss", ":viewer", "sync:viewer,"} {
		_, err = ParseAccess(wrong)
		require.ErrorContains(t, err, "write admin, auditor, or app:role", wrong)
	}
}

func TestMapped_SumsUpWhatAllGroupsStandFor(t *testing.T) {
	t.Parallel()
	table := map[string]Access{
		"ops": {Groups: map[string]job.GroupRole{"sync": job.GroupOperator}},
		"dev": {Groups: map[string]job.GroupRole{"sync": job.GroupViewer, "billing": job.GroupEditor}},
		"aud": {Role: job.RoleAuditor},
		"adm": {Role: job.RoleAdmin},
	}
	sum := mapped(table, []string{"ops", "dev", "unknown"})
	require.Equal(t, Access{Role: job.RoleUser, Groups: map[string]job.GroupRole{"sync": job.GroupOperator, "billing": job.GroupEditor}}, sum)
	require.Equal(t, job.RoleAdmin, mapped(table, []string{"adm", "aud"}).Role)
	require.Equal(t, job.RoleAdmin, mapped(table, []string{"aud", "adm"}).Role)
	require.Equal(t, job.RoleAuditor, mapped(table, []string{"aud", "ops"}).Role)
}
