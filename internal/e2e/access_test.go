//go:build long

package e2e

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// TestAccess_ForgetsATokenAfterALostConnection takes a group's token back while the
// connection breaks by which admins hear of it: whoever has the token is refused all the
// same, once the admin is connected anew.
func TestAccess_ForgetsATokenAfterALostConnection(t *testing.T) {
	c := newCluster(t)
	a := c.startAdmin("admin")
	group := login(t, a.base(), password).Group(appName)
	const own = "a-token-of-the-group-8c1d"
	hash := sha256.Sum256([]byte(own))
	c.exec(`INSERT INTO group_token (group_id, name, hash, sealed, prefix) VALUES ($1, 'own', $2, '', 'a-t')`, group, hash[:])
	c.exec(`UPDATE cluster SET change_counter = change_counter + 1`)
	eventually(t, 30*time.Second, func() bool { return a.registers(own) }, "the token is known")

	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	require.NoError(t, pgx.BeginFunc(ctx, c.db, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM group_token`); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid() AND query ~ 'LISTEN|change_counter FROM cluster'`)
		require.NotZero(t, tag.RowsAffected(), "the connection that hears of changes was found")
		return err
	}))
	eventually(t, 20*time.Second, func() bool { return !a.registers(own) }, "the token is refused")
	require.True(t, a.registers(token), "and the admin still serves others")
}

// registers reports whether an executor of the group gets in with a token.
func (a *admin) registers(token string) bool {
	a.t.Helper()
	body := `{"registryGroup":"EXECUTOR","registryKey":"` + appName + `","registryValue":"http://127.0.0.1:1"}`
	req, err := http.NewRequestWithContext(a.t.Context(), http.MethodPost, a.base()+"/api/registry", strings.NewReader(body))
	require.NoError(a.t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("XXL-JOB-ACCESS-TOKEN", token)
	resp, err := (&http.Client{Timeout: 10 * time.Second}).Do(req)
	require.NoError(a.t, err)
	defer resp.Body.Close()
	var answer struct{ Code int }
	require.NoError(a.t, json.NewDecoder(resp.Body).Decode(&answer))
	return answer.Code == 200
}
