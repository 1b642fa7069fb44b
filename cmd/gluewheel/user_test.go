package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/auth"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/store"
	"github.com/gluewheel/gluewheel/admin/store/storetest"
)

func TestUser_ResetPassword(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	db := storetest.Open(t, url)
	accounts, err := auth.New(t.Context(), db)
	require.NoError(t, err)
	_, err = accounts.EnsureAdmin(t.Context(), "the first password")
	require.NoError(t, err)
	_, session, err := accounts.Login(t.Context(), auth.FirstUser, "the first password", auth.Client{})
	require.NoError(t, err)

	out := reset(t, url, "", "admin")
	require.Contains(t, out, "The new password of admin is ")
	password := strings.Fields(out)[6]
	_, err = accounts.Authenticate(t.Context(), session)
	require.ErrorIs(t, err, auth.ErrNoSession)
	_, _, err = accounts.Login(t.Context(), auth.FirstUser, password, auth.Client{})
	require.NoError(t, err)

	out = reset(t, url, "from a pipe\n", "admin", "--stdin")
	require.NotContains(t, out, "from a pipe")
	_, _, err = accounts.Login(t.Context(), auth.FirstUser, "from a pipe", auth.Client{})
	require.NoError(t, err)
	require.Equal(t, []string{"resetPassword", "resetPassword"}, actions(t, db))

	var stderr bytes.Buffer
	code := run(t.Context(), []string{"user", "reset-password", "nobody", "--database-url", url}, &streams{out: &bytes.Buffer{}, err: &stderr})
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr.String(), `there is no user "nobody"`)
}

func reset(t *testing.T, url, stdin string, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	args = append([]string{"user", "reset-password", "--database-url", url}, args...)
	code := run(t.Context(), args, &streams{in: strings.NewReader(stdin), out: &stdout, err: &stderr})
	require.Equal(t, exitOK, code, stderr.String())
	return stdout.String()
}

func actions(t *testing.T, db *store.Store) []string {
	t.Helper()
	page, err := db.Audit(t.Context(), job.AuditFilter{ObjectType: "user"}, job.Paging{})
	require.NoError(t, err)
	var out []string
	for _, e := range page.Items {
		require.Equal(t, job.ActorSystem, e.ActorKind)
		out = append(out, e.Action)
	}
	return out
}

func TestOpenAPI_IsPrinted(t *testing.T) {
	t.Parallel()
	var stdout bytes.Buffer
	require.Equal(t, exitOK, run(t.Context(), []string{"openapi"}, &streams{out: &stdout, err: &bytes.Buffer{}}))
	require.Contains(t, stdout.String(), `"openapi": "3.1.0"`)
}

func TestOIDCFlags_NameWhatIsMissing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		flags oidcFlags
		page  string
	}{
		"oidc-client-id":          {oidcFlags{OIDCIssuer: "https://id.example"}, "https://jobs.example"},
		"page-url":                {oidcFlags{OIDCIssuer: "https://id.example", OIDCClientID: "gluewheel"}, ""},
		"oidc-map":                {oidcFlags{OIDCIssuer: "https://id.example", OIDCClientID: "gluewheel", OIDCMap: map[string]string{"ops": "boss"}}, "https://jobs.example"},
		"oidc-client-secret-file": {oidcFlags{OIDCIssuer: "https://id.example", OIDCClientID: "gluewheel", OIDCClientSecretFile: "/no/such/file"}, "https://jobs.example"},
	} {
		_, err := c.flags.oidc(c.page)
		require.ErrorContains(t, err, name)
	}
	none, err := (&oidcFlags{}).oidc("")
	require.NoError(t, err)
	require.Nil(t, none)
}
