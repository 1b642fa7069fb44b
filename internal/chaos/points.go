package chaos

import "fmt"

// Point is a named moment inside one of the product's transactions. The database itself
// breaks the session there, so that the product needs no code for it.
type Point string

const (
	// PlanWritten: the rows of new fires are written, the transaction goes on.
	PlanWritten Point = "plan-written"
	// PlanCommit: the transaction of planning is about to be committed.
	PlanCommit Point = "plan-commit"
	// ClaimCommit: claims are about to be committed; nothing was sent.
	ClaimCommit Point = "claim-commit"
	// EndWritten: ends are written, retries and children are not.
	EndWritten Point = "end-written"
	// EndCommit: ends with their retries and children are about to be committed.
	EndCommit Point = "end-commit"
	// AfterLock: the lock of planning is held, nothing is read yet.
	AfterLock Point = "after-lock"
	// AfterPlan: new fires are committed, and are not in the ring yet.
	AfterPlan Point = "after-plan"
	// AfterClaim: claims are committed, and their requests are not written yet.
	AfterClaim Point = "after-claim"
)

// Points are those at which sessions are ended; the others are for their admins.
var Points = []Point{PlanWritten, PlanCommit, ClaimCommit, EndWritten, EndCommit}

// PointTriggers is the SQL that says what reaches each; it needs the function of BreakAt.
// It is run before there is load, since it locks the whole ledger.
const PointTriggers = `
CREATE OR REPLACE TRIGGER chaos_plan_written AFTER INSERT ON run
	FOR EACH ROW WHEN (NEW.cause IN (1, 6)) EXECUTE FUNCTION chaos_point('plan-written');
CREATE CONSTRAINT TRIGGER chaos_plan_commit AFTER INSERT ON run DEFERRABLE INITIALLY DEFERRED
	FOR EACH ROW WHEN (NEW.cause IN (1, 6)) EXECUTE FUNCTION chaos_point('plan-commit');
CREATE CONSTRAINT TRIGGER chaos_claim_commit AFTER UPDATE ON run DEFERRABLE INITIALLY DEFERRED
	FOR EACH ROW WHEN (NEW.state = 2 AND OLD.state = 1) EXECUTE FUNCTION chaos_point('claim-commit');
CREATE OR REPLACE TRIGGER chaos_end_written AFTER UPDATE ON run
	FOR EACH ROW WHEN (NEW.state >= 10 AND OLD.state < 10) EXECUTE FUNCTION chaos_point('end-written');
CREATE CONSTRAINT TRIGGER chaos_end_commit AFTER UPDATE ON run DEFERRABLE INITIALLY DEFERRED
	FOR EACH ROW WHEN (NEW.state >= 10 AND OLD.state < 10) EXECUTE FUNCTION chaos_point('end-commit');
CREATE OR REPLACE TRIGGER chaos_after_lock AFTER UPDATE ON bucket_lock
	FOR EACH ROW EXECUTE FUNCTION chaos_point('after-lock');
CREATE CONSTRAINT TRIGGER chaos_after_plan AFTER INSERT ON run DEFERRABLE INITIALLY DEFERRED
	FOR EACH ROW WHEN (NEW.cause IN (1, 6) AND NEW.state = 1) EXECUTE FUNCTION chaos_point('after-plan');
CREATE CONSTRAINT TRIGGER chaos_after_claim AFTER UPDATE ON run DEFERRABLE INITIALLY DEFERRED
	FOR EACH ROW WHEN (NEW.state = 2 AND OLD.state = 1) EXECUTE FUNCTION chaos_point('after-claim');`

// BreakAt is the SQL that ends one session in four that come to the point, the moment
// that they do, and holds up one in twenty for longer than any lease. The empty point
// heals.
func BreakAt(p Point) string {
	return doAt(p, `
	chance := ('x' || substr(md5(pg_current_xact_id()::text), 1, 7))::bit(28)::int / 268435456.0;
	IF chance < 0.25 THEN
		PERFORM pg_terminate_backend(pg_backend_pid());
	ELSIF chance < 0.3 AND current_setting('chaos.held', true) IS DISTINCT FROM pg_current_xact_id()::text THEN
		PERFORM set_config('chaos.held', pg_current_xact_id()::text, true), pg_sleep(7);
	END IF;`)
}

const (
	// heldSession is what a session calls itself while HoldAt holds it.
	heldSession = "held by the suite"
	// pointChannel is where TellAt notifies.
	pointChannel = "chaos_point"
)

// HoldAt is the SQL that holds up every session that comes to the point for a second,
// once a transaction, under a name by which it can be found.
func HoldAt(p Point) string {
	return doAt(p, `
	IF current_setting('chaos.held', true) IS DISTINCT FROM pg_current_xact_id()::text THEN
		PERFORM set_config('chaos.held', pg_current_xact_id()::text, true),
			set_config('application_name', '`+heldSession+`', false), pg_sleep(1),
			set_config('application_name', 'gluewheel', false);
	END IF;`)
}

// TellAt is the SQL that notifies of the row's owner when a transaction that came to the
// point is committed.
func TellAt(p Point) string {
	return doAt(p, `PERFORM pg_notify('`+pointChannel+`', NEW.owner::text);`)
}

// doAt does something where the trigger functions are called for the point.
func doAt(p Point, do string) string {
	return fmt.Sprintf(`
CREATE OR REPLACE FUNCTION chaos_point() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE chance float;
BEGIN
	IF TG_ARGV[0] <> '%s' THEN
		RETURN NULL;
	END IF;
	%s
	RETURN NULL;
END $$`, p, do)
}
