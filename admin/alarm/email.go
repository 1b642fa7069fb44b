package alarm

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/wneessen/go-mail"

	"github.com/gluewheel/gluewheel/admin/job"
)

// errNobody: an e-mail channel that writes to the jobs' addresses, and none has one.
var errNobody = errors.New("no recipient")

// email sends one message to all recipients. That nobody is to get it is a delivery: the
// jobs name no address.
func (s *sender) email(ctx context.Context, to *job.ChannelSettings, d *delivery) error {
	message, err := s.mail(to, d)
	if errors.Is(err, errNobody) {
		return nil
	}
	if err != nil {
		return err
	}
	client, err := s.mailer(ctx, to)
	if err != nil {
		return err
	}
	if err := client.DialAndSendWithContext(ctx, message); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return fmt.Errorf("send mail through %s: %w", to.Host, err)
	}
	return nil
}

func (s *sender) mail(to *job.ChannelSettings, d *delivery) (*mail.Msg, error) {
	recipients := slices.Clone(to.To)
	if to.JobEmails {
		for address := range strings.SplitSeq(d.emails, ",") {
			if address != "" && !slices.Contains(recipients, address) {
				recipients = append(recipients, address)
			}
		}
	}
	if len(recipients) == 0 {
		return nil, errNobody
	}
	m := mail.NewMsg()
	if err := m.From(to.From); err != nil {
		return nil, fmt.Errorf("set sender: %w", err)
	}
	if err := m.To(recipients...); err != nil {
		return nil, fmt.Errorf("set recipients: %w", err)
	}
	m.Subject(d.text.title)
	m.SetDateWithValue(d.at)
	if d.id != 0 {
		// The same at each attempt, so that a mailbox can tell a repetition.
		_, domain, _ := strings.Cut(to.From, "@")
		m.SetMessageIDWithValue(fmt.Sprintf("gluewheel-alarm-%d@%s", d.id, strings.Trim(domain, "> ")))
	}
	m.SetBodyString(mail.TypeTextPlain, d.text.body)
	return m, nil
}

// mailer makes a client whose connections last as long as ctx at most.
func (s *sender) mailer(ctx context.Context, to *job.ChannelSettings) (*mail.Client, error) {
	trust := s.tls.Clone()
	trust.ServerName = to.Host
	dial, policy := s.dialer.DialContext, mail.TLSMandatory
	switch to.TLS {
	case job.TLSImplicit:
		// The library's own TLS would dial past our policy. It sees that the connection is
		// encrypted, and asks for nothing more.
		dial, policy = (&tls.Dialer{NetDialer: s.dialer, Config: trust}).DialContext, mail.TLSOpportunistic
	case job.TLSNone:
		policy = mail.NoTLS
	}
	options := []mail.Option{
		mail.WithPort(to.Port), mail.WithTimeout(sendTime), mail.WithDialContextFunc(closedAfter(ctx, dial)),
		mail.WithTLSConfig(trust), mail.WithTLSPolicy(policy),
	}
	if to.Username != "" {
		options = append(options, mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover), mail.WithUsername(to.Username), mail.WithPassword(to.Password))
	}
	client, err := mail.NewClient(to.Host, options...)
	if err != nil {
		return nil, fmt.Errorf("set up mail through %s: %w", to.Host, err)
	}
	return client, nil
}

// closedAfter has connections closed when ctx ends. The library waits without a bound for
// the first word of a server, and does not close a connection that it gives up there.
func closedAfter(ctx context.Context, dial mail.DialContextFunc) mail.DialContextFunc {
	return func(dialCtx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(dialCtx, network, address)
		if err == nil {
			context.AfterFunc(ctx, func() { _ = conn.Close() })
		}
		return conn, err
	}
}
