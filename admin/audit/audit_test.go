package audit

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

type sample struct {
	job.Grant
	Name       string `db:"name"`
	Password   string
	TokenHash  []byte `db:"token_hash"`
	TokenID    int32
	At         time.Time       `json:"at"`
	Raw        json.RawMessage `json:"raw"`
	Secrets    []string        `json:"secrets"`
	Nested     map[string]any  `json:"nested"`
	Long       string          `json:"long"`
	Hidden     string          `audit:"-"`
	SecretsSet []string        `json:"secrets_set"`
	Empty      *string         `json:"password_hint"`
	Version    int64           `json:"version"`
	private    string
}

func TestFields_LeaveSecretsOut(t *testing.T) {
	t.Parallel()
	got := Fields(&sample{
		Grant: job.Grant{GroupID: 3, Role: job.GroupViewer}, Name: "n\x00\xff", Password: "hush", TokenHash: []byte("hush"), TokenID: 7,
		At: time.Unix(0, 0).UTC(), Raw: json.RawMessage(`{"api_token":"hush","deep":{"secret":"hush"}}`), Secrets: []string{"DB_PASS"},
		Nested: map[string]any{"url": "https://hush", "port": 25}, Long: strings.Repeat("x", 3000), Hidden: "hush", private: "hush",
	})
	text, err := json.Marshal(got)
	require.NoError(t, err)
	require.NotContains(t, string(text), "hush")
	require.Equal(t, "n??", got["name"])
	require.Equal(t, masked, got["password"])
	require.Equal(t, masked, got["token_hash"])
	require.EqualValues(t, 7, got["token_id"])
	require.EqualValues(t, 3, got["group_id"])
	require.Equal(t, "1970-01-01T00:00:00Z", got["at"])
	require.Equal(t, []any{"DB_PASS"}, got["secrets"])
	require.Equal(t, map[string]any{"url": masked, "port": 25}, got["nested"])
	require.Contains(t, got["long"], "3000 bytes")
	require.NotContains(t, got, "password_hint")
	require.Nil(t, Fields("no struct"))
	require.Nil(t, Fields(nil))
}

func TestDifference_KeepsWhatChanged(t *testing.T) {
	t.Parallel()
	was := map[string]any{"a": 1, "b": "x", "version": 1}
	for _, c := range []struct {
		name, before, after string
		is                  map[string]any
		input               bool
	}{
		{"an edit", `{"b":"x"}`, `{"b":"y"}`, map[string]any{"a": 1, "b": "y", "version": 2}, false},
		{"a field that is gone", `{"b":"x"}`, `{}`, map[string]any{"a": 1}, false},
		{"an input leaves fields out", `{"a":1}`, `{"a":2}`, map[string]any{"a": 2}, true},
		{"nothing", `{}`, `{}`, was, false},
	} {
		b, a := difference(was, c.is, c.input)
		require.JSONEq(t, c.before, string(b), c.name)
		require.JSONEq(t, c.after, string(a), c.name)
	}
	b, a := difference(nil, was, false)
	require.Nil(t, b)
	require.JSONEq(t, `{"a":1,"b":"x","version":1}`, string(a))
}

func TestNote_OfPartsIsSettled(t *testing.T) {
	t.Parallel()
	ctx := With(t.Context(), job.AuditEntry{Actor: "ann", Action: "bulk"})
	part := Each(ctx, Change{Object: "job", ID: "1"})
	e, pending := Of(part).Pending()
	require.True(t, pending)
	require.Equal(t, []string{"ann", "bulk", "job", "1"}, []string{e.Actor, e.Action, e.ObjectType, e.ObjectID})
	_, pending = Of(ctx).Pending()
	require.False(t, pending)

	ctx = With(t.Context(), job.AuditEntry{Action: "import"})
	Became(ctx, job.Group{ID: 3, Title: "T"})
	e, pending = Of(ctx).Part()
	require.True(t, pending)
	require.Equal(t, []string{"group", "3", "T"}, []string{e.ObjectType, e.ObjectID, e.ObjectName})
	Became(ctx, &job.RunSummary{JobName: "j"})
	e, _ = Of(ctx).Part()
	require.Equal(t, []string{"run", "j"}, []string{e.ObjectType, e.ObjectName})
	require.Nil(t, e.Before)
	_, pending = Of(ctx).Pending()
	require.False(t, pending, "the parts say it all")

	for _, none := range []*Note{Of(t.Context()), Of(Without(ctx))} {
		_, pending = none.Pending()
		require.False(t, pending)
	}
	Record(t.Context(), Change{ID: "1"})
	Apart(t.Context())
	require.Equal(t, t.Context(), Each(t.Context(), Change{}))
}
