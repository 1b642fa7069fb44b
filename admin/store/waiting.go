package store

import (
	"context"
	"fmt"

	"github.com/gluewheel/gluewheel/admin/job"
)

// waitingApps has the same idea of silence as readExecutors.
const waitingApps = `
SELECT n.app_name, array_agg(n.address ORDER BY n.address) AS addresses,
	(array_agg(n.dialect ORDER BY n.heartbeat_at DESC))[1] AS dialect,
	min(n.registered_at) AS first_seen_at, max(n.heartbeat_at) AS last_seen_at
FROM executor_node AS n
WHERE NOT EXISTS (SELECT FROM job_group AS g WHERE g.app_name = n.app_name)
GROUP BY n.app_name
ORDER BY n.app_name
LIMIT $1`

// WaitingApps lists the app names whose executors register although no group has them.
// Like all executors they are forgotten after a day of silence.
func (s *Store) WaitingApps(ctx context.Context) ([]job.WaitingApp, error) {
	apps, err := many[job.WaitingApp](ctx, s.pool, waitingApps, job.MaxWaiting)
	if err != nil {
		return nil, fmt.Errorf("read waiting app names: %w", err)
	}
	return apps, nil
}
