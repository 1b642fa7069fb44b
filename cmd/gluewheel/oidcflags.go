package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/gluewheel/gluewheel/admin/auth"
)

// oidcFlags switch single sign-on on.
type oidcFlags struct {
	OIDCIssuer           string            `name:"oidc-issuer" placeholder:"URL" env:"GLUEWHEEL_OIDC_ISSUER" help:"Lets people log in with this OpenID Connect provider; needs page-url."`
	OIDCClientID         string            `name:"oidc-client-id" placeholder:"ID" env:"GLUEWHEEL_OIDC_CLIENT_ID" help:"The provider's name for gluewheel."`
	OIDCClientSecretFile string            `name:"oidc-client-secret-file" placeholder:"FILE" env:"GLUEWHEEL_OIDC_CLIENT_SECRET_FILE" help:"File with the secret that goes with it; none for a public client."`
	OIDCName             string            `name:"oidc-name" placeholder:"NAME" env:"GLUEWHEEL_OIDC_NAME" help:"What the login page calls the provider."`
	OIDCScopes           []string          `name:"oidc-scopes" default:"openid,profile,email" placeholder:"SCOPE,…" env:"GLUEWHEEL_OIDC_SCOPES" help:"What is asked of the provider (${default})."`
	OIDCGroupsClaim      string            `name:"oidc-groups-claim" default:"groups" placeholder:"CLAIM" env:"GLUEWHEEL_OIDC_GROUPS_CLAIM" help:"Claim with the provider's groups of a person (${default})."`
	OIDCMap              map[string]string `name:"oidc-map" mapsep:";" placeholder:"GROUP=ACCESS;…" env:"GLUEWHEEL_OIDC_MAP" help:"What the provider's groups may do here: admin, auditor, or roles in groups such as sync:operator,billing:viewer. Without it an admin gives roles."`
}

// oidc is nil when single sign-on is not asked for.
func (f *oidcFlags) oidc(pageURL string) (*auth.OIDCConfig, error) {
	if f.OIDCIssuer == "" {
		return nil, nil
	}
	switch {
	case f.OIDCClientID == "":
		return nil, errors.New("oidc-client-id: it is required beside oidc-issuer")
	case pageURL == "":
		return nil, errors.New("page-url: it is required beside oidc-issuer, because the provider sends people back to it")
	}
	cfg := &auth.OIDCConfig{
		Name: f.OIDCName, Issuer: f.OIDCIssuer, ClientID: f.OIDCClientID, Scopes: f.OIDCScopes, GroupsClaim: f.OIDCGroupsClaim,
		RedirectURL: strings.TrimSuffix(pageURL, "/") + "/api/v1/oidc/callback", Access: map[string]auth.Access{},
	}
	for group, text := range f.OIDCMap {
		access, err := auth.ParseAccess(text)
		if err != nil {
			return nil, fmt.Errorf("oidc-map: %s: %w", group, err)
		}
		cfg.Access[group] = access
	}
	if f.OIDCClientSecretFile != "" {
		secret, err := os.ReadFile(f.OIDCClientSecretFile)
		if err != nil {
			return nil, fmt.Errorf("oidc-client-secret-file: %w", err)
		}
		cfg.ClientSecret = strings.TrimSpace(string(secret))
	}
	return cfg, nil
}
