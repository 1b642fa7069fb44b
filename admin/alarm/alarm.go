package alarm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/outage"
	"github.com/gluewheel/gluewheel/admin/seal"
)

const (
	judgeEvery   = 2 * time.Second
	deliverEvery = time.Second
	// sendTime bounds one delivery, and so how long a server that hangs keeps a place.
	sendTime = 15 * time.Second
	// lastWords is how long deliveries under way may go on after the admin was told to
	// stop, and noteTime how long the notes of the database. Together they are less than
	// the admin waits for its parts.
	lastWords = 5 * time.Second
	noteTime  = 3 * time.Second
	// lease is how long a message belongs to the admin that took it: longer than its
	// delivery can take, which begins at once.
	lease = 2 * time.Minute
	// firstPause doubles with each attempt up to lastPause; the last of maxAttempts comes
	// about five hours after the first.
	firstPause  = 15 * time.Second
	lastPause   = time.Hour
	maxAttempts = 12
	// keep is how long closed messages stay.
	keep = 90 * 24 * time.Hour
)

// store is what alarms need of the database.
type store interface {
	JudgeAlarms(ctx context.Context, judge func(job.AlarmView) job.AlarmVerdict) (sent int, full bool, err error)
	TakeAlarms(ctx context.Context, t job.AlarmTake) ([]job.Alarm, error)
	ReturnAlarms(ctx context.Context, ids []int64) error
	AlarmDelivered(ctx context.Context, id int64) error
	AlarmNotDelivered(ctx context.Context, id int64, why string, after time.Duration) error
	AlarmChannel(ctx context.Context, id int32) (job.AlarmChannel, error)
	AlarmChannels(ctx context.Context, p job.Paging) (job.Page[job.AlarmChannel], error)
	ResealAlarmChannel(ctx context.Context, id int32, old, sealed []byte) error
	ClearAlarms(ctx context.Context, age time.Duration) error
}

// Config is what alarms are made of. Store and Log are required.
type Config struct {
	Store store
	// Seal opens what is secret of a channel.
	Seal seal.Ring
	// Zone is that of the instants in messages; default UTC.
	Zone *time.Location
	// PageURL is the address of the page, for links such as https://jobs.example.com;
	// default: no links.
	PageURL string
	Log     *slog.Logger
}

// Alarms judges and delivers. Make it with New, run it once with Run.
type Alarms struct {
	cfg    Config
	log    *slog.Logger
	sender *sender
}

// New starts nothing.
func New(cfg Config) (*Alarms, error) {
	if cfg.Store == nil || cfg.Log == nil {
		return nil, errors.New("make alarms: Store and Log are required")
	}
	cfg.Zone = cmp.Or(cfg.Zone, time.UTC)
	return &Alarms{cfg: cfg, log: cfg.Log.With("component", "alarm"), sender: newSender()}, nil
}

// Run judges and delivers until ctx ends.
func (a *Alarms) Run(ctx context.Context) error {
	defer a.sender.close()
	var wg sync.WaitGroup
	wg.Go(func() { a.judging(ctx) })
	wg.Go(func() { newCouriers(a).run(ctx) })
	wg.Wait()
	return nil
}

func (a *Alarms) judging(ctx context.Context) {
	pace := outage.Pacer{Log: a.log, What: "judge alarms"}
	for ctx.Err() == nil {
		_, full, err := a.cfg.Store.JudgeAlarms(ctx, Judge)
		pace.After(ctx, err)
		if err == nil && !full {
			outage.Sleep(ctx, judgeEvery)
		}
	}
}

// errStopped is why a delivery is cut off that outlives its admin.
var errStopped = errors.New("the admin stopped before there was an answer")

// outlive is a context that ends a time after ctx does.
func outlive(ctx context.Context, by time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(by):
			cancel(errStopped)
		case <-longer.Done():
		}
	})
	return longer, func() { stop(); cancel(nil) }
}

// deliverOne returns errors of the database only: what a channel says is noted. An admin
// that stops finishes what it has begun: half a delivery would be sent a second time, and
// one without its note, too.
func (a *Alarms) deliverOne(ctx context.Context, m *job.Alarm) error {
	sending, cancel := outlive(ctx, lastWords)
	defer cancel()
	channel, err := a.cfg.Store.AlarmChannel(sending, m.ChannelID)
	missing := errors.Is(err, job.ErrNotFound)
	if err != nil && !missing {
		return err
	}
	if !missing {
		err = a.send(sending, &channel, m)
	}
	ctx, end := context.WithTimeout(context.WithoutCancel(ctx), noteTime)
	defer end()
	if missing {
		return a.cfg.Store.AlarmNotDelivered(ctx, m.ID, "the channel was deleted", 0)
	}
	if err == nil {
		return a.cfg.Store.AlarmDelivered(ctx, m.ID)
	}
	pause := min(firstPause<<min(m.Attempts-1, 20), lastPause)
	switch {
	case errors.Is(err, errStopped):
		pause = firstPause // the channel is not to blame
	case m.Attempts >= maxAttempts:
		pause = 0
	}
	a.log.WarnContext(ctx, "alarm not delivered", "alarm_id", m.ID, "channel", channel.Name, "attempt", m.Attempts, "given_up", pause == 0, "err", err)
	return a.cfg.Store.AlarmNotDelivered(ctx, m.ID, cut(err.Error(), 500), pause)
}

// send puts a message into the channel's language and delivers it.
func (a *Alarms) send(ctx context.Context, channel *job.AlarmChannel, m *job.Alarm) error {
	settings, err := a.Settings(channel)
	if err != nil {
		return err
	}
	var message job.AlarmMessage
	if err := json.Unmarshal(m.Message, &message); err != nil {
		return fmt.Errorf("read message %d: %w", m.ID, err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, sendTime, fmt.Errorf("no answer within %s", sendTime))
	defer cancel()
	return a.sender.send(ctx, channel.Kind, &settings, &delivery{
		id: m.ID, at: m.At, message: message, emails: m.Emails,
		text: say(&message, channel.Language, a.cfg.Zone, a.cfg.PageURL),
	})
}

// Test sends a message of its own to a channel, now. The error is what went wrong, for
// people.
func (a *Alarms) Test(ctx context.Context, channel job.AlarmChannel) error {
	message, err := json.Marshal(job.AlarmMessage{Rule: "test", Event: job.AlarmTest, Items: []job.AlarmItem{
		{JobName: channel.Name, AppName: "gluewheel", At: time.Now().UTC(), Count: 1},
	}})
	if err != nil {
		return fmt.Errorf("make test message: %w", err)
	}
	return a.send(ctx, &channel, &job.Alarm{At: time.Now().UTC(), Message: message})
}

// sealed is the secret part of job.ChannelSettings.
type sealed struct {
	URL      string `json:"url,omitempty"`
	Secret   string `json:"secret,omitempty"`
	Password string `json:"password,omitempty"`
}

// place binds sealed values to their kind, so that none is used as another one.
func place(kind job.ChannelKind) string { return "alarm_channel/" + string(kind) }

// Seal puts settings into a channel: what is secret sealed, the rest readable.
// seal.ErrNoKey when there is a secret and no key.
func (a *Alarms) Seal(c *job.AlarmChannel, s job.ChannelSettings) error {
	secret := sealed{URL: s.URL, Secret: s.Secret, Password: s.Password}
	s.URL, s.Secret, s.Password = "", "", ""
	open, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("write settings of channel %q: %w", c.Name, err)
	}
	c.Config, c.Sealed = open, []byte{}
	if secret == (sealed{}) {
		return nil
	}
	text, err := json.Marshal(secret)
	if err != nil {
		return fmt.Errorf("write secrets of channel %q: %w", c.Name, err)
	}
	c.Sealed, err = a.cfg.Seal.Seal(place(c.Kind), text)
	return err
}

// Settings are a channel's, secrets included: never for people.
func (a *Alarms) Settings(c *job.AlarmChannel) (job.ChannelSettings, error) {
	var s job.ChannelSettings
	if err := json.Unmarshal(c.Config, &s); err != nil {
		return s, fmt.Errorf("read settings of channel %q: %w", c.Name, err)
	}
	if len(c.Sealed) == 0 {
		return s, nil
	}
	text, err := a.cfg.Seal.Open(place(c.Kind), c.Sealed)
	if err != nil {
		return s, fmt.Errorf("open secrets of channel %q: %w", c.Name, err)
	}
	var secret sealed
	if err := json.Unmarshal(text, &secret); err != nil {
		return s, fmt.Errorf("read secrets of channel %q: %w", c.Name, err)
	}
	s.URL, s.Secret, s.Password = secret.URL, secret.Secret, secret.Password
	return s, nil
}

// Reseal seals the channels' secrets with the key that seals now. What cannot be opened
// is left as it is, and logged: its delivery says why, too.
func (a *Alarms) Reseal(ctx context.Context) error {
	var p job.Paging
	for more := a.cfg.Seal.Ready(); more; more = p.Cursor != "" {
		page, err := a.cfg.Store.AlarmChannels(ctx, p)
		if err != nil {
			return err
		}
		for i := range page.Items {
			if err := a.resealOne(ctx, &page.Items[i]); err != nil {
				return err
			}
		}
		p.Cursor = page.NextCursor
	}
	return nil
}

func (a *Alarms) resealOne(ctx context.Context, c *job.AlarmChannel) error {
	if len(c.Sealed) == 0 || a.cfg.Seal.Current(c.Sealed) {
		return nil
	}
	text, err := a.cfg.Seal.Open(place(c.Kind), c.Sealed)
	if err != nil {
		a.log.WarnContext(ctx, "secrets of an alarm channel cannot be opened", "channel", c.Name, "err", err)
		return nil
	}
	anew, err := a.cfg.Seal.Seal(place(c.Kind), text)
	if err != nil {
		return fmt.Errorf("seal secrets of channel %q: %w", c.Name, err)
	}
	return a.cfg.Store.ResealAlarmChannel(ctx, c.ID, c.Sealed, anew)
}
