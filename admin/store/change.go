package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/job"
)

// changeChannel carries a notification for every move of cluster.change_counter.
const changeChannel = "gluewheel_change"

// announce moves the change counter and notifies every admin once tx commits. It comes
// last in a transaction: the one row of cluster is locked until the commit, which makes
// notifications come in the order of their counters.
func announce(ctx context.Context, tx pgx.Tx, c job.Change) error {
	const sql = `
		WITH moved AS (UPDATE cluster SET change_counter = change_counter + 1 RETURNING change_counter)
		SELECT pg_notify($1, $2 || ' ' || $3::int || ' ' || change_counter) FROM moved`
	if _, err := tx.Exec(ctx, sql, changeChannel, string(c.Kind), c.ID); err != nil {
		return fmt.Errorf("announce change of %s %d: %w", c.Kind, c.ID, err)
	}
	return nil
}

// notice is a decoded notification.
type notice struct {
	job.Change
	counter int64
}

func parseNotice(payload string) (notice, error) {
	var n notice
	if _, err := fmt.Sscanf(payload, "%s %d %d", &n.Kind, &n.ID, &n.counter); err != nil {
		return notice{}, fmt.Errorf("read notification %q: %w", payload, err)
	}
	return n, nil
}
