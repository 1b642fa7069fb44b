package admin

import (
	"cmp"
	"errors"
	"log/slog"
	"net/netip"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/gluewheel/gluewheel/admin/auth"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/seal"
	"github.com/gluewheel/gluewheel/runtime/worker"
)

// Options say what an admin is made of. Fields without a default are required.
type Options struct {
	// DatabaseURL is a PostgreSQL connection URL (version 15 or later).
	DatabaseURL string
	// Listen is the address of the HTTP server, for people and for executors.
	Listen string
	// Token is what executors send and are sent whose group has no token of its own.
	// Default: none, and only groups with a token are served.
	Token string
	// Password is the first user's, used only when there is no user yet. An admin
	// without users and without Password refuses to start.
	Password string
	// Zone is the time zone of jobs that name none. Default UTC.
	Zone *time.Location
	// Buckets is how many locks jobs are spread over, at least. Default 1, as XXL-JOB;
	// more lets several admins plan at the same time.
	Buckets int
	// Retention is how long ended runs are kept. Default 0: for ever.
	Retention time.Duration
	// AuditRetention is how long the audit log is kept. Default 0: for ever.
	AuditRetention time.Duration
	// TrustedProxies are the reverse proxies whose word about the address of a client
	// (X-Forwarded-For) is taken. Default: nobody's.
	TrustedProxies []netip.Prefix
	// OIDC lets people log in with an identity provider. Default: none does.
	OIDC *auth.OIDCConfig
	// Sandbox compiles and inspects what people publish. Default: nothing is checked
	// before it runs.
	Sandbox *worker.Engine
	// Seal encrypts secrets of jobs and of alarm channels in the database. Default: no
	// key, and what needs one is refused.
	Seal seal.Ring
	// PageURL is the page's address as people reach it, such as https://jobs.example.com,
	// for links in alarms. Default: no links.
	PageURL string
	// Figures are what /metrics serves beside the admin's own. Default: nothing.
	Figures []prometheus.Collector
	// Trace, when set, is told of each step of each run as it is over. It must not block.
	Trace func(job.Step)
	// MetricsToken lets programs on other machines read /metrics. Default: none may.
	MetricsToken string
	// WebUI is a directory with a build of the page, for its development. Default: the
	// one that is embedded.
	WebUI string
	// Drain is how long a stopping admin goes on sending what is due. Default 3 s.
	Drain time.Duration
	// Name is what people see of this admin. Default: host name and listen address.
	Name string
	// Version is the program's, for people.
	Version string
	// Log gets what operators need to know.
	Log *slog.Logger
}

func (o *Options) check() error {
	switch {
	case o.DatabaseURL == "":
		return errors.New("make admin: DatabaseURL is required")
	case o.Listen == "":
		return errors.New("make admin: Listen is required")
	case o.Log == nil:
		return errors.New("make admin: Log is required")
	}
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	if o.Name == "" {
		host, err := os.Hostname()
		if err != nil {
			host = "unknown host"
		}
		o.Name = host + " " + o.Listen
	}
	o.Buckets = cmp.Or(o.Buckets, 1)
	o.Drain = cmp.Or(o.Drain, 3*time.Second)
	return nil
}
