package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

// Of two editors who read the same version of a value, the second one is told; also when
// the value was deleted in between, and when it was made again.
func TestStore_ValuesAreWrittenByVersion(t *testing.T) {
	t.Parallel()
	f := setup(t)
	ctx := t.Context()
	for kind, o := range map[string]struct {
		put    func(value string, version int64) (int64, error)
		remove func(version int64) error
		read   func() (string, error)
	}{
		"variable": {
			put: func(value string, version int64) (int64, error) {
				v, err := f.store.PutVariable(ctx, job.Variable{GroupID: f.group.ID, Name: "REGION", Value: value, UpdatedBy: "ann", Version: version})
				return v.Version, err
			},
			remove: func(version int64) error { return f.store.DeleteVariable(ctx, f.group.ID, "REGION", version) },
			read: func() (string, error) {
				v, err := f.store.Variable(ctx, f.group.ID, "REGION")
				return v.Value, err
			},
		},
		"secret": {
			put: func(value string, version int64) (int64, error) {
				v, err := f.store.PutSecret(ctx, job.Secret{GroupID: f.group.ID, Name: "API_KEY", Sealed: []byte(value), UpdatedBy: "ann", Version: version})
				return v.Version, err
			},
			remove: func(version int64) error { return f.store.DeleteSecret(ctx, f.group.ID, "API_KEY", version) },
			read: func() (string, error) {
				v, err := f.store.Secret(ctx, f.group.ID, "API_KEY")
				return string(v.Sealed), err
			},
		},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			holds := func(want string) {
				value, err := o.read()
				require.NoError(t, err)
				require.Equal(t, want, value)
			}
			_, err := o.put("ghost", 4711)
			require.ErrorIs(t, err, job.ErrConflict, "there is none to change")
			first, err := o.put("one", 0)
			require.NoError(t, err)
			_, err = o.put("another", 0)
			require.ErrorIs(t, err, job.ErrConflict, "the name is not new")
			second, err := o.put("two", first)
			require.NoError(t, err)
			_, err = o.put("of the other editor", first)
			require.ErrorIs(t, err, job.ErrConflict)
			require.ErrorIs(t, o.remove(first), job.ErrNotFound)
			holds("two")

			require.NoError(t, o.remove(second))
			_, err = o.put("late", second)
			require.ErrorIs(t, err, job.ErrConflict, "it is gone")
			again, err := o.put("again", 0)
			require.NoError(t, err)
			require.NotContains(t, []int64{first, second}, again)
			_, err = o.put("late", second)
			require.ErrorIs(t, err, job.ErrConflict, "it is another one")
			holds("again")
		})
	}
}
