// Package bundle writes groups, jobs and live code as YAML, and brings such a text into
// an installation.
//
// Ids differ between installations, so a group is known by its app name and a job by its
// name within the group; children are named app_name/job name. What a bundle does not
// mention stays as it is: nothing is ever deleted.
//
// [Export] gives a [Bundle] of what there is, [Encode] and [Decode] turn it into YAML and
// back, [Import] makes an installation like a bundle and tells each [Change]. A plan is
// an import whose transaction is taken back, so that it cannot promise what the import
// would not do. What is wrong with a text is told by job.FieldErrors whose fields are
// paths such as groups[0].jobs[2].name, with the line in the message.
//
// The package decides no rights: [Access] is asked for every object it touches.
package bundle
