// Package wire serves what executors call: XXL-JOB's registry, registryRemove and
// callback and the job-management API of 3.5, below /api and /xxl-job-admin/api; and,
// below /gw and /xxl-job-admin/gw, what ours need beside it for their open runs.
//
// Every answer of the protocol is HTTP status 200 with an envelope that both generations
// of Java clients read. No token, no service: a token of a group opens what concerns that
// group (its registrations, the results of its runs, its jobs), the global one, if there
// is one, all. A registration is taken at once and stored soon after; a callback is
// acknowledged when its results are committed, and refused within 2 s when the database
// is away, so that the executor keeps them and sends them again. A callback may be large:
// then it is read only after its token was looked at, and few are at once.
package wire
