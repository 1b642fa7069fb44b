package auth

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/gluewheel/gluewheel/admin/audit"
	"github.com/gluewheel/gluewheel/admin/job"
)

// Errors of single sign-on, beside those of logins.
var (
	// ErrSSO: the provider did not vouch for anybody. What it said is in the error's text.
	ErrSSO = errors.New("single sign-on failed")
	// ErrSSOName: another account has the user's name already; it is not taken over.
	ErrSSOName = errors.New("the user name belongs to another account")
)

// providerTime bounds one call to the identity provider.
const providerTime = 10 * time.Second

// maxUsername is the most characters of a user name.
const maxUsername = 100

// OIDCConfig says how to log in with an OpenID Connect provider.
type OIDCConfig struct {
	Name         string            // for people; default: the issuer
	Issuer       string            // required
	ClientID     string            // required
	ClientSecret string            // empty for a public client
	RedirectURL  string            // required: where the provider sends the browser back to
	Scopes       []string          // default openid, profile, email
	NameClaim    string            // default preferred_username
	GroupsClaim  string            // default groups
	Access       map[string]Access // by value of GroupsClaim; empty: roles are given by hand
}

// OIDC logs people in with an OpenID Connect provider: code flow, with state, nonce and
// PKCE. An account is known by issuer and subject, never by name or address, so that
// nobody gets an account by renaming themselves at the provider. Safe for concurrent use.
type OIDC struct {
	cfg  OIDCConfig
	auth *Auth
	http *http.Client

	gate     chan struct{}  // held by whoever looks at provider
	provider *oidc.Provider // nil until it was reached first
}

type subjects interface {
	UserBySubject(ctx context.Context, subject string) (job.User, error)
	GroupsByApp(ctx context.Context, apps []string) ([]job.Group, error)
}

// NewOIDC does not call the provider yet: it may be away when the admin starts.
func NewOIDC(cfg OIDCConfig, a *Auth) (*OIDC, error) {
	for name, missing := range map[string]bool{
		"issuer": cfg.Issuer == "", "client id": cfg.ClientID == "", "redirect url": cfg.RedirectURL == "",
	} {
		if missing {
			return nil, fmt.Errorf("set up single sign-on: the %s is required", name)
		}
	}
	cfg.Name = cmp.Or(cfg.Name, cfg.Issuer)
	cfg.NameClaim = cmp.Or(cfg.NameClaim, "preferred_username")
	cfg.GroupsClaim = cmp.Or(cfg.GroupsClaim, "groups")
	if len(cfg.Scopes) == 0 {
		cfg.Scopes = []string{"profile", "email"}
	}
	if !slices.Contains(cfg.Scopes, oidc.ScopeOpenID) {
		cfg.Scopes = append([]string{oidc.ScopeOpenID}, cfg.Scopes...)
	}
	return &OIDC{cfg: cfg, auth: a, http: &http.Client{Timeout: providerTime}, gate: make(chan struct{}, 1)}, nil
}

// Name is the provider's for people.
func (o *OIDC) Name() string { return o.cfg.Name }

// Pending is what a browser keeps while it is at the provider.
type Pending struct {
	State, Nonce, Verifier string
}

// Begin tells where to send the browser, and what it must bring back.
func (o *OIDC) Begin(ctx context.Context) (url string, p Pending, err error) {
	client, _, err := o.client(ctx)
	if err != nil {
		return "", Pending{}, err
	}
	p = Pending{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier()}
	return client.AuthCodeURL(p.State, oidc.Nonce(p.Nonce), oauth2.S256ChallengeOption(p.Verifier)), p, nil
}

// client reaches the provider the first time it is asked for.
func (o *OIDC) client(ctx context.Context) (*oauth2.Config, *oidc.Provider, error) {
	select {
	case o.gate <- struct{}{}:
		defer func() { <-o.gate }()
	case <-ctx.Done():
		return nil, nil, fmt.Errorf("%w: wait for the provider: %w", ErrSSO, context.Cause(ctx))
	}
	if o.provider == nil {
		p, err := oidc.NewProvider(o.calls(ctx), o.cfg.Issuer)
		if err != nil {
			return nil, nil, fmt.Errorf("%w: reach the provider: %w", ErrSSO, err)
		}
		o.provider = p
	}
	return &oauth2.Config{
		ClientID: o.cfg.ClientID, ClientSecret: o.cfg.ClientSecret, Endpoint: o.provider.Endpoint(),
		RedirectURL: o.cfg.RedirectURL, Scopes: o.cfg.Scopes,
	}, o.provider, nil
}

func (o *OIDC) calls(ctx context.Context) context.Context { return oidc.ClientContext(ctx, o.http) }

// Finish takes what the browser brought back, and begins a session. The account is made
// at the first login; roles are mapped anew at each one. ErrWrongLogin when the account
// is disabled.
func (o *OIDC) Finish(ctx context.Context, p Pending, state, code string, from Client) (id Identity, secret string, err error) {
	if p.State == "" || subtle.ConstantTimeCompare([]byte(p.State), []byte(state)) != 1 {
		return Identity{}, "", fmt.Errorf("%w: this login was not begun in this browser", ErrSSO)
	}
	who, err := o.exchange(ctx, p, code)
	if err != nil {
		return Identity{}, "", err
	}
	u, err := o.account(ctx, who)
	if err != nil {
		return Identity{}, "", err
	}
	if secret, err = o.auth.begin(audit.Each(ctx, audit.Change{}), u, from); err != nil {
		return Identity{}, "", err
	}
	return identity(u), secret, nil
}

// vouched is what the provider says of somebody.
type vouched struct {
	subject string // with the issuer
	name    string
	groups  []string
}

func (o *OIDC) exchange(ctx context.Context, p Pending, code string) (vouched, error) {
	client, provider, err := o.client(ctx)
	if err != nil {
		return vouched{}, err
	}
	ctx = o.calls(ctx)
	tokens, err := client.Exchange(ctx, code, oauth2.VerifierOption(p.Verifier))
	if err != nil {
		return vouched{}, fmt.Errorf("%w: exchange the code: %w", ErrSSO, err)
	}
	raw, _ := tokens.Extra("id_token").(string)
	token, err := provider.Verifier(&oidc.Config{ClientID: o.cfg.ClientID}).Verify(ctx, raw)
	if err != nil {
		return vouched{}, fmt.Errorf("%w: check the id token: %w", ErrSSO, err)
	}
	if subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(p.Nonce)) != 1 {
		return vouched{}, fmt.Errorf("%w: the id token is of another login", ErrSSO)
	}
	var claims map[string]any
	if err := token.Claims(&claims); err != nil {
		return vouched{}, fmt.Errorf("%w: read the claims: %w", ErrSSO, err)
	}
	return vouched{
		subject: token.Issuer + " " + token.Subject,
		name:    username(claims, o.cfg.NameClaim, token.Subject),
		groups:  texts(claims[o.cfg.GroupsClaim]),
	}, nil
}

// username is the first of the claims that can be one.
func username(claims map[string]any, claim, subject string) string {
	for _, name := range []string{claim, "email"} {
		if text, _ := claims[name].(string); text != "" && utf8.RuneCountInString(text) <= maxUsername && !strings.ContainsRune(text, 0) {
			return text
		}
	}
	return subject[:min(len(subject), maxUsername)]
}

// texts are the texts of a claim that is one or a list of them.
func texts(claim any) []string {
	switch claim := claim.(type) {
	case string:
		return []string{claim}
	case []any:
		var out []string
		for _, v := range claim {
			if s, ok := v.(string); ok {
				out = append(out, s)
			}
		}
		return out
	default:
		return nil
	}
}

// account finds or makes the account of whom the provider vouches for, with the roles
// that it has now.
func (o *OIDC) account(ctx context.Context, who vouched) (job.User, error) {
	access := mapped(o.cfg.Access, who.groups)
	grants, err := o.auth.grants(ctx, access.Groups)
	if err != nil {
		return job.User{}, err
	}
	u, err := o.auth.store.UserBySubject(ctx, who.subject)
	own := audit.Each(ctx, audit.Change{Actor: who.name})
	switch {
	case errors.Is(err, job.ErrNotFound):
		u = job.User{Username: who.name, Subject: &who.subject, Role: access.Role, Grants: grants}
		if u, err = o.auth.store.CreateUser(own, u); errors.Is(err, job.ErrDuplicateUser) {
			err = ErrSSOName
		}
		return u, err
	case err != nil:
		return job.User{}, err
	case u.Disabled:
		return job.User{}, ErrWrongLogin
	case len(o.cfg.Access) == 0 || u.Role == access.Role && slices.Equal(u.Grants, grants):
		return u, nil
	}
	return o.auth.store.UpdateUser(own, job.UserEdit{ID: u.ID, Version: u.Version, Role: access.Role, Grants: grants})
}
