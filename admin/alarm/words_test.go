package alarm

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

// reasonCodes are the values of the constants that are named Reason… in a file.
func reasonCodes(t *testing.T, path string) (codes []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	require.NoError(t, err)
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, "Reason") {
			return true
		}
		code, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		require.NoError(t, err)
		codes = append(codes, code)
		return true
	})
	require.NotEmpty(t, codes)
	return codes
}

func TestSay_EveryReasonInBothLanguages(t *testing.T) {
	t.Parallel()
	codes := append(reasonCodes(t, "../job/state.go"), reasonCodes(t, "../../executor/protocol/outcome.go")...)
	for _, code := range codes {
		for name, w := range languages {
			require.NotEmpty(t, w.reasons[code], "%s in %s", code, name)
		}
	}
	for name, w := range languages {
		for code := range w.reasons {
			require.Contains(t, codes, code, "%s is no reason", name)
		}
	}
}

func TestSay_ReasonInTheReadersLanguage(t *testing.T) {
	t.Parallel()
	message := func(reason, text string) *job.AlarmMessage {
		m := aDelivery().message
		m.Items[0].Reason, m.Items[0].Message = reason, text
		return &m
	}
	own := message(job.ReasonNoExecutor, "No executor of the group is registered.")
	zh := say(own, "zh", time.UTC, "").body
	require.Contains(t, zh, "没有在线的执行器")
	require.NotContains(t, zh, job.ReasonNoExecutor)
	require.NotContains(t, zh, "registered", "the admin's own sentence is English")
	require.Contains(t, say(own, "en", time.UTC, "").body, "no executor was online: No executor of the group is registered.")

	require.Contains(t, say(message(job.ReasonHandlerFailed, "boom"), "zh", time.UTC, "").body, "任务代码执行失败：boom", "the job's words")
	require.Contains(t, say(message("from_the_future", "boom"), "zh", time.UTC, "").body, "from_the_future：boom")
	require.Contains(t, say(message(job.ReasonTimeout, ""), "zh", time.UTC, "").body, "超过任务超时时间\n")
}

func TestSay_SeveralEvents(t *testing.T) {
	t.Parallel()
	m := aDelivery().message
	m.Items = append(m.Items, m.Items[0])
	m.Items[0].Event, m.Items[1].Event = job.AlarmFailure, job.AlarmLost
	require.Contains(t, say(&m, "zh", time.UTC, "").title, "任务失败、结果丢失：<b>nightly</b>")
	text := say(&m, "en", time.UTC, "")
	require.Contains(t, text.title, "Failed, Lost: <b>nightly</b>")
	require.Contains(t, text.body, "Lost: <b>nightly</b> @all (")
	m.Items[1].JobID++
	require.Contains(t, say(&m, "en", time.UTC, "").title, "Failed, Lost: 2 jobs")
}
