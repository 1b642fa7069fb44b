package alarm

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
)

// text is a message in words.
type text struct {
	title string // one line
	body  string // lines
}

// words are those of one language.
type words struct {
	titles                               map[job.AlarmEvent]string
	title, comma                         string            // events and the job, or the number of jobs; between events
	jobs                                 string            // "%d jobs"
	reasons                              map[string]string // why runs ended, by the code
	ownWords                             bool              // in the language in which the admin writes
	fire, ended, executor, reason, share string
	count, silent, more, rule            string
}

var languages = map[string]words{
	"en": {
		titles: map[job.AlarmEvent]string{
			job.AlarmFailure: "Failed", job.AlarmFailureRate: "Fails too often", job.AlarmLate: "Starts late",
			job.AlarmMisfire: "Missed its time", job.AlarmNoExecutor: "No executor", job.AlarmLost: "Lost",
			job.AlarmRecovery: "Well again", job.AlarmTest: "Test",
		},
		title: "%s: %s", comma: ", ", reasons: englishReasons, ownWords: true,
		jobs: "%d jobs", fire: "fire of %s", ended: "at %s", executor: "executor %s", reason: "%s: %s",
		share: "%d of %d runs ended badly", count: "%d times", silent: "%d not told while silent", more: "and %d more jobs",
		rule: "Rule: %s",
	},
	"zh": {
		titles: map[job.AlarmEvent]string{
			job.AlarmFailure: "任务失败", job.AlarmFailureRate: "失败率过高", job.AlarmLate: "调度延迟",
			job.AlarmMisfire: "错过调度", job.AlarmNoExecutor: "无可用执行器", job.AlarmLost: "结果丢失",
			job.AlarmRecovery: "任务恢复", job.AlarmTest: "测试告警",
		},
		title: "%s：%s", comma: "、", reasons: chineseReasons,
		jobs: "%d 个任务", fire: "调度时间 %s", ended: "时间 %s", executor: "执行器 %s", reason: "%s：%s",
		share: "%d / %d 次运行失败", count: "共 %d 次", silent: "静默期间未通知 %d 次", more: "另有 %d 个任务",
		rule: "告警规则：%s",
	},
}

// maxTitle keeps a subject line short; characters.
const maxTitle = 120

// say puts a message into words. Instants are shown in zone; base is the address of the
// page for links, empty for none.
func say(m *job.AlarmMessage, language string, zone *time.Location, base string) text {
	w, ok := languages[language]
	if !ok {
		w = languages["en"]
	}
	jobs := jobsIn(m.Items) + m.More
	about := fmt.Sprintf(w.jobs, jobs)
	if jobs == 1 {
		about = oneLine(m.Items[0].JobName)
	}
	events := w.events(m)
	lines := []string{}
	for i := range m.Items {
		it := &m.Items[i]
		line := w.item(it, zone)
		if len(events) > 1 {
			line = fmt.Sprintf(w.title, w.titles[it.Event], line)
		}
		lines = append(lines, line, w.link(it, base))
	}
	if m.More > 0 {
		lines = append(lines, fmt.Sprintf(w.more, m.More))
	}
	lines = append(lines, fmt.Sprintf(w.rule, oneLine(m.Rule)))
	lines = slices.DeleteFunc(lines, func(l string) bool { return l == "" })
	title := "[gluewheel] " + fmt.Sprintf(w.title, strings.Join(events, w.comma), about)
	return text{title: cut(title, maxTitle), body: strings.Join(lines, "\n")}
}

// events names what a message is about, each event once.
func (w *words) events(m *job.AlarmMessage) []string {
	names := []string{w.titles[m.Event]}
	for i := range m.Items {
		// An item of an admin of before names no event: it is the message's.
		if name := w.titles[m.Items[i].Event]; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func (w *words) item(it *job.AlarmItem, zone *time.Location) string {
	parts := []string{}
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if it.Total > 0 {
		add(w.share, it.Failed, it.Total)
	}
	if it.Count > 1 && it.Total == 0 {
		add(w.count, it.Count)
	}
	if it.Suppressed > 0 {
		add(w.silent, it.Suppressed)
	}
	if !it.FireAt.IsZero() {
		add(w.fire, clock(it.FireAt, zone))
	} else {
		add(w.ended, clock(it.At, zone))
	}
	if it.Address != "" {
		add(w.executor, oneLine(it.Address))
	}
	head := fmt.Sprintf("%s (%s) ", oneLine(it.JobName), oneLine(it.AppName)) + strings.Join(parts, ", ")
	if why := w.why(it); why != "" {
		return head + "\n  " + why
	}
	return head
}

// why is the reason in words, and the message behind it. What the admin itself writes says
// the same in English: it stands under English titles only.
func (w *words) why(it *job.AlarmItem) string {
	reason, known := w.reasons[it.Reason]
	if !known {
		reason = it.Reason
	}
	message := cut(oneLine(it.Message), 500)
	if message == "" || known && !w.ownWords && slices.Contains(byAdmin, it.Reason) {
		return reason
	}
	return fmt.Sprintf(w.reason, reason, message)
}

func (w *words) link(it *job.AlarmItem, base string) string {
	switch {
	case base == "":
		return ""
	case it.RunID != 0:
		return fmt.Sprintf("  %s/runs/%d", base, it.RunID)
	default:
		return fmt.Sprintf("  %s/jobs/%d", base, it.JobID)
	}
}

func clock(t time.Time, zone *time.Location) string {
	return t.In(zone).Format("2006-01-02 15:04:05 MST")
}

// oneLine keeps what users named from looking like other lines of the message.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
