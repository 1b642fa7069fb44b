package main

type (
	jobNoun          struct{}
	runNoun          struct{}
	reviewNoun       struct{}
	groupNoun        struct{}
	secretNoun       struct{}
	variableNoun     struct{}
	alarmChannelNoun struct{}
	alarmRuleNoun    struct{}
	userNoun         struct{}
	tokenNoun        struct{}
)

// groupCmd manages executor groups.
type groupCmd = nounCmd[groupNoun]

// alarmChannelCmd manages where alarms go.
type alarmChannelCmd = nounCmd[alarmChannelNoun]

// alarmRuleCmd manages what is worth an alarm.
type alarmRuleCmd = nounCmd[alarmRuleNoun]

// tokenCmd manages API tokens, which nobody shows or changes.
type tokenCmd struct {
	List   listCmd[tokenNoun]   `cmd:"" help:"List API tokens."`
	Create createCmd[tokenNoun] `cmd:"" help:"Create one."`
	Delete deleteCmd[tokenNoun] `cmd:"" help:"Delete one."`
}

func (jobNoun) noun() noun {
	return noun{
		path: "/jobs", edit: "JobEdit", name: "name", search: "q", word: "job",
		columns: []column{
			{"id", "ID"},
			{"name", "NAME"},
			{"app_name", "APP"},
			{"glue_type", "TYPE"},
			{"schedule_type", "SCHEDULE"},
			{"schedule_conf", "CONF"},
			{"enabled", "STARTED"},
			{"next_fire", "NEXT FIRE"},
			{"last_run", "LAST RESULT"},
		},
	}
}

func (runNoun) noun() noun {
	return noun{
		path: "/runs", name: "id", word: "run",
		columns: []column{
			{"id", "ID"},
			{"job_name", "JOB"},
			{"fire_at", "FIRE"},
			{"cause", "CAUSE"},
			{"state", "STATE"},
			{"attempt", "ATTEMPT"},
			{"glue_version", "VERSION"},
			{"address", "EXECUTOR"},
			{"reason", "REASON"},
			{"message", "MESSAGE"},
		},
	}
}

func (reviewNoun) noun() noun {
	return noun{
		path: "/reviews", name: "job_name", word: "review",
		columns: []column{{"job_id", "JOB"}, {"job_name", "NAME"}, {"number", "VERSION"}, {"base_version", "BASE"}, {"live_version", "LIVE"}, {"author", "AUTHOR"}, {"created_at", "TIME"}, {"remark", "REMARK"}},
	}
}

func (groupNoun) noun() noun {
	return noun{
		path: "/groups", edit: "GroupEdit", name: "app_name", word: "group",
		columns: []column{{"id", "ID"}, {"app_name", "APP"}, {"title", "TITLE"}, {"address_type", "ADDRESSES"}},
	}
}

// Secrets and variables have paths below their group's.
func (secretNoun) noun() noun {
	return noun{
		path: "/secrets", name: "name", word: "secret",
		columns: []column{{"name", "NAME"}, {"updated_at", "CHANGED"}, {"updated_by", "BY"}},
	}
}

func (variableNoun) noun() noun {
	return noun{
		path: "/variables", name: "name", word: "variable",
		columns: []column{{"name", "NAME"}, {"value", "VALUE"}, {"updated_at", "CHANGED"}, {"updated_by", "BY"}},
	}
}

func (alarmChannelNoun) noun() noun {
	return noun{
		path: "/alarm-channels", edit: "AlarmChannelEdit", name: "name", word: "alarm-channel",
		columns: []column{{"id", "ID"}, {"name", "NAME"}, {"kind", "KIND"}, {"language", "LANGUAGE"}},
	}
}

func (alarmRuleNoun) noun() noun {
	return noun{
		path: "/alarm-rules", edit: "AlarmRuleEdit", name: "name", word: "alarm-rule",
		columns: []column{{"id", "ID"}, {"name", "NAME"}, {"group_id", "GROUP"}, {"on", "ON"}, {"channel_ids", "CHANNELS"}, {"enabled", "ENABLED"}},
	}
}

func (userNoun) noun() noun {
	return noun{
		path: "/users", edit: "UserEdit", name: "username", word: "user",
		columns: []column{{"id", "ID"}, {"username", "NAME"}, {"role", "ROLE"}, {"grants", "GRANTS"}, {"disabled", "DISABLED"}, {"last_login_at", "LAST LOGIN"}},
	}
}

func (tokenNoun) noun() noun {
	return noun{
		path: "/tokens", name: "name", word: "token",
		columns: []column{{"id", "ID"}, {"name", "NAME"}, {"prefix", "PREFIX"}, {"role", "ROLE"}, {"username", "USER"}, {"expires_at", "EXPIRES"}, {"last_used_at", "USED"}},
	}
}
