package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/api"
	"github.com/gluewheel/gluewheel/admin/job"
)

// longLog has the executor answer a run's log in pieces: that of its lines which begins
// where it is asked to, up to the next multiple of 1000.
func (b *bench) longLog(run int64, lines int) (text string) {
	var all strings.Builder
	b.mu.Lock()
	defer b.mu.Unlock()
	b.longLogs[run] = func(from int) job.LogPiece {
		var content strings.Builder
		to := min((from/1000+1)*1000, lines)
		for n := from; n <= to; n++ {
			content.WriteString(logLine(n))
		}
		return job.LogPiece{FromLine: from, ToLine: to, Content: content.String(), End: to == lines}
	}
	for n := 1; n <= lines; n++ {
		all.WriteString(logLine(n))
	}
	return all.String()
}

func logLine(n int) string {
	if n%7 == 0 {
		return fmt.Sprintf("line %d: Needle and needle\n", n)
	}
	return fmt.Sprintf("line %d\n", n)
}

func TestRunLog_DownloadsWhole(t *testing.T) {
	t.Parallel()
	b := setup(t)
	j := b.job(b.group("billing").ID)
	run := b.run(j.ID).RunID
	require.Empty(t, b.admin.do("GET", fmt.Sprintf("/runs/%d/log/content", run), "").text, "it was not sent yet")

	tail := "the last line"
	b.end(run, job.Failed, &tail)
	require.Equal(t, tail+"\n", b.admin.do("GET", fmt.Sprintf("/runs/%d/log/content", run), "").text, "the executor does not answer")

	whole := b.longLog(run, 12_345)
	r := b.admin.do("GET", fmt.Sprintf("/runs/%d/log/content", run), "")
	require.Equal(t, 200, r.status)
	require.Equal(t, "text/plain; charset=utf-8", r.header.Get("Content-Type"))
	require.Equal(t, fmt.Sprintf(`attachment; filename="run-%d.log"`, run), r.header.Get("Content-Disposition"))
	require.Equal(t, whole, r.text)
}

func TestRunLog_FindsLines(t *testing.T) {
	t.Parallel()
	b := setup(t)
	run := b.run(b.job(b.group("billing").ID).ID).RunID
	b.end(run, job.Failed, nil)
	b.longLog(run, 12_345)
	find := func(query string) api.RunLogMatches {
		return get[api.RunLogMatches](b.admin, fmt.Sprintf("/runs/%d/log/matches?%s", run, query))
	}
	var found []int
	for next := 1; ; {
		part := find(fmt.Sprint("q=NEEDLE&from_line=", next))
		found = append(found, part.Lines...)
		require.LessOrEqual(t, len(part.Lines), 1000)
		require.Greater(t, part.NextLine, next)
		if next = part.NextLine; part.End {
			break
		}
	}
	require.Len(t, found, 12_345/7)
	for i, line := range found {
		require.Equal(t, 7*(i+1), line)
	}
	require.Equal(t, api.RunLogMatches{Lines: []int{12_345}, NextLine: 12_346, End: true}, find("q=line+12345"))
	require.Equal(t, api.RunLogMatches{Lines: []int{}, NextLine: 12_346, End: true}, find("q=nowhere"))
	require.Equal(t, api.RunLogMatches{Lines: []int{}, NextLine: 1, End: true}, find("q="))
	b.admin.do("GET", fmt.Sprintf("/runs/%d/log/matches?q=%s", run, strings.Repeat("x", 201)), "").refused(422, "query.q")
}
