package alarm

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

// sink is an HTTP server that keeps what it gets.
type sink struct {
	*httptest.Server
	mu      sync.Mutex
	answer  string
	status  int
	queries []url.Values
	headers []http.Header
	bodies  []string
}

func newSink(t *testing.T) *sink {
	t.Helper()
	s := &sink{answer: "{}", status: http.StatusOK}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.queries, s.headers, s.bodies = append(s.queries, r.URL.Query()), append(s.headers, r.Header), append(s.bodies, string(body))
		w.WriteHeader(s.status)
		_, _ = io.WriteString(w, s.answer)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *sink) says(status int, answer string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status, s.answer = status, answer
}

func testSender(t *testing.T) *sender {
	t.Helper()
	s := newSender()
	s.now = func() time.Time { return now }
	t.Cleanup(s.close)
	return s
}

func aDelivery() *delivery {
	m := job.AlarmMessage{Rule: "r", Event: job.AlarmFailure, Items: []job.AlarmItem{
		{JobID: 1, JobName: "<b>nightly</b>\n@all", AppName: "app", RunID: 42, State: "failed", Reason: "handler_failed", Message: "boom", FireAt: now, At: now, Count: 1},
	}}
	return &delivery{id: 9, at: now, message: m, emails: "dev@example.com", text: say(&m, "en", time.UTC, "https://jobs.example.com")}
}

func TestSender_Webhook(t *testing.T) {
	t.Parallel()
	s, to := testSender(t), newSink(t)
	require.NoError(t, s.send(t.Context(), job.ChannelWebhook, &job.ChannelSettings{URL: to.URL, Secret: "s3cret"}, aDelivery()))
	stamp := fmt.Sprint(now.Unix())
	require.Equal(t, "9", to.headers[0].Get("X-Gluewheel-Delivery"))
	require.Equal(t, stamp, to.headers[0].Get("X-Gluewheel-Timestamp"))
	require.Equal(t, "sha256="+hex.EncodeToString(sign("s3cret", stamp+"."+to.bodies[0])), to.headers[0].Get("X-Gluewheel-Signature"))
	var body struct {
		DeliveryID int64           `json:"delivery_id"`
		Event      string          `json:"event"`
		Items      []job.AlarmItem `json:"items"`
		Text       string          `json:"text"`
	}
	require.NoError(t, json.Unmarshal([]byte(to.bodies[0]), &body))
	require.EqualValues(t, 9, body.DeliveryID)
	require.Equal(t, "failure", body.Event)
	require.EqualValues(t, 42, body.Items[0].RunID)
	require.Contains(t, body.Text, "https://jobs.example.com/runs/42")
}

func TestSender_Chats(t *testing.T) {
	t.Parallel()
	millis := fmt.Sprint(now.UnixMilli())
	for kind, c := range map[job.ChannelKind]struct {
		ok, refused string
		check       func(t *testing.T, to *sink, body map[string]any)
	}{
		job.ChannelSlack: {"ok", "", func(t *testing.T, _ *sink, body map[string]any) {
			require.Contains(t, body["text"], "&lt;b&gt;nightly")
		}},
		job.ChannelDingTalk: {`{"errcode":0,"errmsg":"ok"}`, `{"errcode":310000,"errmsg":"sign not match"}`, func(t *testing.T, to *sink, body map[string]any) {
			require.Equal(t, "text", body["msgtype"])
			require.Equal(t, millis, to.queries[0].Get("timestamp"))
			require.Equal(t, base64.StdEncoding.EncodeToString(sign("s3cret", millis+"\ns3cret")), to.queries[0].Get("sign"))
		}},
		job.ChannelFeishu: {`{"code":0,"msg":"success"}`, `{"code":19021,"msg":"sign match fail"}`, func(t *testing.T, _ *sink, body map[string]any) {
			require.Equal(t, "text", body["msg_type"])
			require.Equal(t, base64.StdEncoding.EncodeToString(sign(fmt.Sprint(now.Unix())+"\ns3cret", "")), body["sign"])
		}},
		job.ChannelWeCom: {`{"errcode":0,"errmsg":"ok"}`, `{"errcode":93000,"errmsg":"invalid webhook url"}`, func(t *testing.T, _ *sink, body map[string]any) {
			require.Equal(t, "text", body["msgtype"])
		}},
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			s, to := testSender(t), newSink(t)
			settings := job.ChannelSettings{URL: to.URL + "/hook?token=hidden", Secret: "s3cret"}
			to.says(200, c.ok)
			require.NoError(t, s.send(t.Context(), kind, &settings, aDelivery()))
			var body map[string]any
			require.NoError(t, json.Unmarshal([]byte(to.bodies[0]), &body))
			c.check(t, to, body)
			if c.refused != "" {
				to.says(200, c.refused)
				require.ErrorContains(t, s.send(t.Context(), kind, &settings, aDelivery()), "refused with")
			}
			to.says(503, "busy")
			err := s.send(t.Context(), kind, &settings, aDelivery())
			require.ErrorContains(t, err, "503")
			require.NotContains(t, err.Error(), "hidden")
		})
	}
}

func TestSender_NoRedirectsNoHangsNoLinkLocal(t *testing.T) {
	t.Parallel()
	s := testSender(t)
	other := newSink(t)
	away := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	t.Cleanup(away.Close)
	require.ErrorContains(t, s.send(t.Context(), job.ChannelWebhook, &job.ChannelSettings{URL: away.URL}, aDelivery()), "307")
	require.Empty(t, other.bodies)

	listener, err := net.Listen("tcp", "127.0.0.1:0") // accepts, and never answers
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	require.Error(t, s.send(ctx, job.ChannelWebhook, &job.ChannelSettings{URL: "http://" + listener.Addr().String()}, aDelivery()))
	mail := (&smtpSink{Listener: listener}).settings(job.TLSNone)
	require.ErrorIs(t, s.send(ctx, job.ChannelEmail, &mail, aDelivery()), context.DeadlineExceeded)
	ctx, cancel = context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, s.send(ctx, job.ChannelEmail, &mail, aDelivery()), context.DeadlineExceeded)

	require.ErrorIs(t, s.send(t.Context(), job.ChannelWebhook, &job.ChannelSettings{URL: "http://169.254.169.254/latest"}, aDelivery()), errDenied)
}

// smtpSink is a mail server that takes everything.
type smtpSink struct {
	net.Listener
	mu    sync.Mutex
	mails []string
	wg    sync.WaitGroup
}

func newSMTPSink(t *testing.T, listener net.Listener) *smtpSink {
	t.Helper()
	s := &smtpSink{Listener: listener}
	s.wg.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			s.wg.Go(func() { s.serve(conn) })
		}
	})
	t.Cleanup(func() { _ = listener.Close(); s.wg.Wait() })
	return s
}

func (s *smtpSink) serve(conn net.Conn) {
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	in := bufio.NewReader(conn)
	say := func(line string) { _, _ = io.WriteString(conn, line+"\r\n") }
	say("220 sink")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		switch verb := strings.ToUpper(strings.Fields(line + " x")[0]); verb {
		case "EHLO":
			say("250-sink")
			say("250 AUTH PLAIN")
		case "AUTH":
			say("235 welcome")
		case "DATA":
			say("354 go on")
			var text strings.Builder
			for {
				l, err := in.ReadString('\n')
				if err != nil {
					return
				}
				if l == ".\r\n" {
					break
				}
				text.WriteString(l)
			}
			s.mu.Lock()
			s.mails = append(s.mails, text.String())
			s.mu.Unlock()
			say("250 taken")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 fine")
		}
	}
}

func (s *smtpSink) settings(tlsMode string) job.ChannelSettings {
	host, port, _ := net.SplitHostPort(s.Addr().String())
	out := job.ChannelSettings{Host: host, TLS: tlsMode, From: "jobs@example.com", To: []string{"ops@example.com"}, JobEmails: true}
	_, _ = fmt.Sscan(port, &out.Port)
	return out
}

func TestSender_Email(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s, to := testSender(t), newSMTPSink(t, listener)
	settings := to.settings(job.TLSNone)
	require.NoError(t, s.send(t.Context(), job.ChannelEmail, &settings, aDelivery()))
	require.Len(t, to.mails, 1)
	for _, want := range []string{"ops@example.com", "dev@example.com", "Failed:", "gluewheel-alarm-9@example.com", "/runs/42"} {
		require.Contains(t, to.mails[0], want)
	}

	settings.To = nil
	d := aDelivery()
	d.emails = ""
	require.NoError(t, s.send(t.Context(), job.ChannelEmail, &settings, d), "nobody is to get it")
	require.Len(t, to.mails, 1)

	settings = to.settings(job.TLSStart)
	require.ErrorContains(t, s.send(t.Context(), job.ChannelEmail, &settings, aDelivery()), "STARTTLS")
	require.Len(t, to.mails, 1, "nothing goes out without the TLS that was asked for")
}

func TestSender_EmailWithImplicitTLS(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(nil) // for its certificate
	t.Cleanup(server.Close)
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: server.TLS.Certificates})
	require.NoError(t, err)
	s, to := testSender(t), newSMTPSink(t, listener)
	settings := to.settings(job.TLSImplicit)
	settings.Username, settings.Password = "jobs", "s3cret"
	require.ErrorContains(t, s.send(t.Context(), job.ChannelEmail, &settings, aDelivery()), "certificate")
	require.Empty(t, to.mails)

	s.tls.RootCAs = x509.NewCertPool()
	s.tls.RootCAs.AddCert(server.Certificate())
	require.NoError(t, s.send(t.Context(), job.ChannelEmail, &settings, aDelivery()))
	require.Len(t, to.mails, 1)
}

func TestSay_BothLanguages(t *testing.T) {
	t.Parallel()
	for _, event := range append(job.AlarmEvents(), job.AlarmTest) {
		m := aDelivery().message
		m.Event = event
		for language := range languages {
			text := say(&m, language, time.UTC, "")
			require.NotContains(t, text.title, "%!", "%s in %s", event, language)
			require.NotContains(t, text.title, "\n")
			require.Contains(t, text.title, "nightly")
			require.Contains(t, text.body, "boom")
			if _, ok := languages[language].titles[event]; !ok {
				t.Errorf("no title for %s in %s", event, language)
			}
		}
	}
	m := aDelivery().message
	m.Items = append(m.Items, m.Items[0])
	m.Items[1].JobID++
	m.More = 3
	require.Contains(t, say(&m, "zh", time.UTC, "").title, "5 个任务")
}
