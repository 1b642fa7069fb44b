// Package auth knows who is asking and what they may do: passwords, sessions, the
// throttling of logins, roles and rights.
//
// A password is kept as an argon2id hash; few are computed at a time, so that a flood
// of logins costs neither the machine's memory nor all of its processors. A session is
// 32 random bytes held by the browser; the store has their SHA-256 only, so a leaked
// table opens nothing. A login answers the same, and takes as long, whether the user
// is unknown or the password wrong.
//
// [Identity.May] is the one place that decides about a right. The package has no
// handlers and no SQL.
package auth
