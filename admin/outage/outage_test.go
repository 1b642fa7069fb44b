package outage_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gluewheel/gluewheel/admin/outage"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestPacer_WaitsLongerUpToASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := outage.Pacer{Log: slog.New(slog.DiscardHandler), What: "work"}
		var pauses []time.Duration
		for range 7 {
			start := time.Now()
			p.After(t.Context(), errors.New("away"))
			pauses = append(pauses, time.Since(start))
		}
		const ms = time.Millisecond
		require.Equal(t, []time.Duration{50 * ms, 100 * ms, 200 * ms, 400 * ms, 800 * ms, 1000 * ms, 1000 * ms}, pauses)

		start := time.Now()
		p.After(t.Context(), nil)
		require.Zero(t, time.Since(start))
		p.After(t.Context(), errors.New("away"))
		require.Equal(t, 50*ms, time.Since(start), "a new outage begins anew")
	})
}

func TestPacer_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		p := outage.Pacer{Log: slog.New(slog.DiscardHandler), What: "work"}
		start := time.Now()
		p.After(ctx, errors.New("away"))
		p.After(ctx, errors.New("away"))
		require.Equal(t, 10*time.Millisecond, time.Since(start))
	})
}
