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
	alarmNoun        struct{}
	auditNoun        struct{}
	nodeNoun         struct{}
	userNoun         struct{}
	tokenNoun        struct{}
)

// groupCmd manages executor groups.
type groupCmd = nounCmd[groupNoun]

// alarmChannelCmd manages where alarms go.
type alarmChannelCmd struct {
	nounCmd[alarmChannelNoun]
	Test channelTest `cmd:"" help:"Send a test message now."`
}

// alarmCmd looks at what was sent.
type alarmCmd struct {
	List listCmd[alarmNoun] `cmd:"" help:"List alarms and their delivery, newest first: -f state=failed."`
}

// nodeCmd looks at executors. They are not called so here, for gluewheel executor runs one.
type nodeCmd struct {
	List listCmd[nodeNoun] `cmd:"" help:"List registered executors: -f group_id=1 -f alive=false."`
}

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

func (alarmNoun) noun() noun {
	return noun{
		path: "/alarms", word: "alarm",
		columns: []column{{"id", "ID"}, {"at", "TIME"}, {"rule", "RULE"}, {"kind", "KIND"}, {"channel", "CHANNEL"}, {"job_id", "JOB"}, {"run_id", "RUN"}, {"state", "STATE"}, {"last_error", "ERROR"}},
	}
}

func (auditNoun) noun() noun {
	return noun{
		path: "/audit", word: "audit",
		columns: []column{{"id", "ID"}, {"at", "TIME"}, {"actor", "BY"}, {"action", "ACTION"}, {"object_type", "OBJECT"}, {"object_id", "ID"}, {"object_name", "NAME"}, {"address", "FROM"}},
	}
}

func (nodeNoun) noun() noun {
	return noun{
		path: "/executors", word: "node",
		columns: []column{{"app_name", "APP"}, {"address", "ADDRESS"}, {"alive", "ALIVE"}, {"dialect", "DIALECT"}, {"version", "VERSION"}, {"heartbeat_at", "LAST HEARD"}},
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
