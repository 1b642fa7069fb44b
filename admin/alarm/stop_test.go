package alarm_test

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/alarm"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/store"
)

// TestAlarms_AStopEndsWhatItHasBegun stops an admin while the channel has the message and
// has not answered: the delivery is noted, and not made again.
func TestAlarms_AStopEndsWhatItHasBegun(t *testing.T) {
	t.Parallel()
	b := setup(t)
	came, answer := make(chan struct{}, 10), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		came <- struct{}{}
		<-answer
	}))
	t.Cleanup(server.Close)
	b.outbox(t, b.channel(t, job.ChannelWebhook, server.URL), 1)

	stop := b.run(t, b.store)
	<-came
	var wg sync.WaitGroup
	wg.Go(stop)
	time.Sleep(200 * time.Millisecond) // the stop has gone as far as it will
	close(answer)
	wg.Wait()
	page, err := b.store.Alarms(t.Context(), job.AlarmFilter{}, job.Paging{})
	require.NoError(t, err)
	require.Equal(t, job.DeliveryDelivered, page.Items[0].State, page.Items[0].LastError)
	require.Empty(t, came, "sent once")
}

// TestAlarms_AStopWaitsForNoServerThatHangs cuts the delivery off and leaves the message to
// the next admin, long before the lease ends.
func TestAlarms_AStopWaitsForNoServerThatHangs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	hangs := newMute(t)
	_, port, err := net.SplitHostPort(hangs.listener.Addr().String())
	require.NoError(t, err)
	number, err := strconv.Atoi(port)
	require.NoError(t, err)
	b.outbox(t, b.channel(t, job.ChannelWebhook, "http://127.0.0.1:"+strconv.Itoa(number)), 1)
	_, err = b.sql.Exec(t.Context(), `UPDATE alarm SET attempts = 11`) // the last one, and not the channel's fault
	require.NoError(t, err)

	stop := b.run(t, b.store)
	require.Eventually(t, func() bool { most, _ := hangs.seen(); return most > 0 }, 20*time.Second, 10*time.Millisecond)
	begin := time.Now()
	stop()
	require.Less(t, time.Since(begin), 10*time.Second)
	page, err := b.store.Alarms(t.Context(), job.AlarmFilter{}, job.Paging{})
	require.NoError(t, err)
	m := page.Items[0]
	require.Equal(t, job.DeliveryPending, m.State)
	require.Contains(t, m.LastError, "the admin stopped")
	require.Less(t, time.Until(m.NextTryAt), 20*time.Second)
}

// stoppedWhileTaking ends the admin when it takes messages.
type stoppedWhileTaking struct {
	*store.Store
	stop func()
}

func (s *stoppedWhileTaking) TakeAlarms(ctx context.Context, t job.AlarmTake) ([]job.Alarm, error) {
	s.stop()
	return s.Store.TakeAlarms(ctx, t)
}

func TestAlarms_AStopGivesBackWhatItHasNotBegun(t *testing.T) {
	t.Parallel()
	b := setup(t)
	to, address := newSink(t)
	b.outbox(t, b.channel(t, job.ChannelWebhook, address), 2)
	ctx, cancel := context.WithCancel(t.Context())
	st := &stoppedWhileTaking{b.store, cancel}
	a, err := alarm.New(alarm.Config{Store: st, Seal: b.keys, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	require.NoError(t, err)
	require.NoError(t, a.Run(ctx))
	require.Zero(t, to.tried())
	taken, err := b.store.TakeAlarms(t.Context(), job.AlarmTake{Limit: 10, PerChannel: 10, Lease: time.Hour})
	require.NoError(t, err)
	require.Len(t, taken, 2, "at once, without waiting for a lease")
	require.EqualValues(t, 1, taken[0].Attempts)
}
