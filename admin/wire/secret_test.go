package wire_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/seal"
	"github.com/gluewheel/gluewheel/admin/secret"
)

// secretValue is what API_KEY is in group 2.
const secretValue = "s3cret-of-the-group"

// newVault is the real one over a store that knows run 7 with epoch 3, which was granted
// all but OTHER.
func newVault(t *testing.T, b *bundle) *secret.Vault {
	t.Helper()
	ring, err := seal.Parse(seal.NewKey())
	require.NoError(t, err)
	v := secret.New(b, ring)
	b.sealed = map[string][]byte{}
	for _, name := range []string{"API_KEY", "OTHER"} {
		_, err = v.Put(t.Context(), job.Secret{GroupID: 2, Name: name, UpdatedBy: "ann"}, secretValue)
		require.NoError(t, err)
	}
	b.sealed["BROKEN"] = b.sealed["API_KEY"] // sealed for another name
	return v
}

func (f *fakes) PutSecret(_ context.Context, s job.Secret) (job.Secret, error) {
	f.sealed[s.Name] = s.Sealed
	return s, nil
}

func (f *fakes) AllSecrets(context.Context) ([]job.Secret, error) { return nil, nil }

func (f *fakes) ResealSecret(context.Context, job.Secret, []byte) error { return nil }

func (f *fakes) SecretForRun(ctx context.Context, h job.Hold, name string) (job.SecretGrant, error) {
	place, err := f.OpenRun(ctx, h)
	if err != nil {
		return job.SecretGrant{}, err
	}
	g := job.SecretGrant{RunPlace: place, Granted: name != "OTHER", Sealed: f.sealed[name]}
	if name == "REGION" {
		g.Variable = new("eu")
	}
	return g, nil
}

func asking(run int64, epoch int, name string) string {
	return fmt.Sprintf(`{"run_id":%d,"epoch":%d,"name":%q}`, run, epoch, name)
}

func TestSecret(t *testing.T) {
	t.Parallel()
	ours := []string{appHeader, "app"}
	for _, c := range []struct {
		name, body string
		headers    []string
		status     int
		want       string
	}{
		{"granted", asking(7, 3, "API_KEY"), ours, 200, `{"value":"` + secretValue + `"}`},
		{"granted, the group's token", asking(7, 3, "API_KEY"), []string{appHeader, "app", tokenHeader, stockToken}, 200, `{"value":"` + secretValue + `"}`},
		{"a variable", asking(7, 3, "REGION"), ours, 200, `{"value":"eu"}`},
		{"not granted", asking(7, 3, "OTHER"), ours, 403, job.ErrNotGranted.Error()},
		{"granted, but there is none", asking(7, 3, "MISSING"), ours, 403, job.ErrNoSecret.Error()},
		{"an ended run", asking(8, 3, "API_KEY"), ours, 404, "no such open run of this executor"},
		{"an earlier claim of the run", asking(7, 2, "API_KEY"), ours, 404, "no such open run of this executor"},
		{"no run", asking(0, 0, "API_KEY"), ours, 404, "no such open run of this executor"},
		{"another executor's run", asking(7, 3, "API_KEY"), []string{appHeader, "app-test"}, 404, "no such open run of this executor"},
		{"another executor's run, not granted", asking(7, 3, "OTHER"), []string{appHeader, "app-test"}, 404, "no such open run of this executor"},
		{"another executor's run, its own token", asking(7, 3, "API_KEY"), []string{appHeader, "app-test", tokenHeader, ordersToken}, 404, "no such open run of this executor"},
		{"no app name", asking(7, 3, "API_KEY"), nil, 404, "no such open run of this executor"},
		{"another group's token", asking(7, 3, "API_KEY"), []string{appHeader, "app", tokenHeader, ordersToken}, 401, ""},
		{"a wrong token", asking(7, 3, "API_KEY"), []string{appHeader, "app", tokenHeader, "x"}, 401, ""},
		{"no token", asking(7, 3, "API_KEY"), []string{appHeader, "app", tokenHeader, ""}, 401, ""},
		{"no secret's name", `{"run_id":7,"epoch":3,"name":"A\u0000"}`, ours, 400, "no secret can have this name"},
		{"no request", `{`, ours, 400, "the request is not as it should be"},
		{"cannot be opened", asking(7, 3, "BROKEN"), ours, 503, "the admin cannot do it now"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, "tok")
			status, text := b.call(t, http.MethodPost, "/gw/secret", c.body, c.headers...)
			require.Equal(t, c.status, status, text)
			require.Contains(t, text, c.want)
			if status != 200 {
				require.NotContains(t, text, secretValue)
			}
			require.NotContains(t, b.logged.String(), secretValue)
		})
	}
}

func TestSecret_WithoutTheDatabase(t *testing.T) {
	t.Parallel()
	b := setup(t, "tok")
	b.err = errors.New("database is away")
	status, text := b.call(t, http.MethodPost, "/gw/secret", asking(7, 3, "API_KEY"), appHeader, "app")
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Equal(t, "the admin cannot do it now", text, "what is wrong is for the log")
	require.Contains(t, b.logged.String(), "database is away")
}
