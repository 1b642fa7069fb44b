package store

import (
	"context"

	"github.com/pressly/goose/v3"
)

// MigrateTo brings the schema to one of its versions, upwards or downwards, so that a test
// can see what becomes of the data of then.
func (s *Store) MigrateTo(ctx context.Context, version int64) error {
	return s.withGoose(func(p *goose.Provider) error {
		now, err := p.GetDBVersion(ctx)
		if err != nil {
			return err
		}
		if now < version {
			_, err = p.UpTo(ctx, version)
		} else {
			_, err = p.DownTo(ctx, version)
		}
		return err
	})
}
