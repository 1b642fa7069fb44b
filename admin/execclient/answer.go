package execclient

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-json"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

// envelope is protocol.Envelope, read more leniently: msg may be anything.
type envelope struct {
	Code    protocol.Int    `json:"code"`
	Msg     json.RawMessage `json:"msg"`
	Content json.RawMessage `json:"content"`
	Data    json.RawMessage `json:"data"`
}

func (e *envelope) text() string {
	var s string
	if len(e.Msg) == 0 || json.Unmarshal(e.Msg, &s) != nil {
		return present(e.Msg)
	}
	return s
}

func (e *envelope) payload() json.RawMessage {
	p := protocol.Envelope{Data: []byte(e.Data), Content: []byte(e.Content)}
	return p.Payload()
}

// present is "" for an absent member.
func present(raw json.RawMessage) string {
	if s := string(raw); s != "null" {
		return s
	}
	return ""
}

// parse reads an answer whatever its content type says. Anything but an object with a
// code is an error whose text shows the answer, as XXL-JOB's clients treat it.
func parse(r reply) (*envelope, error) {
	if r.status != http.StatusOK {
		return nil, fmt.Errorf("HTTP status %d: %s", r.status, excerpt(r.body))
	}
	body := bytes.TrimSpace(r.body)
	if len(body) == 0 {
		return nil, fmt.Errorf("the answer is empty")
	}
	if body[0] == '[' {
		return nil, fmt.Errorf("%s", arrayText(body))
	}
	var e envelope
	if err := json.Unmarshal(body, &e); err != nil || body[0] != '{' {
		return nil, fmt.Errorf("the answer is not the protocol's: %s", excerpt(body))
	}
	return &e, nil
}

// arrayText finds the reason in the list with which the Go client refuses.
func arrayText(body []byte) string {
	var list []protocol.Callback
	if err := json.Unmarshal(body, &list); err == nil && len(list) > 0 {
		if _, text := list[0].Result(); text != "" {
			return text
		}
	}
	return excerpt(body)
}

// excerpt is enough of an answer for people to recognise it.
func excerpt(body []byte) string {
	const limit = 500
	if len(body) > limit {
		body = body[:limit]
	}
	if !utf8.Valid(body) {
		body = bytes.ToValidUTF8(body, []byte("?"))
	}
	return strings.TrimSpace(string(body))
}

// gatewayAnswer reports whether a status comes from something between us and the
// executor, so that the executor may have got the request all the same.
func gatewayAnswer(status int) bool {
	return status == http.StatusBadGateway || status == http.StatusGatewayTimeout
}

// outcome says what an answer to run, kill, beat or idleBeat means.
func outcome(r reply, err error) job.Outcome {
	switch {
	case err != nil && unsent(err):
		return job.Outcome{Verdict: job.Unreachable, Text: err.Error()}
	case malformed(err) != "":
		return job.Outcome{Verdict: job.Refused, Code: protocol.CodeFail, Text: malformed(err)}
	case err != nil:
		return job.Outcome{Verdict: job.NoAnswer, Text: err.Error()}
	case gatewayAnswer(r.status):
		return job.Outcome{Verdict: job.NoAnswer, Text: fmt.Sprintf("HTTP status %d: %s", r.status, excerpt(r.body))}
	}
	e, err := parse(r)
	if err != nil {
		return job.Outcome{Verdict: job.Refused, Code: protocol.CodeFail, Text: err.Error()}
	}
	out := verdict(int(e.Code), e.text())
	if out.Verdict == job.Refused && out.Text == "" {
		out.Text = "the answer gives no reason: " + excerpt(r.body)
	}
	return out
}

func verdict(code int, text string) job.Outcome {
	if code == protocol.CodeOK {
		return job.Outcome{Verdict: job.Accepted, Code: code, Text: text}
	}
	if repeated(text) {
		return job.Outcome{Verdict: job.Accepted, Code: code, Text: text, Repeat: true}
	}
	return job.Outcome{Verdict: job.Refused, Code: code, Text: text}
}

// repeated recognises an executor that has the run in its queue already.
func repeated(text string) bool {
	for _, format := range []string{protocol.MsgRepeat, protocol.MsgRepeatA} {
		prefix, _, _ := strings.Cut(format, "%")
		if strings.HasPrefix(text, prefix) {
			return true
		}
	}
	return false
}
