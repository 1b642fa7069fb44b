package job

import (
	"encoding/json"
	"errors"
	"slices"
	"time"
)

// Errors of alarm channels and rules.
var (
	ErrDuplicateName = errors.New("name is taken")
	ErrChannelInUse  = errors.New("alarm rules use the channel")
	ErrNoChannel     = errors.New("no such alarm channel")
	ErrForeignJob    = errors.New("job is not in the group")
)

// MaxAlarmWindowS is the longest window of a rule, in seconds: a day.
const MaxAlarmWindowS = 24 * 3600

// MaxGroupS is the longest time for which a rule gathers, in seconds.
const MaxGroupS = 3600

// AlarmEvent is what an alarm rule listens for.
type AlarmEvent string

const (
	AlarmFailure     AlarmEvent = "failure"      // a run failed, timed out or was killed, and is not retried
	AlarmFailureRate AlarmEvent = "failure_rate" // too many of a job's runs within the window did
	AlarmLate        AlarmEvent = "late"         // a fire is due and has not started for the rule's late_ms
	AlarmMisfire     AlarmEvent = "misfire"      // fires were skipped because they were too late
	AlarmNoExecutor  AlarmEvent = "no_executor"  // a fire found no executor
	AlarmLost        AlarmEvent = "lost"         // an executor took a run, and neither came back
	AlarmRecovery    AlarmEvent = "recovery"     // a job that had an alarm succeeded again

)

// AlarmTest is the event of a test message; no rule listens for it.
const AlarmTest AlarmEvent = "test"

var alarmEvents = []AlarmEvent{
	AlarmFailure, AlarmFailureRate, AlarmLate, AlarmMisfire, AlarmNoExecutor, AlarmLost, AlarmRecovery,
}

// AlarmEvents lists the words for AlarmRule.On.
func AlarmEvents() []AlarmEvent { return slices.Clone(alarmEvents) }

// ChannelKind is how an alarm channel delivers.
type ChannelKind string

const (
	ChannelEmail    ChannelKind = "email"
	ChannelWebhook  ChannelKind = "webhook"
	ChannelSlack    ChannelKind = "slack"
	ChannelDingTalk ChannelKind = "dingtalk"
	ChannelFeishu   ChannelKind = "feishu"
	ChannelWeCom    ChannelKind = "wecom"
)

// ChannelKinds lists the words for AlarmChannel.Kind.
func ChannelKinds() []ChannelKind {
	return []ChannelKind{ChannelEmail, ChannelWebhook, ChannelSlack, ChannelDingTalk, ChannelFeishu, ChannelWeCom}
}

// AlarmChannel is where alarms go.
type AlarmChannel struct {
	ID        int32           `db:"id"`
	Name      string          `db:"name"`
	Kind      ChannelKind     `db:"kind"`
	Config    json.RawMessage `db:"config"`   // what may be read by people
	Sealed    []byte          `db:"sealed"`   // what may not; empty = nothing
	Language  string          `db:"language"` // of its messages: zh or en
	Version   int64           `db:"version"`
	CreatedAt time.Time       `db:"created_at"`
	UpdatedAt time.Time       `db:"updated_at"`
}

// AlarmRule says what is worth an alarm, and to whom.
type AlarmRule struct {
	ID          int32        `db:"id"`
	Name        string       `db:"name"`
	GroupID     *int32       `db:"group_id"` // nil = all groups
	JobIDs      []int32      `db:"job_ids"`  // empty = all jobs of the group
	On          []AlarmEvent `db:"on_events"`
	Threshold   int32        `db:"threshold"`    // events within the window that make an alarm
	WindowS     int32        `db:"window_s"`     // seconds
	RatePct     int32        `db:"rate_pct"`     // failure_rate: percent of the window's runs
	SilenceS    int32        `db:"silence_s"`    // seconds after an alarm in which the same job gives none
	GroupS      int32        `db:"group_s"`      // seconds from the first trouble of any job to the one message about all
	LateMS      int32        `db:"late_ms"`      // late: milliseconds after the fire was due
	EachAttempt bool         `db:"each_attempt"` // a failure that is retried counts too, as in XXL-JOB
	ChannelIDs  []int32      `db:"channel_ids"`
	Enabled     bool         `db:"enabled"`
	Version     int64        `db:"version"`
	CreatedAt   time.Time    `db:"created_at"`
	UpdatedAt   time.Time    `db:"updated_at"`
}

// Covers reports whether the rule is about a job of a group.
func (r *AlarmRule) Covers(groupID, jobID int32) bool {
	return (r.GroupID == nil || *r.GroupID == groupID) && (len(r.JobIDs) == 0 || slices.Contains(r.JobIDs, jobID))
}

// Hears reports whether the rule listens for any of the events.
func (r *AlarmRule) Hears(events ...AlarmEvent) bool {
	return slices.ContainsFunc(events, func(e AlarmEvent) bool { return slices.Contains(r.On, e) })
}

// Heard is what the rule takes an event for: itself, or "" for nothing. A fire that found
// no executor is a run that failed, to a rule that has no word of its own for it.
func (r *AlarmRule) Heard(e AlarmEvent) AlarmEvent {
	switch {
	case r.Hears(e):
		return e
	case e == AlarmNoExecutor && r.Hears(AlarmFailure):
		return AlarmFailure
	default:
		return ""
	}
}

// AlarmSign is something that happened to a run and may be worth an alarm.
type AlarmSign struct {
	RunID       int64     `db:"run_id"`
	JobID       int32     `db:"job_id"`
	GroupID     int32     `db:"group_id"`
	State       State     `db:"state"`
	Reason      string    `db:"reason"`
	Message     string    `db:"message"`
	Address     string    `db:"address"`
	RetriesLeft int16     `db:"retries_left"` // of a failure: more than 0 means that it is retried
	FireAt      time.Time `db:"fire_at"`
	At          time.Time `db:"at"`      // when it ended; when it was found late
	LateMS      int32     `db:"late_ms"` // 0 = it ended; else it has not started for so long
	JobName     string    `db:"job_name"`
	AppName     string    `db:"app_name"`
	AlarmEmail  string    `db:"alarm_email"`
}

// Retried reports whether another attempt follows, so that only rules which hear each
// attempt care.
func (s *AlarmSign) Retried() bool {
	return s.LateMS == 0 && s.RetriesLeft > 0 && (s.State == Failed || s.State == TimedOut)
}

// Event is what the sign means.
func (s *AlarmSign) Event() AlarmEvent {
	switch {
	case s.LateMS > 0:
		return AlarmLate
	case s.State == Lost:
		return AlarmLost
	case s.State == Misfired:
		return AlarmMisfire
	case s.Reason == ReasonNoExecutor:
		return AlarmNoExecutor
	default:
		return AlarmFailure
	}
}

// AlarmKey is what a rule remembers something about.
type AlarmKey struct{ RuleID, JobID int32 }

// AlarmState is what a rule remembers about a job.
type AlarmState struct {
	RuleID     int32      `db:"rule_id"`
	JobID      int32      `db:"job_id"`
	Firing     bool       `db:"firing"`      // there was a message, or is one gathered, and no recovery since
	EventAt    time.Time  `db:"event_at"`    // the latest event
	SentAt     *time.Time `db:"sent_at"`     // the latest message, nil = none yet
	Suppressed int32      `db:"suppressed"`  // events since then that gave no message
	JobName    string     `db:"job_name"`    // for the message of the recovery
	AppName    string     `db:"app_name"`    // likewise
	AlarmEmail string     `db:"alarm_email"` // likewise
}

// Key is what the state is about.
func (s *AlarmState) Key() AlarmKey { return AlarmKey{s.RuleID, s.JobID} }

// AlarmShare is how many of a job's runs of a window ended badly.
type AlarmShare struct{ Total, Failed int }

// AlarmWindow is what a rule with GroupS gathers before it tells.
type AlarmWindow struct {
	OpenedAt time.Time
	Items    []AlarmItem // one a job and event, in that order
}

// AlarmGathered is one item of the window of a rule.
type AlarmGathered struct {
	RuleID   int32
	OpenedAt time.Time
	Item     AlarmItem
}

// AlarmView is what there is to judge in one round.
type AlarmView struct {
	Now    time.Time // the database's
	Rules  []AlarmRule
	Signs  []AlarmSign // new ones, oldest first
	States map[AlarmKey]AlarmState
	// Counts are the events of the window of rules with a threshold above 1.
	Counts map[AlarmKey]int
	// Shares are those of the window of rules that hear failure_rate.
	Shares map[AlarmKey]AlarmShare
	// Succeeded are the firing keys whose job has succeeded since the latest event.
	Succeeded map[AlarmKey]time.Time
	// Windows are those that are open, by rule.
	Windows map[int32]AlarmWindow
}

// AlarmVerdict is what comes of a round.
type AlarmVerdict struct {
	Messages []AlarmMessage
	States   []AlarmState    // those that changed
	Gathered []AlarmGathered // likewise, of windows that stay open
	Closed   []int32         // rules whose window has ended
}

// AlarmMessage is one message, before it is put into words.
type AlarmMessage struct {
	RuleID     int32       `json:"-"`
	Rule       string      `json:"rule"`
	Event      AlarmEvent  `json:"event"`          // the first of its items
	Items      []AlarmItem `json:"items"`          // at most MaxAlarmItems
	More       int         `json:"more,omitempty"` // jobs that are not named
	ChannelIDs []int32     `json:"-"`
}

// MaxAlarmItems bounds the jobs that one message names.
const MaxAlarmItems = 20

// AlarmItem is one job in a message, with the run that stands for its events.
type AlarmItem struct {
	Event      AlarmEvent `json:"event"`
	JobID      int32      `json:"job_id"`
	JobName    string     `json:"job_name"`
	AppName    string     `json:"app_name"`
	RunID      int64      `json:"run_id,omitempty"`
	State      string     `json:"state,omitempty"`
	Reason     string     `json:"reason,omitempty"`
	Message    string     `json:"message,omitempty"`
	Address    string     `json:"address,omitempty"`
	FireAt     time.Time  `json:"fire_at,omitzero"`
	At         time.Time  `json:"at"`
	Count      int        `json:"count"`                // events that this message is about; with a threshold those of the window
	Suppressed int        `json:"suppressed,omitempty"` // events before it that gave no message
	Total      int        `json:"total,omitempty"`      // failure_rate: runs of the window …
	Failed     int        `json:"failed,omitempty"`     // … and those that ended badly
	AlarmEmail string     `json:"-"`
}

// AlarmTake asks for messages that are due.
type AlarmTake struct {
	Limit      int           // messages at most
	PerChannel int           // places that each channel has …
	Busy       map[int32]int // … and how many of them are taken, by channel
	Lease      time.Duration // how long they belong to who takes them
}

// DeliveryState is where the delivery of an alarm stands. The numbers are stored.
type DeliveryState int16

const (
	DeliveryPending   DeliveryState = 1
	DeliveryDelivered DeliveryState = 2
	DeliveryFailed    DeliveryState = 3 // given up
)

// String is the name used by the API.
func (s DeliveryState) String() string {
	return map[DeliveryState]string{
		DeliveryPending: "pending", DeliveryDelivered: "delivered", DeliveryFailed: "failed",
	}[s]
}

// Alarm is one message to one channel, as it stands in the outbox.
type Alarm struct {
	ID          int64           `db:"id"`
	At          time.Time       `db:"at"`
	RuleID      int32           `db:"rule_id"`
	RuleName    string          `db:"rule_name"`
	GroupID     *int32          `db:"group_id"` // of the rule; nil = all groups
	ChannelID   int32           `db:"channel_id"`
	ChannelName string          `db:"channel_name"`
	Event       AlarmEvent      `db:"event"`
	JobID       *int32          `db:"job_id"` // nil = several jobs
	RunID       *int64          `db:"run_id"` // nil = several jobs, or none
	Message     json.RawMessage `db:"message"`
	Emails      string          `db:"emails"` // alarm_email of the jobs, comma separated
	State       DeliveryState   `db:"state"`
	Attempts    int32           `db:"attempts"`
	NextTryAt   time.Time       `db:"next_try_at"`
	DeliveredAt *time.Time      `db:"delivered_at"`
	LastError   string          `db:"last_error"`
}

// AlarmFilter selects alarms; zero fields select all.
type AlarmFilter struct {
	GroupIDs []int32 // nil = all; alarms of rules for all groups are for those who see all
	RuleID   int32
	JobID    int32 // named in the message
	State    DeliveryState
	From, To time.Time // from here to before there
}
