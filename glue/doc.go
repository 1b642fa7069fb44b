// Package glue is the GLUE model that admin and executor share: the types of job
// code, immutable versions, digests and manifests, and their validation.
//
// It is pure: it runs no code and knows no database. A leaf, imported by both sides.
package glue
