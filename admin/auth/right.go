package auth

import (
	"errors"
	"slices"

	"github.com/gluewheel/gluewheel/admin/job"
)

// ErrForbidden: logged in, but without the right.
var ErrForbidden = errors.New("not allowed")

// Right is what an operation needs. Rights on jobs, their code and their runs are held
// per group: they are asked for with the group of the object at hand.
type Right string

const (
	Public      Right = "public"       // nobody need be logged in
	Self        Right = "self"         // any user, about themselves and the installation
	GroupView   Right = "group.view"   // see a group and its executors
	GroupEdit   Right = "group.edit"   // create, change and delete groups
	JobView     Right = "job.view"     // see a job, its code and its runs
	JobEdit     Right = "job.edit"     // create, change and delete jobs
	JobOperate  Right = "job.operate"  // start, stop, trigger, kill
	GluePublish Right = "glue.publish" // make code live
	GlueUpload  Right = "glue.upload"  // upload modules; they belong to no group until published
)

// Identity is who is asking.
type Identity struct {
	UserID   int32
	Username string
	Role     job.Role
	GroupIDs []int32 // groups of a plain user; empty for admins, who have all
}

// Admin reports whether the identity has every right in every group.
func (id Identity) Admin() bool { return id.Role == job.RoleAdmin }

// Holds reports whether the identity has a right in at least one group, or anywhere
// if the right has nothing to do with groups. Lists then show what May lets through.
func (id Identity) Holds(r Right) bool {
	switch r {
	case Public:
		return true
	case Self, GlueUpload, GroupView, JobView, JobEdit, JobOperate, GluePublish:
		return id.UserID != 0
	case GroupEdit:
		return id.Admin()
	default:
		return false
	}
}

// May reports whether the identity has a right on the objects of a group.
func (id Identity) May(r Right, groupID int32) bool {
	return id.Holds(r) && (id.Admin() || slices.Contains(id.GroupIDs, groupID))
}

// Groups are those that lists are cut down to: nil for an admin, who sees all, and
// never nil otherwise.
func (id Identity) Groups() []int32 {
	if id.Admin() {
		return nil
	}
	return append([]int32{}, id.GroupIDs...)
}
