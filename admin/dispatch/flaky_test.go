package dispatch

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/store"
)

// flakyStore refuses claims while it is away.
type flakyStore struct {
	*store.Store
	away  atomic.Bool
	tries atomic.Int32
}

func (s *flakyStore) Claim(ctx context.Context, owner int32, lease time.Duration, claims []job.Claim) ([]job.Claimed, error) {
	s.tries.Add(1)
	if s.away.Load() {
		return nil, errors.New("connection refused")
	}
	return s.Store.Claim(ctx, owner, lease, claims)
}
