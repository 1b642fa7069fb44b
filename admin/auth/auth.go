package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/netip"
	"strings"
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

const (
	// SessionLife is when a session ends in any case.
	SessionLife = 7 * 24 * time.Hour
	// SessionIdle is when a session ends that is not used.
	SessionIdle = 12 * time.Hour

	sessionBytes = 32
)

// hashesAtOnce bounds the memory and processors that logins may take.
const hashesAtOnce = 2

// accounts is the store as this package needs it.
type accounts interface {
	UserByName(ctx context.Context, username string) (job.User, error)
	CreateUser(ctx context.Context, u job.User) (job.User, error)
	UpdateUser(ctx context.Context, e job.UserEdit) (job.User, error)
	CreateFirstUser(ctx context.Context, u job.User) (created bool, err error)
	HasUsers(ctx context.Context) (bool, error)
	SetPassword(ctx context.Context, id int32, passwordHash string, asks *job.Renewal) error
	sessions
	tokens
	attempts
	subjects
}

type sessions interface {
	CreateSession(ctx context.Context, s job.Session, idle time.Duration) error
	SessionUser(ctx context.Context, tokenHash []byte, idle time.Duration) (job.User, error)
	Sessions(ctx context.Context, userID int32, current []byte, idle time.Duration) ([]job.SessionInfo, error)
	DeleteSession(ctx context.Context, tokenHash []byte) error
}

type attempts interface {
	TakeLogin(ctx context.Context, buckets []job.Bucket, window time.Duration) (wait time.Duration, err error)
	GiveBackLogin(ctx context.Context, buckets []job.Bucket) error
}

// Auth checks logins, sessions and tokens. Safe for concurrent use.
type Auth struct {
	store    accounts
	hasher   *hasher
	throttle *throttle
	failures failures
	// decoy is the hash that the password of an unknown user is compared with, so that
	// the answer takes as long as for a known one.
	decoy string
}

// Client is the other end of a request.
type Client struct {
	Addr      netip.Addr // the zero value when it cannot be told
	UserAgent string
	Session   string // the secret of the session that it has; empty for none
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
	var err error
	if u.PasswordHash, err = a.Hash(ctx, password); err != nil {
		return job.User{}, fmt.Errorf("create user %q: %w", u.Username, err)
	}
	return u, nil
}

// Hash gives the hash of a new password; a *job.FieldError of the field password says
// what is wrong with it.
func (a *Auth) Hash(ctx context.Context, password string) (string, error) {
	if err := CheckPassword(password); err != nil {
		return "", &job.FieldError{Field: "password", Message: "This is not accepted: " + err.Error() + "."}
	}
	return a.hasher.hash(ctx, password)
}

// Login checks a password and begins a session; secret is for the browser. The session
// that the browser already has, if any, ends.
// The error is ErrWrongLogin, a *TooManyError, or something that is not the user's fault.
func (a *Auth) Login(ctx context.Context, username, password string, from Client) (id Identity, secret string, err error) {
	u, err := a.attempt(ctx, username, password, from.Addr)
	if err != nil {
		return Identity{}, "", err
	}
	if secret, err = a.begin(ctx, u, from); err != nil {
		return Identity{}, "", err
	}
	return identity(u), secret, nil
}

// attempt checks a password, and counts if it is wrong: here, and over all admins.
func (a *Auth) attempt(ctx context.Context, username, password string, from netip.Addr) (job.User, error) {
	if err := a.throttle.take(username, from); err != nil {
		return job.User{}, err
	}
	wait, err := a.store.TakeLogin(ctx, buckets(username, from), throttleWindow)
	if err != nil || wait > 0 {
		a.throttle.giveBack(username, from)
	}
	switch {
	case err != nil:
		return job.User{}, fmt.Errorf("log in: %w", err)
	case wait > 0:
		return job.User{}, &TooManyError{After: wait}
	}
	u, err := a.check(ctx, username, password)
	if !errors.Is(err, ErrWrongLogin) {
		a.throttle.giveBack(username, from)
		err = errors.Join(err, a.store.GiveBackLogin(ctx, buckets(username, from)))
	}
	if err != nil {
		return job.User{}, fmt.Errorf("log in: %w", err)
	}
	return u, nil
}

func (a *Auth) check(ctx context.Context, username, password string) (job.User, error) {
	u, err := a.store.UserByName(ctx, username)
	unknown := errors.Is(err, job.ErrNotFound)
	if err != nil && !unknown {
		return job.User{}, err
	}
	// An account of single sign-on alone has no password.
	unknown = unknown || u.PasswordHash == ""
	if unknown {
		u.PasswordHash = a.decoy
	}
	ok, err := a.hasher.matches(ctx, password, u.PasswordHash)
	switch {
	case err != nil:
		return job.User{}, err
	case !ok || unknown || u.Disabled:
		return job.User{}, ErrWrongLogin
	}
	return u, nil
}

// begin stores a new session under a secret of its own.
func (a *Auth) begin(ctx context.Context, u job.User, from Client) (secret string, err error) {
	secret = newSessionSecret()
	s := job.Session{TokenHash: hashSecret(secret), UserID: u.ID, Lifetime: SessionLife, UserAgent: strings.ToValidUTF8(from.UserAgent, "?")}
	if from.Session != "" {
		s.OldHash = hashSecret(from.Session)
	}
	if from.Addr.IsValid() {
		s.Address = from.Addr.Unmap().String()
	}
	err = a.store.CreateSession(ctx, s, SessionIdle)
	if errors.Is(err, job.ErrNotFound) { // disabled in this very moment
		err = ErrWrongLogin
	}
	if err != nil {
		return "", fmt.Errorf("log in: %w", err)
	}
	return secret, nil
}

func newSessionSecret() string {
	random := make([]byte, sessionBytes)
	rand.Read(random)
	return base64.RawURLEncoding.EncodeToString(random)
}

// Authenticate tells who holds the secret of a session; ErrNoSession when nobody does
// any more.
func (a *Auth) Authenticate(ctx context.Context, secret string) (Identity, error) {
	if secret == "" {
		return Identity{}, ErrNoSession
	}
	u, err := a.store.SessionUser(ctx, hashSecret(secret), SessionIdle)
	if errors.Is(err, job.ErrNotFound) {
		return Identity{}, ErrNoSession
	}
	if err != nil {
		return Identity{}, fmt.Errorf("check session: %w", err)
	}
	return identity(u), nil
}

// Sessions lists the open sessions of a user; the one with that secret is the current.
func (a *Auth) Sessions(ctx context.Context, userID int32, secret string) ([]job.SessionInfo, error) {
	return a.store.Sessions(ctx, userID, hashSecret(secret), SessionIdle)
}

// Logout ends a session. An unknown secret is none.
func (a *Auth) Logout(ctx context.Context, secret string) error {
	if secret == "" {
		return nil
	}
	return a.store.DeleteSession(ctx, hashSecret(secret))
}

// ChangePassword replaces a password by whoever knows the old one, and ends the user's
// sessions. The one that asks goes on under another secret: whoever has copied the one of
// before is out with the others. Wrong tries count as failed logins.
func (a *Auth) ChangePassword(ctx context.Context, id Identity, old, password string, from Client) (secret string, err error) {
	hash, err := a.Hash(ctx, password)
	if err != nil {
		return "", err
	}
	_, err = a.attempt(ctx, id.Username, old, from.Addr)
	if errors.Is(err, ErrWrongLogin) {
		return "", &job.FieldError{Field: "old_password", Message: "This is not your password. Enter the one that you logged in with."}
	}
	if err != nil {
		return "", err
	}
	secret = newSessionSecret()
	err = a.store.SetPassword(ctx, id.UserID, hash, &job.Renewal{OldHash: hashSecret(from.Session), NewHash: hashSecret(secret)})
	if errors.Is(err, job.ErrNotFound) { // ended in this very moment
		err = ErrNoSession
	}
	if err != nil {
		return "", err
	}
	return secret, nil
}

// hashSecret needs no salt and no cost: secrets are random, nobody guesses one.
func hashSecret(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}
