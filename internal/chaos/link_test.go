package chaos

import (
	"bufio"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// echo is a server that answers each line with itself, and counts lines.
type echo struct {
	addr  string
	lines atomic.Int32
}

func newEcho(t *testing.T) *echo {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	e := &echo{addr: l.Addr().String()}
	var work sync.WaitGroup
	work.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			work.Go(func() { e.serve(conn) })
		}
	})
	t.Cleanup(func() { l.Close(); work.Wait() })
	return e
}

func (e *echo) serve(conn net.Conn) {
	defer conn.Close()
	r := bufio.NewReader(conn)
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		e.lines.Add(1)
		if _, err := io.WriteString(conn, line); err != nil {
			return
		}
	}
}

// caller is a connection through a link.
type caller struct {
	t *testing.T
	net.Conn
	*bufio.Reader
}

func dial(t *testing.T, l *Link) *caller {
	t.Helper()
	conn, err := net.Dial("tcp", l.Addr())
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return &caller{t, conn, bufio.NewReader(conn)}
}

// ask sends a line and reads the answer, if one comes within the time.
func (c *caller) ask(line string, within time.Duration) (string, error) {
	c.t.Helper()
	require.NoError(c.t, c.SetDeadline(time.Now().Add(within)))
	if _, err := io.WriteString(c.Conn, line+"\n"); err != nil {
		return "", err
	}
	return c.ReadString('\n')
}

func setup(t *testing.T) (*echo, *Link) {
	t.Helper()
	e := newEcho(t)
	l, err := NewLink(e.addr)
	require.NoError(t, err)
	t.Cleanup(l.Close)
	return e, l
}

const (
	soon   = 20 * time.Second
	little = time.Second
)

func TestLink_Passes(t *testing.T) {
	t.Parallel()
	_, l := setup(t)
	c := dial(t, l)
	answer, err := c.ask("hello", soon)
	require.NoError(t, err)
	require.Equal(t, "hello\n", answer)
	require.Equal(t, 1, l.Relayed())
	l.Close()
	_, err = c.ask("gone", soon)
	require.Error(t, err)
}

func TestLink_Modes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		mode    Mode
		open    bool // an open connection gets an answer
		ends    bool // or it is told that there will be none
		arrives int32
		after   bool // it goes on when the link heals
	}{
		{mode: Refuse, ends: true},
		{mode: Cut, ends: true},
		{mode: Stall, after: true},
		{mode: Drop},
		{mode: Deaf},
		{mode: Swallow, arrives: 1},
		{mode: HalfClose, ends: true, arrives: 1},
		{mode: Reset, ends: true, arrives: 1},
		{mode: Delay, open: true, arrives: 1, after: true},
	} {
		t.Run(string(tc.mode), func(t *testing.T) {
			t.Parallel()
			e, l := setup(t)
			c := dial(t, l)
			_, err := c.ask("before", soon)
			require.NoError(t, err)
			require.NoError(t, l.Set(tc.mode))
			within := little
			if tc.open || tc.ends {
				within = soon
			}
			answer, err := c.ask("during", within)
			require.Equal(t, tc.open, err == nil, "answer %q, error %v", answer, err)
			require.Eventually(t, func() bool { return e.lines.Load() == 1+tc.arrives }, soon, time.Millisecond, "lines that arrived")
			require.NoError(t, l.Set(Pass))
			_, err = c.ask("after", soon)
			require.Equal(t, tc.after, err == nil, "%v", err)
			answer, err = dial(t, l).ask("anew", soon)
			require.NoError(t, err)
			require.Equal(t, "anew\n", answer)
		})
	}
}

func TestLink_SlowFinishesWhenHealed(t *testing.T) {
	t.Parallel()
	_, l := setup(t)
	c := dial(t, l)
	require.NoError(t, l.Set(Slow))
	_, err := c.ask("many bytes", little)
	require.Error(t, err)
	require.NoError(t, l.Set(Pass))
	require.NoError(t, c.SetDeadline(time.Now().Add(soon)))
	line, err := c.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "many bytes\n", line)
}

func TestLink_DuplicateSendsTwice(t *testing.T) {
	t.Parallel()
	e, l := setup(t)
	require.NoError(t, l.Set(Duplicate))
	c := dial(t, l)
	answer, err := c.ask("twice", soon)
	require.NoError(t, err)
	require.Equal(t, "twice\n", answer)
	require.Eventually(t, func() bool { return e.lines.Load() == 2 }, soon, time.Millisecond)
}

func TestLink_ShowsRequestsAndOwnsItsConnections(t *testing.T) {
	t.Parallel()
	ports := make(chan int, 1)
	server, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l, err := NewLink(server.Addr().String())
	require.NoError(t, err)
	var work sync.WaitGroup
	work.Go(func() {
		conn, err := server.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		ports <- conn.RemoteAddr().(*net.TCPAddr).Port
		_, _ = io.Copy(io.Discard, conn)
	})
	t.Cleanup(func() { l.Close(); server.Close(); work.Wait() })
	seen := make(chan string, 1)
	l.OnRequest(func(piece []byte) { seen <- string(piece) })
	client, err := net.Dial("tcp", l.Addr())
	require.NoError(t, err)
	defer client.Close()
	_, err = io.WriteString(client, "POST /run")
	require.NoError(t, err)
	require.Equal(t, "POST /run", <-seen)
	port := <-ports
	require.True(t, l.Owns(port))
	require.False(t, l.Owns(port+1))
}
