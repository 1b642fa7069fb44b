package route

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

func TestRouter_ConsistentHashAgreesWithOracle(t *testing.T) {
	t.Parallel()
	file, err := os.Open("testdata/consistent_hash.jsonl")
	require.NoError(t, err)
	t.Cleanup(func() { _ = file.Close() })

	r := newRouter(t, Config{})
	lines := 0
	scanner := bufio.NewScanner(file)
	for scanner.Scan() {
		var line struct {
			JobID     int32    `json:"job_id"`
			Addresses []string `json:"addresses"`
			Address   string   `json:"address"`
		}
		require.NoError(t, json.Unmarshal(scanner.Bytes(), &line))
		lines++
		require.Equal(t, line.Address, pick(t, r, job.RouteHash, line.JobID, line.Addresses), scanner.Text())
		slices.Reverse(line.Addresses)
		require.Equal(t, line.Address, pick(t, r, job.RouteHash, line.JobID, line.Addresses), "the order does not matter")
	}
	require.NoError(t, scanner.Err())
	require.Equal(t, 500, lines)
}

func TestRouter_ConsistentHashVectors(t *testing.T) {
	t.Parallel()
	require.Equal(t, uint32(943901380), position("1"))
	require.Equal(t, uint32(3905343649), position("42"))
	require.Equal(t, uint32(3725898238), position("SHARD-http://10.0.0.1:9999/-NODE-0"))

	r, list := newRouter(t, Config{}), addresses(3)
	for jobID, place := range map[int32]int{1: 3, 2: 3, 3: 1, 4: 3, 5: 1, 42: 2, 100: 3, 1000: 3} {
		require.Equal(t, list[place-1], pick(t, r, job.RouteHash, jobID, list))
	}
}
