package wire

import "context"

// Rates are for tests of how calls are spaced.
type Rates struct{ rates }

// Take is take.
func (r *Rates) Take(ctx context.Context, group int32) error { return r.take(ctx, group) }
