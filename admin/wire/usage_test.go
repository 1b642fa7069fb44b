package wire_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

func TestCallback_TellsWhatTheRunConsumed(t *testing.T) {
	t.Parallel()
	b := setup(t, "tok")
	b.msg(t, "/api/callback", `[
		{"logId":1,"handleCode":200,"gluewheel":{"outcome":"succeeded","reason":"ok","started_ms":1000,"ended_ms":6000,
			"wall_ms":4900,"cpu_ms":30,"peak_bytes":5,"log_bytes":-6,"host_calls":7}},
		{"logId":2,"handleCode":500,"gluewheel":{"outcome":"killed","reason":"killed"}},
		{"logId":3,"handleCode":200}]`)
	require.Len(t, b.endings, 3)
	require.Equal(t, &job.Usage{WallMS: 4900, CPUMS: 30, PeakBytes: 5, HostCalls: 7}, b.endings[0].Usage)
	require.Nil(t, b.endings[1].Usage, "it never began")
	require.Nil(t, b.endings[2].Usage, "XXL-JOB's executors say nothing")
}
