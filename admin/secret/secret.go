// Package secret keeps the secrets of groups: sealed in the database, opened only for a
// run whose code was granted them, never for people.
package secret

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/seal"
)

// store is what the vault needs of the database.
type store interface {
	PutSecret(ctx context.Context, v job.Secret) (job.Secret, error)
	AllSecrets(ctx context.Context) ([]job.Secret, error)
	ResealSecret(ctx context.Context, v job.Secret, sealed []byte) error
	SecretForRun(ctx context.Context, h job.Hold, name string) (job.SecretGrant, error)
}

// Vault seals and opens. Safe for concurrent use.
type Vault struct {
	store store
	keys  seal.Ring
}

// New makes a vault over a store. Without keys secrets are refused; variables are not.
func New(s store, keys seal.Ring) *Vault { return &Vault{store: s, keys: keys} }

// place binds a sealed value to its group and name.
func place(groupID int32, name string) string {
	return fmt.Sprintf("group_secret/%d/%s", groupID, name)
}

// Put seals the value of a secret and stores it in place of the version that s names, 0
// for none; seal.ErrNoKey without a key.
func (v *Vault) Put(ctx context.Context, s job.Secret, value string) (job.Secret, error) {
	var err error
	if s.Sealed, err = v.keys.Seal(place(s.GroupID, s.Name), []byte(value)); err != nil {
		return job.Secret{}, err
	}
	return v.store.PutSecret(ctx, s)
}

// Read gives what an open run reads under a name, and where that run was sent: the
// caller makes sure that it is the one who asks.
func (v *Vault) Read(ctx context.Context, run job.Hold, name string) (value string, at job.RunPlace, err error) {
	g, err := v.store.SecretForRun(ctx, run, name)
	switch {
	case err != nil:
		return "", job.RunPlace{}, err
	case !g.Granted:
		return "", g.RunPlace, job.ErrNotGranted
	case g.Sealed != nil:
		text, err := v.keys.Open(place(g.GroupID, name), g.Sealed)
		return string(text), g.RunPlace, err
	case g.Variable != nil:
		return *g.Variable, g.RunPlace, nil
	default:
		return "", g.RunPlace, job.ErrNoSecret
	}
}

// Reseal seals what an older key sealed with the one that seals now. What cannot be
// opened is left as it is, and logged.
func (v *Vault) Reseal(ctx context.Context, log *slog.Logger) error {
	if !v.keys.Ready() {
		return nil
	}
	all, err := v.store.AllSecrets(ctx)
	if err != nil {
		return err
	}
	for _, s := range all {
		if v.keys.Current(s.Sealed) {
			continue
		}
		text, err := v.keys.Open(place(s.GroupID, s.Name), s.Sealed)
		if err != nil {
			log.WarnContext(ctx, "secret cannot be opened", "group_id", s.GroupID, "name", s.Name, "err", err)
			continue
		}
		sealed, err := v.keys.Seal(place(s.GroupID, s.Name), text)
		if err != nil {
			return err
		}
		if err := v.store.ResealSecret(ctx, s, sealed); err != nil {
			return err
		}
	}
	return nil
}
