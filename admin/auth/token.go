package auth

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
)

const (
	// TokenPrefix begins every API token, so that scanners for leaked secrets know it.
	TokenPrefix = "gw_"
	// tokenRandom is the number of random bytes in a token: 192 bits.
	tokenRandom = 24
	// shownPrefix is how much of a token is kept in the clear: TokenPrefix and 36 bits.
	shownPrefix = len(TokenPrefix) + 6
)

type tokens interface {
	CreateToken(ctx context.Context, t job.APIToken) (job.APIToken, error)
	TokenUser(ctx context.Context, tokenHash []byte) (job.APIToken, job.User, error)
}

// CreateToken makes an API token for id with the name, role, groups and expiry of t;
// secret is told once. ErrForbidden when it could do more than id may, or, made by a
// token, live longer than that one. It ends with the token that made it.
func (a *Auth) CreateToken(ctx context.Context, id Identity, t job.APIToken) (made job.APIToken, secret string, err error) {
	if !id.Covers(t.Role, t.GroupIDs) || id.Token != nil && outlives(t.ExpiresAt, id.Token.ExpiresAt) {
		return job.APIToken{}, "", ErrForbidden
	}
	random := make([]byte, tokenRandom)
	rand.Read(random)
	secret = TokenPrefix + base64.RawURLEncoding.EncodeToString(random)
	t.UserID, t.Prefix, t.TokenHash = id.UserID, secret[:shownPrefix], hashSecret(secret)
	if id.Token != nil {
		t.ParentID = &id.Token.ID
	}
	made, err = a.store.CreateToken(ctx, t)
	if errors.Is(err, job.ErrNotFound) { // who makes it is no longer there
		err = ErrNoSession
	}
	if err != nil {
		return job.APIToken{}, "", err
	}
	return made, secret, nil
}

// outlives compares expiries; nil is never.
func outlives(t, parent *time.Time) bool {
	return parent != nil && (t == nil || t.After(*parent))
}

// AuthenticateToken tells whom an API token speaks for, and with which rights;
// ErrNoSession when it is unknown, expired, or its user is disabled.
func (a *Auth) AuthenticateToken(ctx context.Context, secret string) (Identity, error) {
	if !strings.HasPrefix(secret, TokenPrefix) {
		return Identity{}, ErrNoSession
	}
	t, u, err := a.store.TokenUser(ctx, hashSecret(secret))
	if errors.Is(err, job.ErrNotFound) {
		return Identity{}, ErrNoSession
	}
	if err != nil {
		return Identity{}, fmt.Errorf("check token: %w", err)
	}
	return identity(u).narrow(t), nil
}
