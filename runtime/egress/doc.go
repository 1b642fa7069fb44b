// Package egress makes the HTTP requests of guests, in the supervising process, since a
// sandbox worker reaches nothing. It denies by default, and checks at every step:
//
//  1. The scheme is http or https, the method an ordinary one.
//  2. The host is one that the version was granted and that the executor allows, with
//     the scheme's own port unless the grant names another.
//  3. The address, once the name is resolved and just before it is dialled, is public:
//     not private, loopback, link-local (where clouds keep their metadata) or otherwise
//     reserved, unless the executor allows its network. Checked there, a name that
//     resolves to something else the second time gains nothing.
//  4. A redirect is a new request, checked like the first.
//
// Time and size are bounded. No proxy of the environment is used, and no cookie is kept.
package egress
