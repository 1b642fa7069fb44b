package api

import (
	"context"
	"encoding/json"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/gluewheel/gluewheel/admin/job"
)

// testAlarmTime bounds a test message; a delivery takes at most 15 s.
const testAlarmTime = 20 * time.Second

type alarmStore interface {
	AlarmChannel(ctx context.Context, id int32) (job.AlarmChannel, error)
	AlarmChannels(ctx context.Context, p job.Paging) (job.Page[job.AlarmChannel], error)
	CreateAlarmChannel(ctx context.Context, c job.AlarmChannel) (job.AlarmChannel, error)
	UpdateAlarmChannel(ctx context.Context, c job.AlarmChannel) (job.AlarmChannel, error)
	DeleteAlarmChannel(ctx context.Context, id int32, version int64) error
	AlarmRule(ctx context.Context, id int32) (job.AlarmRule, error)
	AlarmRules(ctx context.Context, groupIDs []int32, p job.Paging) (job.Page[job.AlarmRule], error)
	CreateAlarmRule(ctx context.Context, r job.AlarmRule) (job.AlarmRule, error)
	UpdateAlarmRule(ctx context.Context, r job.AlarmRule) (job.AlarmRule, error)
	DeleteAlarmRule(ctx context.Context, id int32, version int64) error
	Alarms(ctx context.Context, f job.AlarmFilter, p job.Paging) (job.Page[job.Alarm], error)
}

// Alarms knows channels' secrets and how to deliver.
type Alarms interface {
	Seal(c *job.AlarmChannel, s job.ChannelSettings) error
	Settings(c *job.AlarmChannel) (job.ChannelSettings, error)
	Test(ctx context.Context, c job.AlarmChannel) error
}

// ChannelConfig are a channel's settings as people enter them.
type ChannelConfig struct {
	URL       string   `json:"url,omitempty" doc:"All kinds but email: where messages are posted. Never read back."`
	Secret    string   `json:"secret,omitempty" doc:"webhook, dingtalk, feishu: signs messages. Never read back."`
	Host      string   `json:"host,omitempty" doc:"email: the mail server."`
	Port      int      `json:"port,omitempty" doc:"email: such as 587."`
	Username  string   `json:"username,omitempty"`
	Password  string   `json:"password,omitempty" format:"password" doc:"email. Never read back."`
	TLS       string   `json:"tls,omitempty" enum:"starttls,tls,none," doc:"email."`
	From      string   `json:"from,omitempty" doc:"email: the sender's address."`
	To        []string `json:"to,omitempty" nullable:"false" doc:"email: the recipients."`
	JobEmails bool     `json:"job_emails,omitempty" doc:"email: write to the jobs' alarm_email as well."`
}

func (c *ChannelConfig) settings() job.ChannelSettings { return job.ChannelSettings(*c) }

// AlarmChannelInput is what people enter.
type AlarmChannelInput struct {
	Name     string        `json:"name"`
	Kind     ChannelKind   `json:"kind"`
	Language string        `json:"language,omitempty" enum:"zh,en" default:"zh"`
	Config   ChannelConfig `json:"config"`
}

// AlarmChannelEdit replaces what people entered; secrets that are left out stay. The kind
// cannot be changed.
type AlarmChannelEdit struct {
	AlarmChannelInput
	Version int64 `json:"version" doc:"As read: if it has moved on, nothing is changed (409)."`
}

// AlarmChannel is where alarms go.
type AlarmChannel struct {
	ID         int32         `json:"id"`
	Name       string        `json:"name"`
	Kind       ChannelKind   `json:"kind"`
	Language   string        `json:"language" enum:"zh,en"`
	Config     ChannelConfig `json:"config"`
	SecretsSet []string      `json:"secrets_set" nullable:"false" doc:"Fields of config that have a value which is not read back."`
	Version    int64         `json:"version"`
	CreatedAt  Time          `json:"created_at"`
	UpdatedAt  Time          `json:"updated_at"`
}

// channelOf leaves secrets out. One that cannot be opened, for want of the key, shows as
// not set: its delivery says why.
func (s *server) channelOf(c job.AlarmChannel) AlarmChannel {
	out := AlarmChannel{
		ID: c.ID, Name: c.Name, Kind: ChannelKind(c.Kind), Language: c.Language, SecretsSet: []string{},
		Version: c.Version, CreatedAt: instant(c.CreatedAt), UpdatedAt: instant(c.UpdatedAt),
	}
	settings, err := s.deps.Alarms.Settings(&c)
	if err != nil {
		s.log.Warn("secrets of an alarm channel cannot be read", "channel", c.Name, "err", err)
		_ = json.Unmarshal(c.Config, &settings) // ours; else nothing is shown
	}
	for name, value := range map[string]*string{"url": &settings.URL, "secret": &settings.Secret, "password": &settings.Password} {
		if *value != "" {
			out.SecretsSet = append(out.SecretsSet, name)
		}
		*value = ""
	}
	out.Config = ChannelConfig(settings)
	out.Config.To = notNil(out.Config.To)
	return out
}

func (in *AlarmChannelInput) channel() job.AlarmChannel {
	return job.AlarmChannel{Name: in.Name, Kind: job.ChannelKind(in.Kind), Language: in.Language}
}

func (s *server) listAlarmChannels(ctx context.Context, in *struct{ Paging }) (*body[List[AlarmChannel]], error) {
	page, err := s.deps.Store.AlarmChannels(ctx, in.paging())
	if err != nil {
		return nil, err
	}
	return listOf(page, s.channelOf), nil
}

type createAlarmChannelInput struct {
	Trial
	Body AlarmChannelInput
}

func (s *server) createAlarmChannel(ctx context.Context, in *createAlarmChannelInput) (*tagged[AlarmChannel], error) {
	c, settings := in.Body.channel(), in.Body.Config.settings()
	if err := s.sealChannel(&c, settings); err != nil {
		return nil, err
	}
	c, err := s.deps.Store.CreateAlarmChannel(ctx, c)
	if err != nil {
		return nil, err
	}
	return withTag(s.channelOf(c), c.Version), nil
}

func (s *server) sealChannel(c *job.AlarmChannel, settings job.ChannelSettings) error {
	if err := invalid(job.ValidateChannel(c, &settings)).orNil(); err != nil {
		return err
	}
	return s.deps.Alarms.Seal(c, settings)
}

func (s *server) getAlarmChannel(ctx context.Context, in *ObjectID) (*tagged[AlarmChannel], error) {
	c, err := s.deps.Store.AlarmChannel(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return withTag(s.channelOf(c), c.Version), nil
}

type alarmChannelEditInput struct {
	ObjectID
	Condition
	Trial
	Body AlarmChannelEdit
}

func (s *server) updateAlarmChannel(ctx context.Context, in *alarmChannelEditInput) (*tagged[AlarmChannel], error) {
	before, err := s.deps.Store.AlarmChannel(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if err := in.met(before.Version); err != nil {
		return nil, err
	}
	c, settings := in.Body.channel(), in.Body.Config.settings()
	if c.Kind != before.Kind {
		return nil, &job.FieldError{Field: "kind", Message: "The kind cannot be changed. Create another channel."}
	}
	if err := s.keepSecrets(&before, &settings); err != nil {
		return nil, err
	}
	c.ID, c.Version = in.ID, in.Body.Version
	if err := s.sealChannel(&c, settings); err != nil {
		return nil, err
	}
	if c, err = s.deps.Store.UpdateAlarmChannel(ctx, c); err != nil {
		return nil, err
	}
	return withTag(s.channelOf(c), c.Version), nil
}

// keepSecrets fills in what the editor could not read. A password stays only with the
// server that it was for: who may edit a channel could have it sent elsewhere otherwise.
func (s *server) keepSecrets(before *job.AlarmChannel, settings *job.ChannelSettings) error {
	old, err := s.deps.Alarms.Settings(before)
	if err != nil {
		s.log.Warn("secrets of an alarm channel cannot be kept", "channel", before.Name, "err", err)
		return nil // the validation asks for what is missing
	}
	moved := settings.URL != "" && settings.URL != old.URL
	if settings.URL == "" {
		settings.URL = old.URL
	}
	if settings.Secret == "" && !moved {
		settings.Secret = old.Secret
	}
	if settings.Password == "" && settings.Username != "" {
		if settings.Host != old.Host {
			return &job.FieldError{Field: "config.password", Message: "Enter the password again: it was for another server."}
		}
		settings.Password = old.Password
	}
	return nil
}

func (s *server) deleteAlarmChannel(ctx context.Context, in *deleteObjectInput) (*none, error) {
	c, err := s.deps.Store.AlarmChannel(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if err := in.met(c.Version); err != nil {
		return nil, err
	}
	return nil, s.deps.Store.DeleteAlarmChannel(ctx, c.ID, in.only(c.Version))
}

// AlarmTestResult says whether a test message arrived.
type AlarmTestResult struct {
	OK      bool   `json:"ok"`
	Message string `json:"message"`
}

func (s *server) testAlarmChannel(ctx context.Context, in *ObjectID) (*body[AlarmTestResult], error) {
	c, err := s.deps.Store.AlarmChannel(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if err := s.deps.Store.WriteAudit(ctx); err != nil { // what is sent is in no transaction
		return nil, err
	}
	if err := s.deps.Alarms.Test(ctx, c); err != nil {
		return answer(AlarmTestResult{Message: "It was not delivered: " + err.Error()}), nil
	}
	return answer(AlarmTestResult{OK: true, Message: "It was delivered."}), nil
}

// ChannelKind is how a channel delivers.
type ChannelKind string

// Schema describes the type in the OpenAPI document.
func (ChannelKind) Schema(r huma.Registry) *huma.Schema {
	return enum(r, "ChannelKind", job.ChannelKinds(), text)
}
