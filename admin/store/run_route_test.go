package store_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

func TestClaim_KeepsWhyTheRunGoesThere(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.job(t)
	asked := claims(j, f.planned(t, j, 3))
	round := job.Route{Strategy: job.RouteRound, Candidates: 3, Place: 2}
	hostile := job.Route{Strategy: job.RouteFailover, Candidates: 2, Place: 2}
	hostile.Pass("http://e:1", errors.New("\x00 \xff \\u0000 '\"; DROP TABLE run; \u2028"))
	asked[0].Route, asked[1].Route, asked[2].Route = &round, &hostile, nil

	got, err := f.store.Claim(t.Context(), f.node, lease, asked)
	require.NoError(t, err)
	require.Len(t, got, 3)
	require.Equal(t, &round, f.run(t, asked[0].RunID).Route)
	require.Equal(t, &hostile, f.run(t, asked[1].RunID).Route, "as it was told, but for what cannot be stored")
	require.Nil(t, f.run(t, asked[2].RunID).Route)
	shown, err := f.store.Run(t.Context(), asked[0].RunID)
	require.NoError(t, err)
	require.Equal(t, &round, shown.Route)

	_, err = f.store.Release(t.Context(), holds(got))
	require.NoError(t, err)
	require.Nil(t, f.run(t, asked[0].RunID).Route, "it has no address any more")
}
