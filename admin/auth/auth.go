package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
)

// Errors of logins and sessions.
var (
	// ErrWrongLogin: no such user, or another password. Which of them is not told.
	ErrWrongLogin = errors.New("wrong user name or password")
	// ErrNoSession: the session is unknown, expired or ended.
	ErrNoSession = errors.New("not logged in")
)

// FirstUser is the name of the user that EnsureAdmin makes.
const FirstUser = "admin"

// SessionLife is when a session ends in any case.
const SessionLife = 30 * 24 * time.Hour

const (
	sessionIdle = 7 * 24 * time.Hour // a session that is unused for so long ends
	tokenBytes  = 32
)

// hashesAtOnce bounds the memory and processors that logins may take.
const hashesAtOnce = 2

// accounts is the store as this package needs it.
type accounts interface {
	UserByName(ctx context.Context, username string) (job.User, error)
	CreateUser(ctx context.Context, u job.User) (job.User, error)
	CreateFirstUser(ctx context.Context, u job.User) (created bool, err error)
	HasUsers(ctx context.Context) (bool, error)
	CreateSession(ctx context.Context, s job.Session, idle time.Duration) error
	SessionUser(ctx context.Context, tokenHash []byte, idle time.Duration) (job.User, error)
	DeleteSession(ctx context.Context, tokenHash []byte) error
}

// Auth checks logins and sessions. Safe for concurrent use.
type Auth struct {
	store    accounts
	hasher   *hasher
	throttle *throttle
	// decoy is the hash that the password of an unknown user is compared with, so that
	// the answer takes as long as for a known one.
	decoy string
}

// New computes one hash, and does not touch the store.
func New(ctx context.Context, store accounts) (*Auth, error) {
	a := &Auth{store: store, hasher: newHasher(hashesAtOnce), throttle: newThrottle()}
	var err error
	if a.decoy, err = a.hasher.hash(ctx, rand.Text()); err != nil {
		return nil, fmt.Errorf("prepare logins: %w", err)
	}
	return a, nil
}

// HasUsers reports whether there is any account: if not, EnsureAdmin wants a password.
func (a *Auth) HasUsers(ctx context.Context) (bool, error) { return a.store.HasUsers(ctx) }

// EnsureAdmin makes the first user, an admin named FirstUser with that password, if
// there is no account yet, and reports whether it did. There is no default password:
// the caller generates one or takes it from the operator.
func (a *Auth) EnsureAdmin(ctx context.Context, password string) (created bool, err error) {
	u, err := a.newUser(ctx, job.User{Username: FirstUser, Role: job.RoleAdmin}, password)
	if err != nil {
		return false, err
	}
	return a.store.CreateFirstUser(ctx, u)
}

// CreateUser makes an account with that password; PasswordHash of u is not looked at.
func (a *Auth) CreateUser(ctx context.Context, u job.User, password string) (job.User, error) {
	u, err := a.newUser(ctx, u, password)
	if err != nil {
		return job.User{}, err
	}
	return a.store.CreateUser(ctx, u)
}

func (a *Auth) newUser(ctx context.Context, u job.User, password string) (job.User, error) {
	err := CheckPassword(password)
	if err == nil {
		u.PasswordHash, err = a.hasher.hash(ctx, password)
	}
	if err != nil {
		return job.User{}, fmt.Errorf("create user %q: %w", u.Username, err)
	}
	return u, nil
}

// Login checks a password and begins a session; token is the secret for the browser.
// old, the token that the browser already has, if any, ends.
// The error is ErrWrongLogin, a *TooManyError, or something that is not the user's fault.
func (a *Auth) Login(ctx context.Context, username, password string, from netip.Addr, old string) (id Identity, token string, err error) {
	if err := a.throttle.take(username, from); err != nil {
		return Identity{}, "", err
	}
	u, err := a.check(ctx, username, password)
	if !errors.Is(err, ErrWrongLogin) {
		a.throttle.giveBack(username, from)
	}
	if err != nil {
		return Identity{}, "", fmt.Errorf("log in: %w", err)
	}
	if token, err = a.begin(ctx, u); err != nil {
		return Identity{}, "", fmt.Errorf("log in: %w", err)
	}
	if err := a.Logout(ctx, old); err != nil {
		return Identity{}, "", fmt.Errorf("log in: %w", err)
	}
	return identity(u), token, nil
}

func (a *Auth) check(ctx context.Context, username, password string) (job.User, error) {
	u, err := a.store.UserByName(ctx, username)
	unknown := errors.Is(err, job.ErrNotFound)
	switch {
	case unknown:
		u.PasswordHash = a.decoy
	case err != nil:
		return job.User{}, err
	}
	ok, err := a.hasher.matches(ctx, password, u.PasswordHash)
	switch {
	case err != nil:
		return job.User{}, err
	case !ok || unknown:
		return job.User{}, ErrWrongLogin
	}
	return u, nil
}

func (a *Auth) begin(ctx context.Context, u job.User) (token string, err error) {
	secret := make([]byte, tokenBytes)
	rand.Read(secret)
	token = base64.RawURLEncoding.EncodeToString(secret)
	err = a.store.CreateSession(ctx, job.Session{TokenHash: hashToken(token), UserID: u.ID, Lifetime: SessionLife}, sessionIdle)
	return token, err
}

// Authenticate tells who holds a token; ErrNoSession when nobody does any more.
func (a *Auth) Authenticate(ctx context.Context, token string) (Identity, error) {
	if token == "" {
		return Identity{}, ErrNoSession
	}
	u, err := a.store.SessionUser(ctx, hashToken(token), sessionIdle)
	if errors.Is(err, job.ErrNotFound) {
		return Identity{}, ErrNoSession
	}
	if err != nil {
		return Identity{}, fmt.Errorf("check session: %w", err)
	}
	return identity(u), nil
}

// Logout ends a session. An unknown token is none.
func (a *Auth) Logout(ctx context.Context, token string) error {
	if token == "" {
		return nil
	}
	return a.store.DeleteSession(ctx, hashToken(token))
}

// hashToken needs no salt and no cost: tokens are random, nobody guesses one.
func hashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

func identity(u job.User) Identity {
	return Identity{UserID: u.ID, Username: u.Username, Role: u.Role, GroupIDs: u.GroupIDs}
}
