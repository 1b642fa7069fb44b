// Package migrations holds the versioned SQL of the store, embedded in the binary.
//
// Files are goose migrations, applied in order by admin/store under an advisory
// lock. A migration that has been released is never edited: old binaries keep
// working during a rolling restart, so changes only add.
package migrations

import "embed"

// FS holds every migration file, named NNNNN_what.sql.
//
//go:embed *.sql
var FS embed.FS
