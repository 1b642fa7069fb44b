package job

import (
	"net"
	"net/mail"
	"net/url"
	"strings"
	"unicode/utf8"
)

// Limits of alarm channels and rules.
const (
	MaxChannelURL   = 2000
	MaxRecipients   = 50
	MaxRuleChannels = 20
	MaxRuleJobs     = 500
	MaxThreshold    = 10_000
	MinLateMS       = 2000 // rounds of the judge are that far apart
	MaxLateMS       = 3600 * 1000
)

// How an e-mail channel speaks TLS.
const (
	TLSStart    = "starttls" // refuses a server without STARTTLS
	TLSImplicit = "tls"      // from the first byte, usually on port 465
	TLSNone     = "none"     // no user name and password then
)

// ChannelSettings are what people enter for a channel; each kind has its own.
type ChannelSettings struct {
	URL       string   `json:"url,omitempty"`    // all but e-mail; secret, since chats put their token into it
	Secret    string   `json:"secret,omitempty"` // webhook, dingtalk, feishu: signs messages; empty = unsigned
	Host      string   `json:"host,omitempty"`   // e-mail, and so on to JobEmails
	Port      int      `json:"port,omitempty"`
	Username  string   `json:"username,omitempty"`
	Password  string   `json:"password,omitempty"` // secret
	TLS       string   `json:"tls,omitempty"`
	From      string   `json:"from,omitempty"`
	To        []string `json:"to,omitempty"`
	JobEmails bool     `json:"job_emails,omitempty"` // write to the jobs' alarm_email as well, as XXL-JOB does
}

// ValidateChannel says what is wrong with a channel as somebody entered it.
func ValidateChannel(c *AlarmChannel, s *ChannelSettings) []*FieldError {
	var f fields
	f.length("name", c.Name, 1, MaxName)
	oneOf(&f, "kind", c.Kind, ChannelKinds())
	oneOf(&f, "language", c.Language, []string{"zh", "en"})
	f.length("config.url", s.URL, 0, MaxChannelURL)
	f.length("config.secret", s.Secret, 0, MaxChannelURL)
	f.length("config.password", s.Password, 0, MaxChannelURL)
	if c.Kind == ChannelEmail {
		f.email(s)
	} else {
		f.webhook(s)
	}
	return f
}

func (f *fields) webhook(s *ChannelSettings) {
	u, err := url.Parse(s.URL)
	switch {
	case s.URL == "":
		f.add("config.url", "This is required. Fill it in.")
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil:
		f.add("config.url", "This is not an address such as https://example.com/hook.")
	}
	if s.Host != "" || s.Port != 0 || s.Username != "" || s.Password != "" || s.TLS != "" || s.From != "" || len(s.To) > 0 || s.JobEmails {
		f.add("config", "Only url and secret belong to this kind of channel. Take the others out.")
	}
}

func (f *fields) email(s *ChannelSettings) {
	if s.URL != "" || s.Secret != "" {
		f.add("config", "url and secret do not belong to an e-mail channel. Take them out.")
	}
	if s.Host == "" || len(s.Host) > 253 || strings.ContainsAny(s.Host, " /@") || (strings.Contains(s.Host, ":") && net.ParseIP(s.Host) == nil) {
		f.add("config.host", "Name the mail server, such as smtp.example.com.")
	}
	f.between("config.port", int32(min(max(s.Port, -1), 70_000)), 1, 65_535)
	oneOf(f, "config.tls", s.TLS, []string{TLSStart, TLSImplicit, TLSNone})
	if s.TLS == TLSNone && (s.Username != "" || s.Password != "") {
		f.add("config.tls", "Without TLS the password would go over the wire as it is. Use starttls or tls.")
	}
	if _, err := mail.ParseAddress(s.From); err != nil || !utf8.ValidString(s.From) {
		f.add("config.from", "This is not an e-mail address.")
	}
	if len(s.To) == 0 && !s.JobEmails {
		f.add("config.to", "Name a recipient, or let it write to the jobs' own addresses with job_emails.")
	}
	if len(s.To) > MaxRecipients {
		f.add("config.to", "There are %d recipients. Use at most %d.", len(s.To), MaxRecipients)
	}
	for _, to := range s.To {
		if _, err := mail.ParseAddress(to); err != nil {
			f.add("config.to", "%q is not an e-mail address.", to)
		}
	}
}

// ValidateRule says what is wrong with a rule as somebody entered it.
func ValidateRule(r *AlarmRule) []*FieldError {
	var f fields
	f.length("name", r.Name, 1, MaxName)
	if len(r.On) == 0 {
		f.add("on", "Choose at least one event.")
	}
	for _, e := range r.On {
		oneOf(&f, "on", e, alarmEvents)
	}
	if len(r.JobIDs) > 0 && r.GroupID == nil {
		f.add("job_ids", "Name the group of the jobs in group_id as well.")
	}
	if len(r.JobIDs) > MaxRuleJobs {
		f.add("job_ids", "There are %d jobs. Name at most %d, or none for the whole group.", len(r.JobIDs), MaxRuleJobs)
	}
	if n := len(r.ChannelIDs); n == 0 || n > MaxRuleChannels {
		f.add("channel_ids", "There are %d channels. Use 1 to %d.", n, MaxRuleChannels)
	}
	f.between("threshold", r.Threshold, 1, MaxThreshold)
	f.between("window_s", r.WindowS, 1, MaxAlarmWindowS)
	f.between("rate_pct", r.RatePct, 1, 100)
	f.between("silence_s", r.SilenceS, 0, MaxAlarmWindowS)
	f.between("group_s", r.GroupS, 0, MaxGroupS)
	f.between("late_ms", r.LateMS, MinLateMS, MaxLateMS)
	return f
}
