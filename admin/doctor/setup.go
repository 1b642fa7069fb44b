package doctor

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
)

const (
	// mostSkew is how far two clocks may be apart before people are misled by what they
	// read. Nothing is decided by an admin's clock.
	mostSkew = 2 * time.Second
	// oldestServer is PostgreSQL 15.
	oldestServer = 15_00_00
	// fewestDays is when partitions of the ledger must have come by: they are made a week
	// ahead, so fewer mean that nobody makes them.
	fewestDays = 3
	// shortestToken is the least length, in characters, of one that cannot be tried out.
	shortestToken = 16
)

// clock judges this machine's clock.
func (r *Report) clock(c job.ClockReading) {
	r.Skew = c.Ahead
	if skewed(c) {
		r.find(Warning, "clock_skew",
			fmt.Sprintf("This machine's clock is %v away from the database's.", c.Ahead.Abs().Round(time.Millisecond)),
			"Synchronise both with NTP. Fires are decided by the database's clock, but logs and tokens here are not.")
	}
}

// adminClocks judges those of the admins' machines, as they have measured them.
func (r *Report) adminClocks(clocks []job.AdminClock) {
	for _, c := range clocks {
		if skewed(c.ClockReading) {
			r.find(Warning, "clock_skew",
				fmt.Sprintf("The clock of admin %s is %v away from the database's.", c.Name, c.Ahead.Abs().Round(time.Millisecond)),
				"Synchronise both with NTP. Fires are decided by the database's clock, but logs and tokens there are not.")
		}
	}
}

// skewed reports whether a clock is too far away, however wrong the reading is.
func skewed(c job.ClockReading) bool { return c.Ahead.Abs()-c.Doubt > mostSkew }

// database judges the server's settings.
func (r *Report) database(v *job.Vitals) {
	if n, err := strconv.Atoi(v.Settings["server_version_num"]); err == nil && n < oldestServer {
		r.find(Error, "server_version", fmt.Sprintf("PostgreSQL %d is too old.", n/10_000), "Move to PostgreSQL 15 or later.")
	}
	if v.Standby || v.Settings["default_transaction_read_only"] == "on" {
		r.find(Error, "read_only", "The database takes no writes: nothing is planned and no result is stored.",
			"Point the admins at the primary, or switch default_transaction_read_only off.")
	}
	for name, cost := range map[string]string{
		"fsync":              "a crash of the machine can lose or tear everything that was committed",
		"full_page_writes":   "a crash of the machine can leave torn pages",
		"synchronous_commit": "a crash loses fires and results of the last moments that were acknowledged already",
	} {
		if v.Settings[name] == "off" {
			r.find(Error, name, fmt.Sprintf("PostgreSQL runs with %s=off: %s.", name, cost), fmt.Sprintf("Set %s = on and reload.", name))
		}
	}
	if v.Settings["autovacuum"] == "off" {
		r.find(Warning, "autovacuum", "Autovacuum is off: the ledger and the pre-read get slower day by day.", "Set autovacuum = on and reload.")
	}
	if v.Remote && !v.Encrypted {
		r.find(Warning, "no_tls", "The connection to the database leaves this machine without TLS.",
			"Add sslmode=verify-full to the database URL, or keep the connection on a private network.")
	}
	if v.Superuser {
		r.find(Warning, "superuser", "The database URL logs in as a superuser.",
			"Make a role that owns gluewheel's database and nothing else, and use that.")
	}
}

// cluster judges what the admins have to keep going.
func (r *Report) cluster(v *job.Vitals) {
	if v.Admins == 0 {
		r.find(Error, "no_admin", fmt.Sprintf("No admin is alive; the last heartbeat was at %s.", v.LastAliveAt.UTC().Format(time.RFC3339)),
			"Start `gluewheel admin` and look at its log.")
	}
	if !v.FireKey {
		r.find(Error, "fire_key", "The unique index run_fire_key is missing or invalid: nothing keeps an instant from being planned twice.",
			"Remove doubled rows, then create it again as the first migration does.")
	}
	if v.HasDefault {
		r.find(Warning, "default_partition", "The ledger has a default partition: days can no longer be attached or dropped without a scan.",
			"Move its rows into partitions of their days and detach it.")
	}
	days := 0
	if v.LastDay != nil {
		days = int(v.LastDay.Sub(v.Now.UTC().Truncate(24*time.Hour)) / (24 * time.Hour))
	}
	if days < fewestDays {
		severity := Warning
		if days < 1 {
			severity = Error
		}
		r.find(severity, "partitions", fmt.Sprintf("The ledger has partitions for %d days ahead; there should be 7.", max(days, 0)),
			"Look into an admin's log for why it makes none; an admin that starts makes them at once.")
	}
}

// wellKnown are tokens that stand in documentation.
var wellKnown = []string{"default_token", "xxl-job", "xxl_job", "token", "secret", "password", "admin", "123456", "changeme"}

func (r *Report) token(token string) {
	switch {
	case slices.Contains(wellKnown, strings.ToLower(token)):
		r.find(Error, "token", "The token of the executors is one that everybody knows: whoever reaches an executor's port can run code there.",
			"Make one with `openssl rand -hex 24` and give it to admins and executors.")
	case len(token) < shortestToken:
		r.find(Warning, "token", fmt.Sprintf("The token of the executors has only %d characters.", len(token)),
			"Make one with `openssl rand -hex 24` and give it to admins and executors.")
	}
}
