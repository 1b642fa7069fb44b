package access

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/outage"
	"github.com/gluewheel/gluewheel/admin/seal"
)

// tokens are where group tokens are stored.
type tokens interface {
	GroupTokens(ctx context.Context, groupID int32) ([]job.GroupToken, error)
	GroupApps(ctx context.Context) ([]job.GroupApp, error)
	TouchGroupTokens(ctx context.Context, ids []int32) error
	ResealGroupToken(ctx context.Context, t job.GroupToken, sealed []byte) error
}

// Config wires an Access. Store and Log are required.
type Config struct {
	Store tokens
	Log   *slog.Logger
	// Token is the global one; empty for none.
	Token string
	// Seal opens the tokens of groups.
	Seal seal.Ring
}

// touchEvery is how exact the time of a token's last use is, and how long a change of the
// tokens may stay unseen of which nobody has told: one that was taken back must not go on
// working because a message was lost.
const touchEvery = 30 * time.Second

// Access knows the tokens. Safe for concurrent use.
type Access struct {
	cfg    Config
	log    *slog.Logger
	global [sha256.Size]byte // of a digest, so that comparing tells no length
	view   atomic.Pointer[view]
	wake   chan struct{} // capacity 1: a group has changed

	mu   sync.Mutex
	used map[int32]bool // tokens used since they were last touched
}

// New checks the configuration, and warns of a global token that anybody would guess.
// Run does the work.
func New(cfg Config) (*Access, error) {
	if cfg.Store == nil || cfg.Log == nil {
		return nil, errors.New("make access: Store and Log are required")
	}
	a := &Access{
		cfg: cfg, log: cfg.Log.With("component", "access"), global: sha256.Sum256([]byte(cfg.Token)),
		wake: make(chan struct{}, 1), used: map[int32]bool{},
	}
	a.view.Store(&view{})
	if cfg.Token == "" {
		a.log.Warn("there is no global executor token: only executors of groups with a token of their own are served")
	} else if w := job.WeaknessOf(cfg.Token).Warning(); w != "" {
		a.log.Warn("weak global executor token", "advice", w)
	}
	return a, nil
}

// Pass says for which app names a request speaks.
type Pass struct {
	all    bool
	tokens map[string]int32 // app name → group token
	groups []int32
}

// Global lets its owner speak for every app name.
func Global() Pass { return Pass{all: true} }

// May reports whether it speaks for an app name.
func (p Pass) May(app string) bool {
	_, own := p.tokens[app]
	return p.all || own
}

// Token is the group token that speaks for an app name; 0 = the global one.
func (p Pass) Token(app string) int32 { return p.tokens[app] }

// Groups are those that it speaks for; nil = all.
func (p Pass) Groups() []int32 { return p.groups }

// Check finds out for whom a token speaks. With an app name, which peers of 3.5 send,
// it speaks for that group alone. false: for nobody.
func (a *Access) Check(token, app string) (Pass, bool) {
	given := sha256.Sum256([]byte(token))
	if subtle.ConstantTimeCompare(given[:], a.global[:]) == 1 && a.cfg.Token != "" {
		return Global(), true
	}
	if token == "" {
		return Pass{}, false
	}
	p := Pass{tokens: map[string]int32{}}
	// The look-up compares digests, whose beginning nobody can choose: how long it takes
	// tells nothing about a token.
	for _, t := range a.view.Load().byHash[given] {
		if t.app != "" && (app == "" || app == t.app) {
			p.tokens[t.app] = t.id
			p.groups = append(p.groups, t.group)
			a.use(t.id)
		}
	}
	return p, len(p.groups) > 0
}

func (a *Access) use(id int32) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.used[id] = true
}

// Group is the id of the group with an app name; 0 when there is none.
func (a *Access) Group(app string) int32 { return a.view.Load().groups[app] }

// App is the app name of a group; "" when there is none.
func (a *Access) App(group int32) string { return a.view.Load().apps[group] }

// Sent is what an executor of a group is sent. registered tells the token that it
// registered with; nil when it has not. false: there is one that cannot be read, and
// another must not be sent.
func (a *Access) Sent(group int32, registered *int32) (token string, ok bool) {
	v := a.view.Load()
	t := v.sent[group]
	if registered != nil {
		if *registered == 0 && a.cfg.Token != "" {
			return a.cfg.Token, true
		}
		if own, found := v.byID[*registered]; found && own.group == group {
			t = own
		}
	}
	if t == nil {
		return a.cfg.Token, true
	}
	return t.secret, t.readable
}

// Warnings are what operators should know about the tokens, in sentences.
func (a *Access) Warnings() []string {
	var list []string
	if w := job.WeaknessOf(a.cfg.Token).Warning(); w != "" && a.cfg.Token != "" {
		list = append(list, "The global executor token: "+w)
	}
	v := a.view.Load()
	for _, id := range slices.Sorted(maps.Keys(v.byID)) {
		t := v.byID[id]
		if w := t.weakness.Warning(); w != "" {
			list = append(list, fmt.Sprintf("The token %q of the group %s: %s", t.name, t.app, w))
		}
		if !t.readable {
			list = append(list, fmt.Sprintf("The token %q of the group %s cannot be read with this admin's seal key: executors that use it refuse what is sent to them. Give the admin the key that it was sealed with, or make a new token.", t.name, t.app))
		}
	}
	return list
}

// Changed is told of every change in the database.
func (a *Access) Changed(c job.Change) {
	if c.Kind == job.ChangeJob {
		return
	}
	select {
	case a.wake <- struct{}{}:
	default: // it is awake already
	}
}

// Run reads the tokens at once, whenever a group changes, and each half minute, until ctx
// ends.
func (a *Access) Run(ctx context.Context) error {
	away := outage.Pacer{Log: a.log, What: "read executor tokens"}
	touch := time.NewTicker(touchEvery)
	defer touch.Stop()
	for ctx.Err() == nil {
		if err := a.Load(ctx); err != nil {
			away.After(ctx, err)
			continue
		}
		away.After(ctx, nil)
		if !a.wait(ctx, touch.C) {
			return nil
		}
	}
	return nil
}

// wait returns when the tokens are to be read again, or false when ctx has ended.
func (a *Access) wait(ctx context.Context, touch <-chan time.Time) bool {
	select {
	case <-ctx.Done():
		return false
	case <-a.wake:
		return true
	case <-touch:
		a.touch(ctx)
		return true
	}
}

// touch stores which tokens were used. What cannot be stored waits for the next time.
func (a *Access) touch(ctx context.Context) {
	a.mu.Lock()
	ids := slices.Sorted(maps.Keys(a.used))
	clear(a.used)
	a.mu.Unlock()
	if len(ids) == 0 {
		return
	}
	if err := a.cfg.Store.TouchGroupTokens(ctx, ids); err != nil {
		a.log.DebugContext(ctx, "use of tokens not noted", "err", err)
		for _, id := range ids {
			a.use(id)
		}
	}
}

// Load reads the tokens now.
func (a *Access) Load(ctx context.Context) error {
	apps, err := a.cfg.Store.GroupApps(ctx)
	if err != nil {
		return err
	}
	list, err := a.cfg.Store.GroupTokens(ctx, 0)
	if err != nil {
		return err
	}
	a.view.Store(a.newView(apps, list))
	return nil
}

// Reseal seals what an older key sealed with the one that seals now. What cannot be
// opened is left as it is: Warnings tell of it.
func (a *Access) Reseal(ctx context.Context) error {
	if !a.cfg.Seal.Ready() {
		return nil
	}
	list, err := a.cfg.Store.GroupTokens(ctx, 0)
	if err != nil {
		return err
	}
	for _, t := range list {
		if a.cfg.Seal.Current(t.Sealed) {
			continue
		}
		text, err := a.cfg.Seal.Open(place(t.GroupID), t.Sealed)
		if err != nil {
			continue
		}
		anew, err := a.cfg.Seal.Seal(place(t.GroupID), text)
		if err != nil {
			return fmt.Errorf("seal token %d of group %d: %w", t.ID, t.GroupID, err)
		}
		if err := a.cfg.Store.ResealGroupToken(ctx, t, anew); err != nil {
			return err
		}
	}
	return nil
}
