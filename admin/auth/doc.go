// Package auth knows who is asking and what they may do: passwords, sessions, the
// throttling of logins, roles and rights.
//
// A password is kept as an argon2id hash; few are computed at a time, so that a flood
// of logins costs neither the machine's memory nor all of its processors. A session is
// 32 random bytes held by the browser; the store has their SHA-256 only, so a leaked
// table opens nothing. A login answers the same, and takes as long, whether the user
// is unknown or the password wrong.
//
// An API token is gw_ and 24 random bytes, stored like a session. What it may do is
// narrowed at each use to what its user may do then. Single sign-on ([OIDC]) knows an
// account by issuer and subject, and maps the provider's groups anew at each login.
//
// Failed logins are counted per account, per address and per pair of them, in memory to
// spare the database a flood, and in the database over all admins. [Auth.Noteworthy] says
// which of them are worth an entry in the audit log.
//
// [Identity.May] is the one place that decides about a right. The package has no
// handlers and no SQL.
package auth
