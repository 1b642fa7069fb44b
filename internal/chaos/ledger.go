package chaos

import (
	"fmt"
	"time"
)

// Numbers of the ledger as people read them in SQL: its interface, not its code.
const (
	statePlanned     = 1
	stateDispatching = 2
	stateRunning     = 3
	stateUnknown     = 4
	stateSucceeded   = 10
	stateFailed      = 11
	stateTimedOut    = 12
	stateKilled      = 13
	stateLost        = 14
	stateMisfired    = 15
	stateDiscarded   = 16
	stateCancelled   = 17

	causeSchedule = 1
	causeManual   = 2
	causeRetry    = 4
	causeParent   = 5
	causeMisfire  = 6

	shardOfParent = -1
)

var stateNames = map[int16]string{
	0: "-", statePlanned: "planned", stateDispatching: "dispatching", stateRunning: "running", stateUnknown: "unknown",
	stateSucceeded: "succeeded", stateFailed: "failed", stateTimedOut: "timed_out", stateKilled: "killed",
	stateLost: "lost", stateMisfired: "misfired", stateDiscarded: "discarded", stateCancelled: "cancelled",
}

// Row is a row of the ledger when all was over.
type Row struct {
	ID          int64      `db:"id"`
	Job         int32      `db:"job_id"`
	FireAt      time.Time  `db:"fire_at"`
	DueAt       time.Time  `db:"due_at"`
	Cause       int16      `db:"cause"`
	Shard       int32      `db:"shard"`
	ShardTotal  int32      `db:"shard_total"`
	Attempt     int16      `db:"attempt"`
	RetriesLeft int16      `db:"retries_left"`
	Parent      *int64     `db:"parent_id"`
	Param       *string    `db:"param"`
	State       int16      `db:"state"`
	Address     string     `db:"address"`
	ClaimedAt   *time.Time `db:"claimed_at"`
	StartedAt   *time.Time `db:"started_at"`
	EndedAt     *time.Time `db:"ended_at"`
	Reason      string     `db:"reason"`
	Message     string     `db:"message"`
	RangeTo     *time.Time `db:"range_to"`
	RangeCount  int32      `db:"range_count"`
	LateResult  *string    `db:"late_result"`
	Resent      bool       `db:"resent"`
}

func (r *Row) open() bool { return r.State < stateSucceeded }

// scheduled reports whether the row stands for an instant of its job's schedule.
func (r *Row) scheduled() bool {
	return (r.Cause == causeSchedule || r.Cause == causeMisfire) && r.Attempt == 0 && r.Shard <= 0 &&
		(r.Shard == shardOfParent || r.Parent == nil)
}

// notRun reports whether the row says that no code was started for it.
func (r *Row) notRun() bool {
	switch r.State {
	case stateMisfired, stateDiscarded, stateCancelled:
		return true
	case stateFailed:
		return r.Reason == "no_executor" || r.Reason == "route_failed" || r.Reason == "refused" ||
			r.Reason == "unreachable" || r.Reason == "handler_not_found"
	}
	return r.Shard == shardOfParent
}

// handled is when an admin first did something about the row, and what; zero for a row
// that still waits.
func (r *Row) handled() (at time.Time, what string) {
	switch {
	case r.ClaimedAt != nil:
		return *r.ClaimedAt, "claimed"
	case r.EndedAt != nil:
		return *r.EndedAt, stateNames[r.State]
	}
	return time.Time{}, ""
}

// Change is one change of a row, written by a trigger of the suite in the same
// transaction.
type Change struct {
	Seq     int64     `db:"seq"`
	Run     int64     `db:"run"`
	At      time.Time `db:"at"`
	Old     int16     `db:"old"` // 0: the row was inserted
	New     int16     `db:"new"`
	Owner   int32     `db:"owner"`
	Epoch   int32     `db:"epoch"`
	Address string    `db:"address"`
	Reason  string    `db:"reason"`
}

func (c *Change) String() string {
	return fmt.Sprintf("%s %s → %s, admin %d, epoch %d, %s %s",
		clock(c.At), stateNames[c.Old], stateNames[c.New], c.Owner, c.Epoch, c.Address, c.Reason)
}

// WatchLedger is the SQL that makes the database write every change of a run's state,
// owner or epoch into the table chaos_change. It is installed when the schema is there.
const WatchLedger = `
CREATE TABLE IF NOT EXISTS chaos_change (
	seq bigserial PRIMARY KEY, run bigint NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp(),
	old smallint NOT NULL, new smallint NOT NULL, owner integer NOT NULL, epoch integer NOT NULL,
	address text NOT NULL, reason text NOT NULL);
CREATE OR REPLACE FUNCTION chaos_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		INSERT INTO chaos_change (run, old, new, owner, epoch, address, reason)
		VALUES (NEW.id, 0, NEW.state, NEW.owner, NEW.epoch, NEW.address, NEW.reason);
	ELSIF OLD.state <> NEW.state OR OLD.epoch <> NEW.epoch OR OLD.owner <> NEW.owner THEN
		INSERT INTO chaos_change (run, old, new, owner, epoch, address, reason)
		VALUES (NEW.id, OLD.state, NEW.state, NEW.owner, NEW.epoch, NEW.address, NEW.reason);
	END IF;
	RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER chaos_change AFTER INSERT OR UPDATE ON run
	FOR EACH ROW EXECUTE FUNCTION chaos_change()`

// ReadRows and ReadChanges read what Row and Change hold.
const (
	ReadRows = `
		SELECT id, job_id, fire_at, due_at, cause, shard, shard_total, attempt, retries_left, parent_id, param, state,
			address, claimed_at, started_at, ended_at, reason, message, range_to, range_count, late_result, resent
		FROM run ORDER BY id`
	ReadChanges = `SELECT seq, run, at, old, new, owner, epoch, address, reason FROM chaos_change ORDER BY seq`
)

func clock(t time.Time) string { return t.UTC().Format("15:04:05.000") }
