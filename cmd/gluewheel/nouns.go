package main

import "context"

var groups = noun{
	path: "/groups", edit: "GroupEdit", name: "app_name", word: "group",
	columns: []column{{"id", "ID"}, {"app_name", "APP"}, {"title", "TITLE"}, {"address_type", "ADDRESSES"}},
}

// groupCmd manages executor groups.
type groupCmd struct {
	List   groupList   `cmd:"" help:"List executor groups."`
	Show   groupShow   `cmd:"" help:"Show one."`
	Create groupCreate `cmd:"" help:"Create one."`
	Edit   groupEdit   `cmd:"" help:"Change fields of one."`
	Delete groupDelete `cmd:"" help:"Delete one."`
}

type groupList struct{ listFlags }

func (c *groupList) Run(ctx context.Context, s *streams) error { return c.list(ctx, s, groups) }

type groupShow struct{ oneFlags }

func (c *groupShow) Run(ctx context.Context, s *streams) error { return c.print(ctx, s, groups) }

type groupCreate struct{ createFlags }

func (c *groupCreate) Run(ctx context.Context, s *streams) error { return c.create(ctx, s, groups) }

type groupEdit struct{ editFlags }

func (c *groupEdit) Run(ctx context.Context, s *streams) error { return c.change(ctx, s, groups) }

type groupDelete struct{ deleteFlags }

func (c *groupDelete) Run(ctx context.Context, s *streams) error { return c.remove(ctx, s, groups) }

var tokens = noun{
	path: "/tokens", edit: "", name: "name", word: "token",
	columns: []column{{"id", "ID"}, {"name", "NAME"}, {"prefix", "PREFIX"}, {"role", "ROLE"}, {"username", "USER"}, {"expires_at", "EXPIRES"}, {"last_used_at", "USED"}},
}

// tokenCmd manages API tokens.
type tokenCmd struct {
	List   tokenList   `cmd:"" help:"List API tokens."`
	Create tokenCreate `cmd:"" help:"Create one."`
	Delete tokenDelete `cmd:"" help:"Delete one."`
}

type tokenList struct{ listFlags }

func (c *tokenList) Run(ctx context.Context, s *streams) error { return c.list(ctx, s, tokens) }

type tokenCreate struct{ createFlags }

func (c *tokenCreate) Run(ctx context.Context, s *streams) error { return c.create(ctx, s, tokens) }

type tokenDelete struct{ deleteFlags }

func (c *tokenDelete) Run(ctx context.Context, s *streams) error { return c.remove(ctx, s, tokens) }

var alarmChannels = noun{
	path: "/alarm-channels", edit: "AlarmChannelEdit", name: "name", word: "alarm-channel",
	columns: []column{{"id", "ID"}, {"name", "NAME"}, {"kind", "KIND"}, {"language", "LANGUAGE"}},
}

// alarmChannelCmd manages where alarms go.
type alarmChannelCmd struct {
	List   alarmChannelList   `cmd:"" help:"List where alarms go."`
	Show   alarmChannelShow   `cmd:"" help:"Show one."`
	Create alarmChannelCreate `cmd:"" help:"Create one."`
	Edit   alarmChannelEdit   `cmd:"" help:"Change fields of one."`
	Delete alarmChannelDelete `cmd:"" help:"Delete one."`
}

type alarmChannelList struct{ listFlags }

func (c *alarmChannelList) Run(ctx context.Context, s *streams) error {
	return c.list(ctx, s, alarmChannels)
}

type alarmChannelShow struct{ oneFlags }

func (c *alarmChannelShow) Run(ctx context.Context, s *streams) error {
	return c.print(ctx, s, alarmChannels)
}

type alarmChannelCreate struct{ createFlags }

func (c *alarmChannelCreate) Run(ctx context.Context, s *streams) error {
	return c.create(ctx, s, alarmChannels)
}

type alarmChannelEdit struct{ editFlags }

func (c *alarmChannelEdit) Run(ctx context.Context, s *streams) error {
	return c.change(ctx, s, alarmChannels)
}

type alarmChannelDelete struct{ deleteFlags }

func (c *alarmChannelDelete) Run(ctx context.Context, s *streams) error {
	return c.remove(ctx, s, alarmChannels)
}

var alarmRules = noun{
	path: "/alarm-rules", edit: "AlarmRuleEdit", name: "name", word: "alarm-rule",
	columns: []column{{"id", "ID"}, {"name", "NAME"}, {"group_id", "GROUP"}, {"on", "ON"}, {"channel_ids", "CHANNELS"}, {"enabled", "ENABLED"}},
}

// alarmRuleCmd manages what is worth an alarm.
type alarmRuleCmd struct {
	List   alarmRuleList   `cmd:"" help:"List what is worth an alarm."`
	Show   alarmRuleShow   `cmd:"" help:"Show one."`
	Create alarmRuleCreate `cmd:"" help:"Create one."`
	Edit   alarmRuleEdit   `cmd:"" help:"Change fields of one."`
	Delete alarmRuleDelete `cmd:"" help:"Delete one."`
}

type alarmRuleList struct{ listFlags }

func (c *alarmRuleList) Run(ctx context.Context, s *streams) error { return c.list(ctx, s, alarmRules) }

type alarmRuleShow struct{ oneFlags }

func (c *alarmRuleShow) Run(ctx context.Context, s *streams) error {
	return c.print(ctx, s, alarmRules)
}

type alarmRuleCreate struct{ createFlags }

func (c *alarmRuleCreate) Run(ctx context.Context, s *streams) error {
	return c.create(ctx, s, alarmRules)
}

type alarmRuleEdit struct{ editFlags }

func (c *alarmRuleEdit) Run(ctx context.Context, s *streams) error {
	return c.change(ctx, s, alarmRules)
}

type alarmRuleDelete struct{ deleteFlags }

func (c *alarmRuleDelete) Run(ctx context.Context, s *streams) error {
	return c.remove(ctx, s, alarmRules)
}
