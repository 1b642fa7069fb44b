package main

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"time"

	"github.com/gluewheel/gluewheel/admin/cron"
	"github.com/gluewheel/gluewheel/admin/seal"
)

// adminFlags are the scheduling centre's, of admin and standalone alike.
type adminFlags struct {
	oidcFlags
	metricsFlag
	Listen         string         `default:"127.0.0.1:8080" placeholder:"HOST:PORT" env:"GLUEWHEEL_LISTEN" help:"Where the admin serves people and executors (${default})."`
	AdminPassword  string         `placeholder:"PASSWORD" env:"GLUEWHEEL_ADMIN_PASSWORD" help:"Password of the first user, admin, while there is no user yet."`
	TimeZone       string         `default:"Local" placeholder:"ZONE" env:"GLUEWHEEL_TIME_ZONE" help:"IANA time zone of jobs that name none (${default})."`
	PageURL        string         `placeholder:"URL" env:"GLUEWHEEL_PAGE_URL" help:"The page's address as people reach it, for links in alarms."`
	SealKeyFile    string         `placeholder:"FILE" env:"GLUEWHEEL_SEAL_KEY_FILE" help:"Keys that encrypt secrets in the database, base64 of 32 bytes a line, the newest first. Without it nothing secret can be stored; standalone makes one."`
	SealKey        string         `hidden:"" env:"GLUEWHEEL_SEAL_KEY" help:"The keys themselves, instead of a file."`
	Buckets        int            `default:"1" placeholder:"N" env:"GLUEWHEEL_BUCKETS" help:"Locks that jobs are spread over; more lets several admins plan at once (${default})."`
	Retention      time.Duration  `default:"0" placeholder:"DURATION" env:"GLUEWHEEL_RETENTION" help:"How long ended runs are kept, such as 720h; 0 for ever (${default})."`
	TrustedProxies []netip.Prefix `placeholder:"CIDR,…" env:"GLUEWHEEL_TRUSTED_PROXIES" help:"Reverse proxies, such as 127.0.0.1/32,10.0.0.0/8, whose X-Forwarded-For tells who a client is; nobody's by default."`
	AuditRetention time.Duration  `default:"0" placeholder:"DURATION" env:"GLUEWHEEL_AUDIT_RETENTION" help:"How long the audit log is kept; 0 for ever (${default})."`
}

// Validate names the flag that is wrong before anything starts.
func (f *adminFlags) Validate() error {
	if _, _, err := net.SplitHostPort(f.Listen); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	if _, err := f.zone(); err != nil {
		return err
	}
	if _, err := f.seal(); err != nil {
		return err
	}
	if u, err := url.Parse(f.PageURL); err != nil || f.PageURL != "" && u.Host == "" {
		return fmt.Errorf("page-url: %q is not an address such as https://jobs.example.com", f.PageURL)
	}
	if f.Buckets < 1 {
		return fmt.Errorf("buckets: %d is less than 1", f.Buckets)
	}
	if f.AuditRetention < 0 {
		return fmt.Errorf("audit-retention: %s is negative", f.AuditRetention)
	}
	if _, err := f.oidc(f.PageURL); err != nil {
		return err
	}
	if f.Retention < 0 {
		return fmt.Errorf("retention: %s is negative", f.Retention)
	}
	return nil
}

// seal reads the keys for sealed values; none were given: a ring without keys.
func (f *adminFlags) seal() (seal.Ring, error) {
	if f.SealKey != "" {
		return seal.Parse(f.SealKey)
	}
	if f.SealKeyFile == "" {
		return seal.Ring{}, nil
	}
	text, err := os.ReadFile(f.SealKeyFile)
	if err != nil {
		return seal.Ring{}, fmt.Errorf("seal-key-file: %w", err)
	}
	return seal.Parse(string(text))
}

// zone is the zone asked for; of "Local" the name that people know, where the machine
// tells it.
func (f *adminFlags) zone() (*time.Location, error) {
	name := f.TimeZone
	if name == "Local" {
		name = localName()
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("time-zone: %w", err)
	}
	return zone, nil
}

// localName is the machine's zone by its IANA name, "Local" where that is not known.
func localName() string {
	var tz *string
	if value, set := os.LookupEnv("TZ"); set {
		tz = &value
	}
	link, err := os.Readlink("/etc/localtime")
	if err != nil {
		link = "" // no link, no name
	}
	if name, ok := cron.LocalName(tz, link); ok {
		return name
	}
	return "Local"
}
