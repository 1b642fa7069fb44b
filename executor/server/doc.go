// Package server is the executor's HTTP face: XXL-JOB's endpoints in dialect B's words,
// with answers that peers of every dialect read, and /gw/run for many triggers at once.
//
// Every answer is HTTP 200 with an envelope, because XXL-JOB's clients read nothing
// else. Paths must match to the letter, query included, as they do there. Input is read
// leniently: no body where none is needed, "" as a body, numbers as strings, unknown
// members.
//
// The package parses, checks the token, calls an [Executor] once and answers.
package server
