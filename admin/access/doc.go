// Package access says who an executor is: which tokens there are, what each of them
// lets its owner do, and which one an executor is sent.
//
// There is an optional global token, which speaks for every app name, and tokens of
// groups, which speak for their group alone. Without any, nobody is let in. Tokens of
// groups are kept in memory and read again when a group changes, and each half minute in
// case that nobody told; while the database is away the last known ones hold.
//
// An executor has one token for both directions. It is sent the one that it registered
// with, so that tokens can be replaced one executor at a time; where none has registered,
// the group's chosen one, and in a group without tokens the global one. A token that
// cannot be read with the admin's key is not replaced by another: the request goes out
// without one, and the executor refuses it.
package access
