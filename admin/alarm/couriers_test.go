package alarm_test

import (
	"io"
	"net"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

// mute is a mail server that accepts connections and never says a word.
type mute struct {
	listener net.Listener
	wg       sync.WaitGroup

	mu         sync.Mutex
	open, most int
	given      int // given up by the other side
}

func newMute(t *testing.T) *mute {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	m := &mute{listener: listener}
	m.wg.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			m.wg.Go(func() { m.hold(conn) })
		}
	})
	t.Cleanup(func() { _ = listener.Close(); m.wg.Wait() })
	return m
}

func (m *mute) hold(conn net.Conn) {
	defer conn.Close()
	m.count(1, 0)
	_, _ = io.Copy(io.Discard, conn)
	m.count(-1, 1)
}

func (m *mute) count(open, given int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.open, m.given = m.open+open, m.given+given
	m.most = max(m.most, m.open)
}

func (m *mute) seen() (most, given int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.most, m.given
}

// outbox puts n messages for a channel into it.
func (b *bundle) outbox(t *testing.T, channel int32, n int) {
	t.Helper()
	_, err := b.sql.Exec(t.Context(), `
		INSERT INTO alarm (rule_id, rule_name, channel_id, channel_name, event, message)
		SELECT 1, 'r', $1, 'c', 'failure', jsonb_build_object('rule', 'r', 'event', 'failure', 'items', jsonb_build_array(jsonb_build_object('run_id', n)))
		FROM generate_series(1, $2::int) n`, channel, n)
	require.NoError(t, err)
}

// TestAlarms_AChannelThatHangsHoldsBackItselfOnly puts many messages to a mail server that
// never answers before those to a webhook.
func TestAlarms_AChannelThatHangsHoldsBackItselfOnly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	hangs := newMute(t)
	host, port, err := net.SplitHostPort(hangs.listener.Addr().String())
	require.NoError(t, err)
	number, err := strconv.Atoi(port)
	require.NoError(t, err)
	mail := job.AlarmChannel{Name: "mail", Kind: job.ChannelEmail, Language: "en"}
	require.NoError(t, b.alarms(t, b.store).Seal(&mail, job.ChannelSettings{Host: host, Port: number, TLS: job.TLSNone, From: "jobs@example.com", To: []string{"ops@example.com"}}))
	mail, err = b.store.CreateAlarmChannel(t.Context(), mail)
	require.NoError(t, err)
	to, address := newSink(t)
	to.opens()
	hook := b.channel(t, job.ChannelWebhook, address)
	b.outbox(t, mail.ID, 100)
	b.outbox(t, hook, 50)

	stop := b.run(t, b.store)
	require.Eventually(t, func() bool { return len(to.got()) == 50 }, 30*time.Second, 10*time.Millisecond)
	most, given := hangs.seen()
	require.Zero(t, given, "the webhook has waited until a mail was given up")
	require.LessOrEqual(t, most, 2, "places of the channel")
	for run, n := range to.got() {
		require.Equal(t, 1, n, run)
	}
	stop() // and no delivery under way keeps it
	var tried int
	require.NoError(t, b.sql.QueryRow(t.Context(), `SELECT count(*) FROM alarm WHERE channel_id = $1 AND attempts > 0`, mail.ID).Scan(&tried))
	require.LessOrEqual(t, tried, 2, "what has no place stays for other admins")
}

func TestTakeAlarms_GivesEachChannelItsPlaces(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, address := newSink(t)
	slow, quick := b.channel(t, job.ChannelWebhook, address), b.channel(t, job.ChannelSlack, address)
	b.outbox(t, slow, 5)
	b.outbox(t, quick, 5)
	for _, c := range []struct {
		name        string
		limit       int
		busy        map[int32]int
		slow, quick int
	}{
		{"all places are free", 10, nil, 2, 2},
		{"one place is taken", 10, map[int32]int{slow: 1}, 1, 2},
		{"a channel is full", 10, map[int32]int{slow: 2}, 0, 1},
		{"nothing is left but for the full one", 10, map[int32]int{slow: 2}, 0, 0},
		{"the limit comes before the places", 1, nil, 1, 0},
		{"the rest", 10, nil, 1, 0},
	} {
		taken, err := b.store.TakeAlarms(t.Context(), job.AlarmTake{Limit: c.limit, PerChannel: 2, Busy: c.busy, Lease: time.Hour})
		require.NoError(t, err)
		got := map[int32]int{}
		for _, m := range taken {
			require.EqualValues(t, 1, m.Attempts)
			got[m.ChannelID]++
		}
		require.Equal(t, []int{c.slow, c.quick}, []int{got[slow], got[quick]}, c.name)
	}
}
