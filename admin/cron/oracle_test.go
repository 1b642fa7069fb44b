package cron

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// oracleLine is an answer recorded from XXL-JOB 3.4's evaluator.
type oracleLine struct {
	Category string  `json:"cat"`
	Expr     string  `json:"expr"`
	Zone     string  `json:"tz"`
	FromMS   int64   `json:"from_ms"`
	NextMS   []int64 `json:"next_ms"`
	Invalid  bool    `json:"invalid"`
}

func TestSchedule_AgreesWithOracle(t *testing.T) {
	t.Parallel()
	file, err := os.Open("testdata/quartz_cron.jsonl")
	require.NoError(t, err)
	t.Cleanup(func() { _ = file.Close() })

	lines := 0
	scanner := bufio.NewScanner(file)
	for scanner.Scan() {
		var line oracleLine
		require.NoError(t, json.Unmarshal(scanner.Bytes(), &line))
		lines++
		checkOracle(t, line)
	}
	require.NoError(t, scanner.Err())
	require.Equal(t, 2385, lines)
}

func checkOracle(t *testing.T, line oracleLine) {
	t.Helper()
	// Straight to the dialect: five fields are a crontab to Parse.
	p, err := readQuartz(line.Expr)
	if line.Invalid {
		require.Error(t, err, "%s: %q", line.Category, line.Expr)
		return
	}
	require.NoError(t, err, "%s: %q", line.Category, line.Expr)
	loc, err := time.LoadLocation(line.Zone)
	require.NoError(t, err)

	s := p.schedule(loc, DSTXXL)
	got := []int64{}
	for at := time.UnixMilli(line.FromMS); len(got) < 10; {
		if at = s.Next(at); at.IsZero() {
			break
		}
		got = append(got, at.UnixMilli())
	}
	require.Equal(t, line.NextMS, got, "%s: %q in %s from %d", line.Category, line.Expr, line.Zone, line.FromMS)
}
