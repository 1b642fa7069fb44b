// Package doctor audits a running system: is the ledger whole, does everything go on,
// and is the set-up one that its promises can rest on?
//
// [Doctor.Examine] reads the database and changes nothing, so it may be run at any time
// and on any machine that reaches the database. It answers a [Report]: each [Finding] is
// one thing that is wrong, with a sentence and a remedy. What may still be under way, as a
// run that is a few seconds late, is no finding.
//
// The chaos suite asks it after each run, so it is held to what the suite's own checker
// says.
package doctor
