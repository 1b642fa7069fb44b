//go:build mutant_ring

package store

import "github.com/jackc/pgx/v5/pgxpool"

// mover lets the schedule go on before its rows are committed, as a ring does that is
// filled before the commit. The fault suite must notice.
func (p *planning) mover() *pgxpool.Pool { return p.store.pool }
