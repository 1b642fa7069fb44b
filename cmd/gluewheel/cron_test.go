package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// runCron gives the exit code and what was printed on stdout and stderr.
func runCron(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(context.Background(), append([]string{"cron", "next"}, args...),
		&streams{in: strings.NewReader(stdin), out: &out, err: &errs})
	return code, out.String(), errs.String()
}

func TestCronNext_Explains(t *testing.T) {
	t.Parallel()
	code, out, _ := runCron(t, "", "0 30 2 ? * SUN,2X", "--tz", "America/New_York", "--from", "2026-03-07", "-n", "2")
	require.Equal(t, exitOK, code)
	require.Equal(t, `At 02:30, on Sunday and Monday.
  ! day of week: characters of "2X" are ignored; it reads as "2".
每周日、周一，02:30 执行。
  ! 周:"2X" 中有字符被忽略，按 "2" 处理。

America/New_York, after 2026-03-07T00:00:00-05:00:
2026-03-09 02:30:00 -04:00 Mon
2026-03-15 02:30:00 -04:00 Sun
`, out)

	code, out, _ = runCron(t, "", "0 30 2 8 3 ? 2026", "--tz", "America/New_York", "--from", "2026-03-07T10:00:00Z", "--dst", "run-once", "--lang", "en")
	require.Equal(t, exitOK, code)
	require.Equal(t, `At 02:30, on day 8 of the month, in March, in 2026.

America/New_York, after 2026-03-07T05:00:00-05:00:
2026-03-08 03:00:00 -04:00 Sun
and never again
`, out)
}

func TestCronNext_RefusesWithTheFix(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want string
		args       []string
	}{
		{"expression", "must be 0 to 59", []string{"61 * * * * ?"}},
		{"no expression", "is missing", nil},
		{"zone", "not a known time zone", []string{"* * * * *", "--tz", "Mars"}},
		{"start", "--from", []string{"* * * * *", "--from", "tomorrow"}},
		{"count", "1 to 10000", []string{"* * * * *", "-n", "0"}},
		{"both ways", "stdin", []string{"* * * * *", "--jsonl"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			code, out, errs := runCron(t, "", c.args...)
			require.Equal(t, exitFailed, code)
			require.Empty(t, out)
			require.Contains(t, errs, c.want)
		})
	}
}

func TestCronNext_JSONLines(t *testing.T) {
	t.Parallel()
	code, out, _ := runCron(t, `{"expr":"0 0 9 * * ?","tz":"Asia/Shanghai","from_ms":1768472430999,"n":2}
{"expr":"0 0 1 1 1 ? 2020","tz":"UTC","from_ms":1768472430000,"n":3}
{"expr":"61 * * * * ?","tz":"UTC","from_ms":0,"n":1}
{"expr":"* * * * * ?","tz":"Mars","from_ms":0,"n":1}
{"expr":"* * * * * ?","from_ms":0,"n":10001}
nonsense
{"expr":"*/5 * * * *","from_ms":1768472430000,"n":1}
`, "--jsonl")
	require.Equal(t, exitOK, code)
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	require.Len(t, lines, 7)
	require.JSONEq(t, `{"next_ms":[1768525200000,1768611600000]}`, lines[0])
	require.JSONEq(t, `{"next_ms":[]}`, lines[1])
	require.JSONEq(t, `{"error":"second \"61\": must be 0 to 59"}`, lines[2])
	require.Contains(t, lines[3], "not a known time zone")
	require.Contains(t, lines[4], "1 to 10000")
	require.Contains(t, lines[5], "not a question")
	require.JSONEq(t, `{"next_ms":[1768472700000]}`, lines[6])
}

// TestCronNext_AnswersAtOnce asks the second question only once the first is answered.
func TestCronNext_AnswersAtOnce(t *testing.T) {
	t.Parallel()
	questions, ask := io.Pipe()
	answers, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- (&cronNextCmd{N: 1}).answerLines(questions, out) }()
	buf := make([]byte, 256)
	for range 2 {
		_, err := io.WriteString(ask, `{"expr":"@hourly","from_ms":0}`+"\n")
		require.NoError(t, err)
		n, err := answers.Read(buf)
		require.NoError(t, err)
		require.Equal(t, `{"next_ms":[3600000]}`+"\n", string(buf[:n]))
	}
	require.NoError(t, ask.Close())
	require.NoError(t, <-ended)
}
