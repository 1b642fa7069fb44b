package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

func TestStore_DeletesOnce(t *testing.T) {
	t.Parallel()
	f := setup(t)
	_, err := f.store.PutSecret(t.Context(), job.Secret{GroupID: f.group.ID, Name: "API_KEY", Sealed: []byte("sealed"), UpdatedBy: "ann"})
	require.NoError(t, err)
	_, err = f.store.PutVariable(t.Context(), job.Variable{GroupID: f.group.ID, Name: "REGION", Value: "eu", UpdatedBy: "ann"})
	require.NoError(t, err)
	rule, err := f.store.CreateAlarmRule(t.Context(), job.AlarmRule{Name: "all", On: []job.AlarmEvent{"failure"}, Enabled: true})
	require.NoError(t, err)
	for name, remove := range map[string]func() error{
		"secret":     func() error { return f.store.DeleteSecret(t.Context(), f.group.ID, "API_KEY", 0) },
		"variable":   func() error { return f.store.DeleteVariable(t.Context(), f.group.ID, "REGION", 0) },
		"alarm rule": func() error { return f.store.DeleteAlarmRule(t.Context(), rule.ID, 0) },
	} {
		require.NoError(t, remove(), name)
		require.ErrorIs(t, remove(), job.ErrNotFound, name)
	}
}
