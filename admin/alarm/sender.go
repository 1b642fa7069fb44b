package alarm

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
)

// delivery is one message on its way.
type delivery struct {
	id      int64
	at      time.Time
	message job.AlarmMessage
	emails  string
	text    text
}

// sender delivers to channels of every kind.
type sender struct {
	dialer *net.Dialer
	http   *http.Client
	tls    *tls.Config // whom to trust
	now    func() time.Time
}

// maxAnswer bounds what is read of an answer.
const maxAnswer = 64 << 10

// errDenied: operators enter the addresses, and internal ones are common; those that only
// ever lead to the machine's own cloud are not among them.
var errDenied = errors.New("link-local and multicast addresses are not allowed")

func newSender() *sender {
	dialer := &net.Dialer{Timeout: 5 * time.Second, Control: checkDial}
	trust := &tls.Config{MinVersion: tls.VersionTLS12}
	return &sender{
		dialer: dialer,
		tls:    trust,
		now:    time.Now,
		http: &http.Client{
			Transport: &http.Transport{DialContext: dialer.DialContext, TLSClientConfig: trust, TLSHandshakeTimeout: 5 * time.Second, MaxIdleConns: 10, IdleConnTimeout: time.Minute},
			// A signed message is for the address that was entered, and for no other.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

func checkDial(_, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("check address: %w", err)
	}
	if ip := ap.Addr().Unmap(); ip.IsLinkLocalUnicast() || ip.IsMulticast() || ip.IsUnspecified() {
		return errDenied
	}
	return nil
}

func (s *sender) close() { s.http.CloseIdleConnections() }

func (s *sender) send(ctx context.Context, kind job.ChannelKind, to *job.ChannelSettings, d *delivery) error {
	switch kind {
	case job.ChannelEmail:
		return s.email(ctx, to, d)
	case job.ChannelWebhook:
		return s.webhook(ctx, to, d)
	case job.ChannelSlack:
		return s.slack(ctx, to, d)
	case job.ChannelDingTalk:
		return s.dingTalk(ctx, to, d)
	case job.ChannelFeishu:
		return s.feishu(ctx, to, d)
	case job.ChannelWeCom:
		return s.weCom(ctx, to, d)
	default:
		return fmt.Errorf("channels of kind %q are not known", kind)
	}
}

// webhook posts the message as JSON. Its delivery id is the same at each attempt. With a
// secret, X-Gluewheel-Signature is "sha256=" and the hex HMAC-SHA256 of
// X-Gluewheel-Timestamp (Unix seconds), a dot and the body.
func (s *sender) webhook(ctx context.Context, to *job.ChannelSettings, d *delivery) error {
	body, err := json.Marshal(struct {
		DeliveryID int64     `json:"delivery_id"`
		At         time.Time `json:"at"`
		Title      string    `json:"title"`
		Text       string    `json:"text"`
		job.AlarmMessage
	}{d.id, d.at, d.text.title, d.text.body, d.message})
	if err != nil {
		return fmt.Errorf("write message: %w", err)
	}
	header := http.Header{"X-Gluewheel-Delivery": {strconv.FormatInt(d.id, 10)}}
	if to.Secret != "" {
		stamp := strconv.FormatInt(s.now().Unix(), 10)
		mac := sign(to.Secret, stamp+"."+string(body))
		header.Set("X-Gluewheel-Timestamp", stamp)
		header.Set("X-Gluewheel-Signature", "sha256="+hex.EncodeToString(mac))
	}
	_, err = s.post(ctx, to.URL, header, body)
	return err
}

// slack: https://api.slack.com/messaging/webhooks
func (s *sender) slack(ctx context.Context, to *job.ChannelSettings, d *delivery) error {
	_, err := s.postJSON(ctx, to.URL, map[string]any{"text": slackEscaped.Replace(d.text.title + "\n" + d.text.body)})
	return err
}

// dingTalk: https://open.dingtalk.com/document/robots/custom-robot-access
func (s *sender) dingTalk(ctx context.Context, to *job.ChannelSettings, d *delivery) error {
	address := to.URL
	if to.Secret != "" {
		u, err := url.Parse(to.URL)
		if err != nil {
			return errors.New("the channel's address is not a URL")
		}
		stamp := strconv.FormatInt(s.now().UnixMilli(), 10)
		q := u.Query()
		q.Set("timestamp", stamp)
		q.Set("sign", base64.StdEncoding.EncodeToString(sign(to.Secret, stamp+"\n"+to.Secret)))
		u.RawQuery = q.Encode()
		address = u.String()
	}
	answer, err := s.postJSON(ctx, address, map[string]any{
		"msgtype": "text", "text": map[string]string{"content": d.text.title + "\n" + d.text.body},
	})
	return saidOK(answer, err, "errcode", "errmsg")
}

// feishu: https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot
func (s *sender) feishu(ctx context.Context, to *job.ChannelSettings, d *delivery) error {
	message := map[string]any{"msg_type": "text", "content": map[string]string{"text": d.text.title + "\n" + d.text.body}}
	if to.Secret != "" {
		stamp := strconv.FormatInt(s.now().Unix(), 10)
		message["timestamp"] = stamp
		message["sign"] = base64.StdEncoding.EncodeToString(sign(stamp+"\n"+to.Secret, ""))
	}
	answer, err := s.postJSON(ctx, to.URL, message)
	return saidOK(answer, err, "code", "msg")
}

// weCom: https://developer.work.weixin.qq.com/document/path/91770; at most 2,048 bytes.
func (s *sender) weCom(ctx context.Context, to *job.ChannelSettings, d *delivery) error {
	answer, err := s.postJSON(ctx, to.URL, map[string]any{
		"msgtype": "text", "text": map[string]string{"content": cutBytes(d.text.title+"\n"+d.text.body, 2048)},
	})
	return saidOK(answer, err, "errcode", "errmsg")
}

func sign(key, text string) []byte {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

func (s *sender) postJSON(ctx context.Context, address string, message any) ([]byte, error) {
	body, err := json.Marshal(message)
	if err != nil {
		return nil, fmt.Errorf("write message: %w", err)
	}
	return s.post(ctx, address, nil, body)
}

// post returns the answer of a 2xx. Errors never contain the address: it may be secret.
func (s *sender) post(ctx context.Context, address string, header http.Header, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the channel's address is not a URL")
	}
	req.Header = header.Clone()
	if req.Header == nil {
		req.Header = http.Header{}
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	req.Header.Set("User-Agent", "gluewheel")
	resp, err := s.http.Do(req)
	if err != nil {
		if whole, ok := errors.AsType[*url.Error](err); ok {
			err = whole.Err
		}
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, fmt.Errorf("post to %s: %w", req.URL.Host, err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("read answer of %s: %w", req.URL.Host, err)
	}
	if resp.StatusCode/100 != 2 {
		return nil, fmt.Errorf("%s answered %s: %s", req.URL.Host, resp.Status, cut(oneLine(string(answer)), 200))
	}
	return answer, nil
}

// saidOK reads the verdict of a chat: they answer 200 to everything.
func saidOK(answer []byte, err error, code, message string) error {
	if err != nil {
		return err
	}
	var said map[string]any
	if err := json.Unmarshal(answer, &said); err != nil {
		return fmt.Errorf("the answer is not JSON: %s", cut(oneLine(string(answer)), 200))
	}
	if n, ok := said[code].(float64); !ok || n != 0 {
		return fmt.Errorf("refused with %s %v: %v", code, said[code], said[message])
	}
	return nil
}

func cutBytes(s string, most int) string {
	const mark = "…"
	if len(s) <= most {
		return s
	}
	end := 0
	for i := range s {
		if i > most-len(mark) {
			break
		}
		end = i
	}
	return s[:end] + mark
}

// slackEscaped keeps names of jobs from mentioning people or hiding links.
var slackEscaped = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
