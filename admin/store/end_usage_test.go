package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

func TestEnd_KeepsWhatTheRunConsumed(t *testing.T) {
	t.Parallel()
	f := setup(t)
	runs := f.claimed(t, f.job(t), 2)
	told, silent := result(runs[0].RunID, job.Succeeded), result(runs[1].RunID, job.Failed)
	told.Usage = &job.Usage{WallMS: 1500, CPUMS: 20, PeakBytes: 1 << 33, LogBytes: 6, HostCalls: 2}
	f.end(t, told, silent)

	read, err := f.store.Run(t.Context(), told.RunID)
	require.NoError(t, err)
	require.Equal(t, told.Usage, read.Usage)
	read, err = f.store.Run(t.Context(), silent.RunID)
	require.NoError(t, err)
	require.Nil(t, read.Usage)
}
