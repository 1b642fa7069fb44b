package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/job"
)

const (
	// alarmOverlap is how far a round looks back behind the one before it: an end may be
	// committed so long after its instant. Sessions of the admin that idle in a
	// transaction for 5 s, or in a statement for 30 s, are ended.
	alarmOverlap = 2 * time.Minute
	// alarmSigns bounds a round.
	alarmSigns = 2000
	// alarmKeep is how long signs are kept: the longest window, job.MaxAlarmWindowS.
	alarmKeep = job.MaxAlarmWindowS * time.Second
	// alarmLateWithin is how far back fires are looked for that have not started.
	alarmLateWithin = time.Hour
)

const signColumns = `r.id AS run_id, r.job_id, r.group_id, r.state, r.reason, r.message, r.address, r.retries_left, r.fire_at,
	j.name AS job_name, g.app_name, j.alarm_email`

const signTables = ` FROM run r JOIN job j ON j.id = r.job_id JOIN job_group g ON g.id = r.group_id`

// readBadEnds is served by run_bad_end_idx. A test-run gives no alarm; what has been
// deleted neither.
const readBadEnds = `
SELECT ` + signColumns + `, r.ended_at AS at, 0 AS late_ms` + signTables + `
WHERE r.ended_at > $1 AND r.outcome IN (11, 12, 13, 14, 15) AND NOT r.is_test
	AND NOT EXISTS (SELECT FROM alarm_seen s WHERE s.run_id = r.id AND s.late_ms = 0)
ORDER BY r.ended_at LIMIT $2`

// readLateFires is served by run_open_idx.
const readLateFires = `
SELECT ` + signColumns + `, clock_timestamp() AS at, $1::integer AS late_ms` + signTables + `
WHERE r.ended_at IS NULL AND r.state IN (1, 2) AND NOT r.is_test
	AND r.due_at < clock_timestamp() - $1 * interval '1 millisecond' AND r.due_at > clock_timestamp() - $2::interval
	AND NOT EXISTS (SELECT FROM alarm_seen s WHERE s.run_id = r.id AND s.late_ms = $1)
ORDER BY r.due_at LIMIT $3`

// seenRetried stands for the event of a failure that another attempt follows.
const seenRetried = "retried"

const insertSeen = `
INSERT INTO alarm_seen (run_id, late_ms, job_id, event, at)
SELECT * FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::text[], $5::timestamptz[])`

// JudgeAlarms shows judge what has happened since the last round, and stores what it
// says: messages in the outbox, and what the rules remember. One admin does so at a
// time; full reports that there may be more to judge at once.
func (s *Store) JudgeAlarms(ctx context.Context, judge func(job.AlarmView) job.AlarmVerdict) (sent int, full bool, err error) {
	err = s.retryTx(ctx, func(tx pgx.Tx) error {
		sent, full = 0, false
		var seenTo, now time.Time
		err := tx.QueryRow(ctx, `SELECT seen_to, clock_timestamp() FROM alarm_cursor FOR UPDATE SKIP LOCKED`).Scan(&seenTo, &now)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil // another admin is at it
		}
		if err != nil {
			return err
		}
		v, err := readAlarmView(ctx, tx, seenTo, now)
		if err != nil {
			return err
		}
		ended := slices.DeleteFunc(slices.Clone(v.Signs), func(g job.AlarmSign) bool { return g.LateMS > 0 })
		if full = len(ended) == alarmSigns; full {
			now = ended[len(ended)-1].At
		}
		verdict := judge(v)
		sent = len(verdict.Messages)
		return writeVerdict(ctx, tx, verdict, now)
	})
	if err != nil {
		return 0, false, fmt.Errorf("judge alarms: %w", err)
	}
	return sent, full, nil
}

func readAlarmView(ctx context.Context, tx pgx.Tx, seenTo, now time.Time) (job.AlarmView, error) {
	v := job.AlarmView{Now: now}
	var err error
	if v.Rules, err = many[job.AlarmRule](ctx, tx, `SELECT `+alarmRuleColumns+` FROM alarm_rule WHERE enabled ORDER BY id`); err != nil {
		return v, err
	}
	if v.Signs, err = readSigns(ctx, tx, v.Rules, seenTo); err != nil {
		return v, err
	}
	if v.States, err = readAlarmStates(ctx, tx); err != nil {
		return v, err
	}
	if v.Counts, err = countSigns(ctx, tx, v.Rules, v.Signs); err != nil {
		return v, err
	}
	if v.Shares, err = readShares(ctx, tx, v.Rules, v.Signs); err != nil {
		return v, err
	}
	if v.Windows, err = readWindows(ctx, tx); err != nil {
		return v, err
	}
	v.Succeeded, err = readSucceeded(ctx, tx)
	return v, err
}

// readSigns reads what no round has seen yet, and notes that this one has.
func readSigns(ctx context.Context, tx pgx.Tx, rules []job.AlarmRule, seenTo time.Time) ([]job.AlarmSign, error) {
	signs, err := many[job.AlarmSign](ctx, tx, readBadEnds, seenTo.Add(-alarmOverlap), alarmSigns)
	if err != nil {
		return nil, err
	}
	for _, ms := range lateBounds(rules) {
		late, err := many[job.AlarmSign](ctx, tx, readLateFires, ms, alarmLateWithin, alarmSigns)
		if err != nil {
			return nil, err
		}
		signs = append(signs, late...)
	}
	n := len(signs)
	if n == 0 {
		return nil, nil
	}
	runs, late, jobs, events, ats := make([]int64, n), make([]int32, n), make([]int32, n), make([]string, n), make([]time.Time, n)
	for i := range signs {
		g := &signs[i]
		runs[i], late[i], jobs[i], events[i], ats[i] = g.RunID, g.LateMS, g.JobID, string(g.Event()), g.At
		if g.Retried() {
			events[i] = seenRetried
		}
	}
	_, err = tx.Exec(ctx, insertSeen, runs, late, jobs, events, ats)
	return signs, err
}

// lateBounds are the different late_ms of rules that hear AlarmLate.
func lateBounds(rules []job.AlarmRule) []int32 {
	var bounds []int32
	for i := range rules {
		if rules[i].Hears(job.AlarmLate) {
			bounds = append(bounds, rules[i].LateMS)
		}
	}
	slices.Sort(bounds)
	return slices.Compact(bounds)
}

const alarmStateColumns = `rule_id, job_id, firing, event_at, sent_at, suppressed, job_name, app_name, alarm_email`

func readAlarmStates(ctx context.Context, tx pgx.Tx) (map[job.AlarmKey]job.AlarmState, error) {
	rows, err := many[job.AlarmState](ctx, tx, `SELECT `+alarmStateColumns+` FROM alarm_state`)
	if err != nil {
		return nil, err
	}
	states := make(map[job.AlarmKey]job.AlarmState, len(rows))
	for _, r := range rows {
		states[r.Key()] = r
	}
	return states, nil
}

// jobsOf are the jobs of new signs that a rule covers.
func jobsOf(r *job.AlarmRule, signs []job.AlarmSign) []int32 {
	var jobs []int32
	for i := range signs {
		if r.Covers(signs[i].GroupID, signs[i].JobID) {
			jobs = append(jobs, signs[i].JobID)
		}
	}
	slices.Sort(jobs)
	return slices.Compact(jobs)
}

// countSigns is served by alarm_seen_job_idx.
func countSigns(ctx context.Context, tx pgx.Tx, rules []job.AlarmRule, signs []job.AlarmSign) (map[job.AlarmKey]int, error) {
	const sql = `
		SELECT job_id, count(*) FROM alarm_seen
		WHERE job_id = ANY ($1) AND at > clock_timestamp() - $2 * interval '1 second' AND event = ANY ($3) AND late_ms IN (0, $4)
		GROUP BY job_id`
	counts := make(map[job.AlarmKey]int)
	for i := range rules {
		r := &rules[i]
		jobs := jobsOf(r, signs)
		if r.Threshold <= 1 || len(jobs) == 0 {
			continue
		}
		var events []string
		for _, e := range job.AlarmEvents() {
			if r.Heard(e) != "" {
				events = append(events, string(e))
			}
		}
		if r.EachAttempt {
			events = append(events, seenRetried)
		}
		rows, err := tx.Query(ctx, sql, jobs, r.WindowS, events, r.LateMS)
		if err != nil {
			return nil, err
		}
		var id int32
		var n int
		if _, err := pgx.ForEachRow(rows, []any{&id, &n}, func() error {
			counts[job.AlarmKey{RuleID: r.ID, JobID: id}] = n
			return nil
		}); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// readShares is served by run_job_idx in the partitions of the window; the day before
// it is for retries, which keep the instant of their first attempt.
func readShares(ctx context.Context, tx pgx.Tx, rules []job.AlarmRule, signs []job.AlarmSign) (map[job.AlarmKey]job.AlarmShare, error) {
	const sql = `
		SELECT job_id, count(*), count(*) FILTER (WHERE outcome IN (11, 12, 13, 14)) FROM run
		WHERE job_id = ANY ($1) AND fire_at > clock_timestamp() - $2 * interval '1 second' - interval '1 day'
			AND ended_at > clock_timestamp() - $2 * interval '1 second' AND outcome BETWEEN 10 AND 14
			AND shard >= 0 AND NOT is_test
		GROUP BY job_id`
	shares := make(map[job.AlarmKey]job.AlarmShare)
	for i := range rules {
		r := &rules[i]
		jobs := jobsOf(r, signs)
		if !r.Hears(job.AlarmFailureRate) || len(jobs) == 0 {
			continue
		}
		rows, err := tx.Query(ctx, sql, jobs, r.WindowS)
		if err != nil {
			return nil, err
		}
		var id int32
		var share job.AlarmShare
		if _, err := pgx.ForEachRow(rows, []any{&id, &share.Total, &share.Failed}, func() error {
			shares[job.AlarmKey{RuleID: r.ID, JobID: id}] = share
			return nil
		}); err != nil {
			return nil, err
		}
	}
	return shares, nil
}

func readWindows(ctx context.Context, tx pgx.Tx) (map[int32]job.AlarmWindow, error) {
	rows, err := tx.Query(ctx, `SELECT rule_id, opened_at, item, alarm_email FROM alarm_gathered ORDER BY rule_id, job_id, event`)
	if err != nil {
		return nil, err
	}
	windows := make(map[int32]job.AlarmWindow)
	var rule int32
	var openedAt time.Time
	var text []byte
	var email string
	_, err = pgx.ForEachRow(rows, []any{&rule, &openedAt, &text, &email}, func() error {
		item := job.AlarmItem{AlarmEmail: email}
		if err := json.Unmarshal(text, &item); err != nil {
			return fmt.Errorf("read what rule %d has gathered: %w", rule, err)
		}
		w := windows[rule]
		w.OpenedAt, w.Items = openedAt, append(w.Items, item)
		windows[rule] = w
		return nil
	})
	return windows, err
}

// readSucceeded is served by run_job_idx; few states are firing.
func readSucceeded(ctx context.Context, tx pgx.Tx) (map[job.AlarmKey]time.Time, error) {
	const sql = `
		SELECT s.rule_id, s.job_id, ok.at
		FROM alarm_state s CROSS JOIN LATERAL (
			SELECT min(r.ended_at) AS at FROM run r
			WHERE r.job_id = s.job_id AND r.fire_at > s.event_at - interval '1 day' AND r.ended_at > s.event_at
				AND r.outcome = 10 AND r.shard >= 0 AND NOT r.is_test) AS ok
		WHERE s.firing AND ok.at IS NOT NULL`
	rows, err := tx.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	out := make(map[job.AlarmKey]time.Time)
	var k job.AlarmKey
	var at time.Time
	_, err = pgx.ForEachRow(rows, []any{&k.RuleID, &k.JobID, &at}, func() error {
		out[k] = at
		return nil
	})
	return out, err
}

const writeAlarmState = `
INSERT INTO alarm_state (` + alarmStateColumns + `) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT ON CONSTRAINT alarm_state_pkey DO UPDATE SET firing = excluded.firing, event_at = excluded.event_at,
	sent_at = excluded.sent_at, suppressed = excluded.suppressed, job_name = excluded.job_name,
	app_name = excluded.app_name, alarm_email = excluded.alarm_email`

const writeGathered = `
INSERT INTO alarm_gathered (rule_id, job_id, event, opened_at, item, alarm_email) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT ON CONSTRAINT alarm_gathered_pkey DO UPDATE SET item = excluded.item, alarm_email = excluded.alarm_email`

// dropGathered forgets what rules have gathered that were disabled since: nobody is told,
// and so nobody is told of the recovery.
const dropGathered = `
WITH dropped AS (
	DELETE FROM alarm_gathered g USING alarm_rule r WHERE r.id = g.rule_id AND NOT r.enabled RETURNING g.rule_id, g.job_id)
UPDATE alarm_state SET firing = false WHERE (rule_id, job_id) IN (SELECT rule_id, job_id FROM dropped)`

// insertAlarm makes one entry a channel.
const insertAlarm = `
INSERT INTO alarm (rule_id, rule_name, group_id, channel_id, channel_name, event, job_id, run_id, message, emails)
SELECT r.id, r.name, r.group_id, c.id, c.name, $2, $3, $4, $5, $6
FROM alarm_rule r JOIN alarm_channel c ON c.id = ANY ($7)
WHERE r.id = $1 ORDER BY c.id`

func writeVerdict(ctx context.Context, tx pgx.Tx, v job.AlarmVerdict, seenTo time.Time) error {
	var b pgx.Batch
	for i := range v.Messages {
		m := &v.Messages[i]
		text, err := json.Marshal(m)
		if err != nil {
			return fmt.Errorf("write message of rule %d: %w", m.RuleID, err)
		}
		jobID, runID := soleItem(m)
		b.Queue(insertAlarm, m.RuleID, m.Event, jobID, runID, text, emailsOf(m), m.ChannelIDs)
	}
	for _, s := range v.States {
		b.Queue(writeAlarmState, s.RuleID, s.JobID, s.Firing, s.EventAt, s.SentAt, s.Suppressed, s.JobName, s.AppName, s.AlarmEmail)
	}
	for i := range v.Gathered {
		g := &v.Gathered[i]
		text, err := json.Marshal(&g.Item)
		if err != nil {
			return fmt.Errorf("write what rule %d has gathered: %w", g.RuleID, err)
		}
		b.Queue(writeGathered, g.RuleID, g.Item.JobID, g.Item.Event, g.OpenedAt, text, g.Item.AlarmEmail)
	}
	if len(v.Closed) > 0 {
		b.Queue(`DELETE FROM alarm_gathered WHERE rule_id = ANY ($1)`, v.Closed)
	}
	b.Queue(dropGathered)
	b.Queue(`UPDATE alarm_cursor SET seen_to = $1`, seenTo)
	b.Queue(`DELETE FROM alarm_seen WHERE at < clock_timestamp() - $1::interval - $2::interval`, alarmKeep, alarmOverlap)
	return tx.SendBatch(ctx, &b).Close()
}

// soleItem is the job and the run of a message about one job.
func soleItem(m *job.AlarmMessage) (jobID *int32, runID *int64) {
	if len(m.Items) != 1 || m.More > 0 {
		return nil, nil
	}
	item := m.Items[0]
	if item.RunID != 0 {
		runID = &item.RunID
	}
	return &item.JobID, runID
}

// emailsOf are the addresses of the jobs, for channels that write to them.
func emailsOf(m *job.AlarmMessage) string {
	var all []string
	for i := range m.Items {
		for address := range strings.SplitSeq(m.Items[i].AlarmEmail, ",") {
			if address = strings.TrimSpace(address); address != "" {
				all = append(all, address)
			}
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ",")
}
