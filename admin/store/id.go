package store

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/job"
)

// idBlock is INCREMENT BY of run_counter_seq.
const idBlock = 1000

// idBlocks hands out run counters from blocks fetched ahead, so that a run's id costs
// no statement of its own. Counters of a block that is never used up are simply lost.
type idBlocks struct {
	mu   sync.Mutex
	free []idRange
}

type idRange struct{ next, end int64 }

// querier is the pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// NextIDs returns an id for each instant, unique over all admins.
func (s *Store) NextIDs(ctx context.Context, fireAt []time.Time) ([]int64, error) {
	return s.nextIDs(ctx, s.pool, fireAt)
}

// nextIDs is NextIDs over q: inside a transaction q is that transaction, so that
// nobody waits for a second connection while it holds one.
func (s *Store) nextIDs(ctx context.Context, q querier, fireAt []time.Time) ([]int64, error) {
	s.ids.mu.Lock()
	defer s.ids.mu.Unlock()
	if err := s.fillIDs(ctx, q, int64(len(fireAt))); err != nil {
		return nil, err
	}
	ids := make([]int64, len(fireAt))
	for i, at := range fireAt {
		r := &s.ids.free[0]
		ids[i] = job.RunID(at, r.next)
		if r.next++; r.next == r.end {
			s.ids.free = s.ids.free[1:]
		}
	}
	return ids, nil
}

// reserveIDs makes sure that n counters are at hand, so that a transaction which follows
// need not fetch them under its locks.
func (s *Store) reserveIDs(ctx context.Context, n int64) error {
	s.ids.mu.Lock()
	defer s.ids.mu.Unlock()
	return s.fillIDs(ctx, s.pool, n)
}

// fillIDs fetches as many blocks as n counters need, in one statement.
func (s *Store) fillIDs(ctx context.Context, q querier, n int64) error {
	for _, r := range s.ids.free {
		n -= r.end - r.next
	}
	if n <= 0 {
		return nil
	}
	blocks := (n + idBlock - 1) / idBlock
	rows, err := q.Query(ctx, `SELECT nextval('run_counter_seq') FROM generate_series(1, $1)`, blocks)
	if err != nil {
		return fmt.Errorf("fetch run counters: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var start int64
		if err := rows.Scan(&start); err != nil {
			return fmt.Errorf("fetch run counters: %w", err)
		}
		s.ids.free = append(s.ids.free, idRange{start, start + idBlock})
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("fetch run counters: %w", err)
	}
	return nil
}
