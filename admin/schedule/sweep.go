package schedule

import (
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
)

const (
	// sweepAfter is how late a planned row is before any admin takes it: longer than a
	// live owner needs to hand over and claim.
	sweepAfter = 2 * time.Second
	// misfireLateAfter is how late a planned row must have been when an outage ended for
	// its misfire strategy to decide. The window and takeover have long passed by then.
	misfireLateAfter = 30 * time.Second
	// resweepAfter is when a swept row that is still planned is brought again.
	resweepAfter = 5 * time.Second
)

// recent remembers which fires were swept up lately, so that those which wait for their
// claim are not brought twice a second. It holds between one and two spans of
// resweepAfter. The zero value is ready to use.
type recent struct {
	since      time.Time
	young, old map[int64]struct{}
}

// filter returns the fires that were not swept up lately, and remembers them.
func (r *recent) filter(now time.Time, fires []job.Fire) []job.Fire {
	if r.young == nil || now.Sub(r.since) >= resweepAfter {
		r.since, r.old, r.young = now, r.young, make(map[int64]struct{})
	}
	kept := fires[:0]
	for _, f := range fires {
		_, young := r.young[f.RunID]
		_, old := r.old[f.RunID]
		if young || old {
			continue
		}
		r.young[f.RunID] = struct{}{}
		kept = append(kept, f)
	}
	return kept
}
