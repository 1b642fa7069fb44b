package cron

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	require.NoError(t, err)
	return loc
}

func mustParse(t testing.TB, expr string, opts Options) *Schedule {
	t.Helper()
	s, err := Parse(expr, opts)
	require.NoError(t, err, expr)
	return s
}

// at reads a wall time with its offset.
func at(t testing.TB, s string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339, s)
	require.NoError(t, err)
	return v
}

// show formats fires in their zone, so that a table can be read.
func show(fires []time.Time, loc *time.Location) []string {
	texts := []string{}
	for _, f := range fires {
		texts = append(texts, f.In(loc).Format(time.RFC3339))
	}
	return texts
}
