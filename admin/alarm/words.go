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
	titles                               map[job.AlarmEvent]string // with the job, or the number of jobs
	jobs                                 string                    // "%d jobs"
	fire, ended, executor, reason, share string
	count, silent, more, rule            string
}

var languages = map[string]words{
	"en": {
		titles: map[job.AlarmEvent]string{
			job.AlarmFailure: "Failed: %s", job.AlarmFailureRate: "Fails too often: %s", job.AlarmLate: "Starts late: %s",
			job.AlarmMisfire: "Missed its time: %s", job.AlarmNoExecutor: "No executor: %s", job.AlarmLost: "Lost: %s",
			job.AlarmRecovery: "Well again: %s", job.AlarmTest: "Test: %s",
		},
		jobs: "%d jobs", fire: "fire of %s", ended: "at %s", executor: "executor %s", reason: "%s: %s",
		share: "%d of %d runs ended badly", count: "%d times", silent: "%d more while silent", more: "and %d more jobs",
		rule: "Rule: %s",
	},
	"zh": {
		titles: map[job.AlarmEvent]string{
			job.AlarmFailure: "任务失败：%s", job.AlarmFailureRate: "失败率过高：%s", job.AlarmLate: "调度延迟：%s",
			job.AlarmMisfire: "错过调度：%s", job.AlarmNoExecutor: "无可用执行器：%s", job.AlarmLost: "结果丢失：%s",
			job.AlarmRecovery: "任务恢复：%s", job.AlarmTest: "测试告警：%s",
		},
		jobs: "%d 个任务", fire: "调度时间 %s", ended: "时间 %s", executor: "执行器 %s", reason: "%s：%s",
		share: "%d / %d 次运行失败", count: "共 %d 次", silent: "静默期间另有 %d 次", more: "另有 %d 个任务",
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
	about := fmt.Sprintf(w.jobs, len(m.Items)+m.More)
	if len(m.Items) == 1 && m.More == 0 {
		about = oneLine(m.Items[0].JobName)
	}
	lines := []string{}
	for i := range m.Items {
		lines = append(lines, w.item(&m.Items[i], zone), w.link(&m.Items[i], base))
	}
	if m.More > 0 {
		lines = append(lines, fmt.Sprintf(w.more, m.More))
	}
	lines = append(lines, fmt.Sprintf(w.rule, oneLine(m.Rule)))
	lines = slices.DeleteFunc(lines, func(l string) bool { return l == "" })
	return text{title: cut("[gluewheel] "+fmt.Sprintf(w.titles[m.Event], about), maxTitle), body: strings.Join(lines, "\n")}
}

func (w *words) item(it *job.AlarmItem, zone *time.Location) string {
	parts := []string{}
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if it.Total > 0 {
		add(w.share, it.Failed, it.Total)
	}
	if it.Count > 1 {
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
	if it.Reason == "" {
		return head
	}
	return head + "\n  " + fmt.Sprintf(w.reason, it.Reason, cut(oneLine(it.Message), 500))
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
