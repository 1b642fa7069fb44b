//go:build !mutant_ring

package store

import "github.com/jackc/pgx/v5"

// mover moves next fires in the transaction that writes their rows: both or neither.
func (p *planning) mover() pgx.Tx { return p.tx }
