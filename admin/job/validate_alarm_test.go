package job_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

func TestValidateChannel(t *testing.T) {
	t.Parallel()
	type spoil func(*job.AlarmChannel, *job.ChannelSettings)
	mail := func(f func(*job.ChannelSettings)) spoil {
		return func(c *job.AlarmChannel, s *job.ChannelSettings) {
			c.Kind = job.ChannelEmail
			*s = job.ChannelSettings{
				Host: "smtp.example.com", Port: 587, Username: "u", Password: "p", TLS: job.TLSStart,
				From: "Jobs <jobs@example.com>", To: []string{"ann@example.com"},
			}
			f(s)
		}
	}
	hook := func(f func(*job.ChannelSettings)) spoil {
		return func(_ *job.AlarmChannel, s *job.ChannelSettings) { f(s) }
	}
	for _, c := range []struct {
		name  string
		spoil spoil
		want  []string
	}{
		{"a web hook", hook(func(*job.ChannelSettings) {}), nil},
		{"a web hook within the network", hook(func(s *job.ChannelSettings) { s.URL = "http://10.0.0.5:8080/hook" }), nil},
		{"longest", func(c *job.AlarmChannel, s *job.ChannelSettings) {
			c.Name = strings.Repeat("名", job.MaxName)
			s.URL += strings.Repeat("x", job.MaxChannelURL-len(s.URL))
			s.Secret = strings.Repeat("x", job.MaxChannelURL)
		}, nil},
		{"too long", func(c *job.AlarmChannel, s *job.ChannelSettings) {
			c.Name = strings.Repeat("n", job.MaxName+1)
			s.URL += strings.Repeat("x", job.MaxChannelURL)
			s.Secret = strings.Repeat("x", job.MaxChannelURL+1)
		}, []string{"name", "config.url", "config.secret"}},
		{"no name", func(c *job.AlarmChannel, _ *job.ChannelSettings) { c.Name = " " }, []string{"name"}},
		{"words", func(c *job.AlarmChannel, _ *job.ChannelSettings) { c.Kind, c.Language = "pager", "de" }, []string{"kind", "language"}},
		{"no address", hook(func(s *job.ChannelSettings) { s.URL = "" }), []string{"config.url"}},
		{"no scheme", hook(func(s *job.ChannelSettings) { s.URL = "example.com/hook" }), []string{"config.url"}},
		{"another scheme", hook(func(s *job.ChannelSettings) { s.URL = "file:///etc/passwd" }), []string{"config.url"}},
		{"no host", hook(func(s *job.ChannelSettings) { s.URL = "https:///hook" }), []string{"config.url"}},
		{"a user in the address", hook(func(s *job.ChannelSettings) { s.URL = "https://u:p@example.com" }), []string{"config.url"}},
		{"a mail server of a web hook", hook(func(s *job.ChannelSettings) { s.Host = "smtp.example.com" }), []string{"config"}},

		{"mail", mail(func(*job.ChannelSettings) {}), nil},
		{"mail to the jobs' addresses alone", mail(func(s *job.ChannelSettings) { s.To, s.JobEmails = nil, true }), nil},
		{"mail without TLS", mail(func(s *job.ChannelSettings) { s.TLS, s.Username, s.Password = job.TLSNone, "", "" }), nil},
		{"mail through an IPv6 address", mail(func(s *job.ChannelSettings) { s.Host = "::1" }), nil},
		{"mail with an address", mail(func(s *job.ChannelSettings) { s.URL = "https://example.com" }), []string{"config"}},
		{"no server", mail(func(s *job.ChannelSettings) { s.Host = "" }), []string{"config.host"}},
		{"a server with its port", mail(func(s *job.ChannelSettings) { s.Host = "smtp.example.com:587" }), []string{"config.host"}},
		{"port 0", mail(func(s *job.ChannelSettings) { s.Port = 0 }), []string{"config.port"}},
		{"port 65536", mail(func(s *job.ChannelSettings) { s.Port = 65536 }), []string{"config.port"}},
		{"a port beyond 32 bits", mail(func(s *job.ChannelSettings) { s.Port = 1<<32 + 25 }), []string{"config.port"}},
		{"another TLS", mail(func(s *job.ChannelSettings) { s.TLS = "ssl" }), []string{"config.tls"}},
		{"a password without TLS", mail(func(s *job.ChannelSettings) { s.TLS = job.TLSNone }), []string{"config.tls"}},
		{"no sender", mail(func(s *job.ChannelSettings) { s.From = "" }), []string{"config.from"}},
		{"a sender with a line of its own", mail(func(s *job.ChannelSettings) { s.From = "a@example.com\r\nBcc: b@example.com" }), []string{"config.from"}},
		{"no recipient", mail(func(s *job.ChannelSettings) { s.To = nil }), []string{"config.to"}},
		{"no address of a recipient", mail(func(s *job.ChannelSettings) { s.To = []string{"ann"} }), []string{"config.to"}},
		{"many recipients", mail(func(s *job.ChannelSettings) {
			s.To = strings.Fields(strings.Repeat("a@example.com ", job.MaxRecipients))
		}), nil},
		{"too many recipients", mail(func(s *job.ChannelSettings) {
			s.To = strings.Fields(strings.Repeat("a@example.com ", job.MaxRecipients+1))
		}), []string{"config.to"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			channel := job.AlarmChannel{Name: "n", Kind: job.ChannelWebhook, Language: "en"}
			settings := job.ChannelSettings{URL: "https://example.com/hook"}
			c.spoil(&channel, &settings)
			require.Equal(t, c.want, wrongFields(t, job.ValidateChannel(&channel, &settings)))
		})
	}
}

func TestValidateRule(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		spoil func(*job.AlarmRule)
		want  []string
	}{
		{"valid", func(*job.AlarmRule) {}, nil},
		{"largest", func(r *job.AlarmRule) {
			r.Name, r.On = strings.Repeat("名", job.MaxName), job.AlarmEvents()
			r.GroupID, r.JobIDs = new(int32), make([]int32, job.MaxRuleJobs)
			r.ChannelIDs, r.Threshold = make([]int32, job.MaxRuleChannels), job.MaxThreshold
			r.WindowS, r.SilenceS, r.RatePct, r.LateMS = job.MaxAlarmWindowS, job.MaxAlarmWindowS, 100, job.MaxLateMS
			r.GroupS = job.MaxGroupS
		}, nil},
		{"empty", func(r *job.AlarmRule) { *r = job.AlarmRule{} }, []string{
			"name", "on", "channel_ids", "threshold", "window_s", "rate_pct", "late_ms",
		}},
		{"too much", func(r *job.AlarmRule) {
			r.Name = strings.Repeat("n", job.MaxName+1)
			r.GroupID, r.JobIDs = new(int32), make([]int32, job.MaxRuleJobs+1)
			r.ChannelIDs, r.Threshold = make([]int32, job.MaxRuleChannels+1), job.MaxThreshold+1
			r.WindowS, r.SilenceS, r.RatePct, r.LateMS = job.MaxAlarmWindowS+1, job.MaxAlarmWindowS+1, 101, job.MaxLateMS+1
			r.GroupS = job.MaxGroupS + 1
		}, []string{"name", "job_ids", "channel_ids", "threshold", "window_s", "rate_pct", "silence_s", "group_s", "late_ms"}},
		{"less than rounds are apart", func(r *job.AlarmRule) { r.LateMS = job.MinLateMS - 1 }, []string{"late_ms"}},
		{"negative silence", func(r *job.AlarmRule) { r.SilenceS = -1 }, []string{"silence_s"}},
		{"negative grouping", func(r *job.AlarmRule) { r.GroupS = -1 }, []string{"group_s"}},
		{"an unknown event", func(r *job.AlarmRule) { r.On = append(r.On, "panic") }, []string{"on"}},
		{"the event of tests", func(r *job.AlarmRule) { r.On = []job.AlarmEvent{job.AlarmTest} }, []string{"on"}},
		{"jobs of no group", func(r *job.AlarmRule) { r.JobIDs = []int32{1} }, []string{"job_ids"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := job.AlarmRule{
				Name: "n", On: []job.AlarmEvent{job.AlarmFailure}, Threshold: 1, WindowS: 300, RatePct: 50,
				LateMS: job.MinLateMS, ChannelIDs: []int32{1},
			}
			c.spoil(&r)
			require.Equal(t, c.want, wrongFields(t, job.ValidateRule(&r)))
		})
	}
}
