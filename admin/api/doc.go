// Package api is the REST API under /api/v1 for people, the web UI and the command
// line: huma on fiber, described by an OpenAPI 3.1 document that is generated from the
// types in this package.
//
// The way of a request:
//
//	app (NewApp)      recover, bound on the body, headers of every answer
//	guard             deadline, readable URL, same origin, media type, session, right
//	huma              parse and check against the schema: unknown fields are refused
//	onJob, onRun, …   load the object, check the right on the object's group
//	handler           one call, answer
//	problem           errors become RFC 9457 problems, here and nowhere else
//
// Every route stands in the table of routes.go with the right it needs. Handlers decide
// nothing: rules are in admin/job, SQL is in admin/store, and what other parts of the
// admin do (kill a run, read a log) comes in through [Deps].
//
// The endpoints that executors call are not here but in admin/wire.
package api
