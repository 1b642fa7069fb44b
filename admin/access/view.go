package access

import (
	"crypto/sha256"
	"fmt"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/seal"
)

// view is what is known of groups and their tokens. It never changes; a newer one takes
// its place.
type view struct {
	apps   map[int32]string
	groups map[string]int32
	byID   map[int32]*token
	byHash map[[sha256.Size]byte][]*token // one a group: groups may have the same
	sent   map[int32]*token               // group → the one for executors that have not registered
}

// token is a group's.
type token struct {
	id, group int32
	app, name string
	weakness  job.Weakness
	secret    string
	readable  bool // with the admin's key
}

func (a *Access) newView(apps []job.GroupApp, list []job.GroupToken) *view {
	v := &view{
		apps: map[int32]string{}, groups: map[string]int32{}, byID: map[int32]*token{},
		byHash: map[[sha256.Size]byte][]*token{}, sent: map[int32]*token{},
	}
	for _, g := range apps {
		v.apps[g.ID], v.groups[g.AppName] = g.AppName, g.ID
	}
	old := a.view.Load()
	for i := range list {
		stored := &list[i]
		t := &token{id: stored.ID, group: stored.GroupID, app: v.apps[stored.GroupID], name: stored.Name, weakness: stored.Weakness}
		secret, err := Open(a.cfg.Seal, stored)
		t.secret, t.readable = secret, err == nil
		if _, known := old.byID[t.id]; !known {
			a.warn(t, err)
		}
		v.byID[t.id] = t
		var hash [sha256.Size]byte
		copy(hash[:], stored.Hash)
		v.byHash[hash] = append(v.byHash[hash], t)
		if stored.Sent {
			v.sent[t.group] = t
		}
	}
	return v
}

// warn tells the log of a token that was not there before.
func (a *Access) warn(t *token, err error) {
	if err != nil {
		a.log.Error("token of a group cannot be read, its executors will refuse what they are sent", "group_id", t.group, "token", t.name, "err", err)
	}
	if w := t.weakness.Warning(); w != "" {
		a.log.Warn("weak token of a group", "app", t.app, "token", t.name, "advice", w)
	}
}

// Seal makes what is stored of a new token of a group.
func Seal(ring seal.Ring, group int32, token string) (job.GroupToken, error) {
	sealed, err := ring.Seal(place(group), []byte(token))
	if err != nil {
		return job.GroupToken{}, fmt.Errorf("seal token of group %d: %w", group, err)
	}
	return job.GroupToken{
		GroupID: group, Hash: job.TokenHash(token), Sealed: sealed,
		Prefix: job.TokenPrefix(token), Weakness: job.WeaknessOf(token),
	}, nil
}

// Open reads a stored token.
func Open(ring seal.Ring, t *job.GroupToken) (string, error) {
	plain, err := ring.Open(place(t.GroupID), t.Sealed)
	if err != nil {
		return "", fmt.Errorf("open token %q of group %d: %w", t.Name, t.GroupID, err)
	}
	return string(plain), nil
}

// place binds a sealed token to its group.
func place(group int32) string { return fmt.Sprintf("group_token/%d", group) }
