//go:build long

package e2e

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/seal"
)

// inbox is what the channels of one test have got, by the kind of the channel. Until it
// is open it refuses everything, as servers do that are out of order.
type inbox struct {
	mu       sync.Mutex
	open     bool
	refused  map[string]int
	messages map[string][]string
}

func (in *inbox) take(kind, message string) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	if !in.open {
		in.refused[kind]++
		return false
	}
	in.messages[kind] = append(in.messages[kind], message)
	return true
}

func (in *inbox) opens() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.open = true
}

// kinds are how many channels have been refused, and how many have got a message.
func (in *inbox) kinds() (refused, got int) {
	in.mu.Lock()
	defer in.mu.Unlock()
	return len(in.refused), len(in.messages)
}

// ServeHTTP is every channel that is posted to; the path names its kind.
func (in *inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if !in.take(strings.Trim(r.URL.Path, "/"), string(body)) {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	_, _ = io.WriteString(w, `{"errcode":0,"code":0}`)
}

// serveMail is a mail server without TLS.
func (in *inbox) serveMail(t *testing.T) (port int) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { in.mail(conn) })
		}
	})
	t.Cleanup(func() { _ = listener.Close(); wg.Wait() })
	return listener.Addr().(*net.TCPAddr).Port
}

func (in *inbox) mail(conn net.Conn) {
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
	text := textproto.NewConn(conn)
	_ = text.PrintfLine("220 inbox")
	for {
		line, err := text.ReadLine()
		if err != nil {
			return
		}
		switch verb, _, _ := strings.Cut(strings.ToUpper(line), " "); verb {
		case "DATA":
			_ = text.PrintfLine("354 go on")
			message, err := io.ReadAll(text.DotReader())
			if err != nil {
				return
			}
			answer := "250 taken"
			if !in.take("email", string(message)) {
				answer = "451 try later"
			}
			_ = text.PrintfLine("%s", answer)
		case "QUIT":
			_ = text.PrintfLine("221 bye")
			return
		default:
			_ = text.PrintfLine("250 fine")
		}
	}
}

var posted = []string{"webhook", "slack", "dingtalk", "feishu", "wecom"}

// TestAlarms_AnAdminIsKilledBeforeTheDelivery ends an admin by SIGKILL after it has judged
// a failure, while no channel takes a message. Another admin delivers to every kind of
// channel the one message that is expected.
func TestAlarms_AnAdminIsKilledBeforeTheDelivery(t *testing.T) {
	c := newCluster(t)
	in := &inbox{refused: map[string]int{}, messages: map[string][]string{}}
	server := httptest.NewServer(in)
	t.Cleanup(server.Close)
	key := seal.NewKey()
	a := c.startSealed("admin-a", key)
	cl := login(t, a.base(), password)
	group := cl.Group(appName)
	j := cl.job(group, "fails", nil)
	channels := []int32{cl.channel("email", map[string]any{
		"host": "127.0.0.1", "port": in.serveMail(t), "tls": "none", "from": "jobs@example.com", "to": []string{"ops@example.com"},
	})}
	for _, kind := range posted {
		channels = append(channels, cl.channel(kind, map[string]any{"url": server.URL + "/" + kind}))
	}
	cl.Must("POST", "/alarm-rules", map[string]any{
		"name": "all", "group_id": group, "on": []string{"failure", "no_executor", "lost", "misfire"}, "channel_ids": channels, "silence_s": 0,
	}, nil)
	run := cl.Trigger(j.ID, map[string]any{}) // there is no executor: it fails

	all := len(channels)
	eventually(t, time.Minute, func() bool { refused, _ := in.kinds(); return refused == all }, "every channel was tried")
	a.kill9()
	in.opens()
	c.exec(`UPDATE alarm SET next_try_at = clock_timestamp() WHERE state = 1`) // a lease or a pause passes
	c.startSealed("admin-b", key)
	eventually(t, time.Minute, func() bool { return c.count(`SELECT count(*) FROM alarm WHERE state = 2`) == all }, "every message is delivered")

	require.Equal(t, all, c.count(`SELECT count(*) FROM alarm`))
	in.mu.Lock()
	defer in.mu.Unlock()
	require.Len(t, in.messages, all)
	for kind, messages := range in.messages {
		require.Len(t, messages, 1, kind)
		require.Contains(t, messages[0], "fails", kind)
		if kind == "webhook" {
			require.Contains(t, messages[0], strconv.FormatInt(run, 10))
		}
	}
}

// startSealed is startAdmin with a key for secrets.
func (c *cluster) startSealed(name, key string) *admin {
	c.t.Helper()
	a := &admin{addr: freeAddr(c.t)}
	a.proc = startProc(c.t, name, binary, []string{"admin"}, []string{
		"GLUEWHEEL_LISTEN=" + a.addr, "GLUEWHEEL_DATABASE_URL=" + c.dbURL, "GLUEWHEEL_EXECUTOR_TOKEN=" + token,
		"GLUEWHEEL_ADMIN_PASSWORD=" + password, "GLUEWHEEL_SEAL_KEY=" + key,
	})
	eventually(c.t, time.Minute, a.ready, "%s is ready", name)
	return a
}

func (c *client) channel(kind string, config map[string]any) int32 {
	c.T.Helper()
	var made struct {
		ID int32 `json:"id"`
	}
	c.Must("POST", "/alarm-channels", map[string]any{"name": fmt.Sprint("to ", kind), "kind": kind, "language": "en", "config": config}, &made)
	return made.ID
}
