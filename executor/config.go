package executor

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gluewheel/gluewheel/executor/queue"
	"github.com/gluewheel/gluewheel/glue"
	"github.com/gluewheel/gluewheel/runtime"
)

// Defaults of a Config.
const (
	// DefaultListen is XXL-JOB's port.
	DefaultListen           = ":9999"
	DefaultLogRetentionDays = 30
	DefaultDrainTimeout     = 10 * time.Second
)

// Config is what an executor is told by its operator.
type Config struct {
	// AppName names the executor group at the admin. Required.
	AppName string
	// AdminAddresses are tried in order, such as http://127.0.0.1:8080. Required.
	AdminAddresses []string
	// Token is shared with the admin: it opens the admin's endpoints and this executor's.
	// Required: without one anybody who reaches the port could run code.
	Token string
	// PlainSecrets lets the secrets that versions were granted travel from admins on
	// other machines without TLS. Default: those runs fail.
	PlainSecrets bool
	// DataDir holds journal, logs and modules; no other process may use it. Required.
	DataDir string

	// Listen is where to take triggers. Default DefaultListen; port 0 is any free one.
	Listen string
	// Address is what the admin is told, if not http://<ip>:<port>/ of Listen: set it
	// behind a proxy or in a container.
	Address string

	// Engines run live code: scripts, Lua and so on. Who made them closes them, after
	// Run. Without any, only handlers run.
	Engines []runtime.Engine
	// AllowTypes restricts the glue types that are accepted. Empty: all that the engines
	// and the handlers run.
	AllowTypes []glue.Type

	// MaxConcurrent bounds the runs of all jobs together; more wait in their queues.
	// Default queue.DefaultMaxRunning.
	MaxConcurrent int
	// QueueDepth bounds the waiting triggers of one job; beyond it triggers are refused.
	// Default queue.DefaultDepth.
	QueueDepth int
	// LogRetentionDays is how long logs of runs are kept. Default
	// DefaultLogRetentionDays; negative: until their size is bounded.
	LogRetentionDays int
	// DrainTimeout is what runs get to end by themselves when the executor stops.
	// Default DefaultDrainTimeout; negative: none.
	DrainTimeout time.Duration

	// Version and Notes are shown at the admin: the program's version, and for example
	// how it isolates code.
	Version string
	Notes   []string
	// Status, if not nil, gives more notes, asked for at every registration: what
	// changes, for example how a pool of workers is doing.
	Status func() []string

	// Ran, if not nil, is told of each run after its end, and Acked how long after the end
	// an admin had stored the result: for figures and traces. They must not block.
	Ran   func(Ran)
	Acked func(after time.Duration)
	// Metrics, if not nil, answers GET /metrics at Listen, without asking for the token:
	// who may read them is for it to decide. Default: nothing is there.
	Metrics http.Handler

	// Location is the zone of the times in the logs of runs. Default time.Local.
	Location *time.Location
	// Log takes what an operator should know. Default slog.Default.
	Log *slog.Logger
}

// check names what is missing or wrong.
func (c *Config) check() error {
	switch {
	case c.AppName == "":
		return errors.New("AppName is required: the app name of the executor group at the admin")
	case len(c.AdminAddresses) == 0:
		return errors.New("AdminAddresses is required, such as http://127.0.0.1:8080")
	case c.Token == "":
		return errors.New("Token is required: it is shared with the admin")
	case c.DataDir == "":
		return errors.New("DataDir is required: accepted triggers and results are kept there")
	case c.MaxConcurrent < 0:
		return fmt.Errorf("MaxConcurrent is %d, must be positive", c.MaxConcurrent)
	case c.QueueDepth < 0:
		return fmt.Errorf("QueueDepth is %d, must be positive", c.QueueDepth)
	}
	if _, _, err := net.SplitHostPort(cmp.Or(c.Listen, DefaultListen)); err != nil {
		return fmt.Errorf("Listen: %w", err)
	}
	for _, t := range c.AllowTypes {
		if _, known := glue.Lookup(t); !known {
			return fmt.Errorf("AllowTypes: %q is no glue type", t)
		}
	}
	return c.checkAddress()
}

func (c *Config) checkAddress() error {
	if c.Address == "" {
		return nil
	}
	u, err := url.Parse(c.Address)
	if err != nil || !strings.HasPrefix(u.Scheme, "http") || u.Host == "" {
		return fmt.Errorf("Address %q is not an http address", c.Address)
	}
	return nil
}

func (c *Config) fill() {
	c.Listen = cmp.Or(c.Listen, DefaultListen)
	c.MaxConcurrent = cmp.Or(c.MaxConcurrent, queue.DefaultMaxRunning)
	c.QueueDepth = cmp.Or(c.QueueDepth, queue.DefaultDepth)
	c.LogRetentionDays = cmp.Or(c.LogRetentionDays, DefaultLogRetentionDays)
	c.DrainTimeout = cmp.Or(c.DrainTimeout, DefaultDrainTimeout)
	c.Location = cmp.Or(c.Location, time.Local)
	c.Log = cmp.Or(c.Log, slog.Default())
}
