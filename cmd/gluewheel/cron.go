package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
	_ "time/tzdata" // zones by name on machines and in images without a zone database

	"github.com/gluewheel/gluewheel/admin/cron"
)

// cronCmd answers questions about cron expressions, without a server.
type cronCmd struct {
	Next cronNextCmd `cmd:"" help:"Print when an expression fires next, with its meaning and what is odd about it."`
}

// Limits of one question.
const (
	maxCronFires = 10_000
	maxCronLine  = 1 << 20 // bytes
)

type cronNextCmd struct {
	Expr  string `arg:"" optional:"" help:"The expression, quoted: 6 or 7 fields Quartz, 5 fields crontab, or @daily and the like."`
	TZ    string `name:"tz" placeholder:"ZONE" help:"IANA name of the time zone, such as Asia/Shanghai; default UTC."`
	From  string `placeholder:"TIME" help:"Where to start, exclusive, as 2026-01-02, 2026-01-02T15:04:05 or with an offset; default now."`
	N     int    `short:"n" default:"5" help:"How many fires to print."`
	DST   string `name:"dst" enum:"xxl,run-once" default:"xxl" help:"A time that the clock skips: never (xxl), or once right after the gap (run-once)."`
	Lang  string `enum:"both,en,zh-CN" default:"both" help:"Language of the sentence and the warnings: both, en or zh-CN."`
	JSONL bool   `name:"jsonl" help:"Read {\"expr\",\"tz\",\"from_ms\",\"n\"} lines from stdin and answer each with {\"next_ms\":[…]} or {\"error\":\"…\"}."`
}

// Run answers one expression, or with --jsonl as many as stdin has.
func (c *cronNextCmd) Run(s *streams) error {
	if c.JSONL {
		if c.Expr != "" {
			return errors.New("with --jsonl the expressions come from stdin, not as an argument")
		}
		// Nothing has to be wound down, and a read from a terminal cannot be cancelled.
		signal.Reset(os.Interrupt, syscall.SIGTERM)
		return c.answerLines(s.in, s.out)
	}
	if c.Expr == "" {
		return errors.New(`an expression is missing, such as "0 0 9 ? * MON-FRI"`)
	}
	return c.explain(s.out)
}

// explain is the answer for people.
func (c *cronNextCmd) explain(w io.Writer) error {
	loc, err := cron.Location(c.TZ, time.UTC)
	if err != nil {
		return err
	}
	from, err := c.start(loc)
	if err != nil {
		return err
	}
	if err := checkCount(c.N); err != nil {
		return err
	}
	schedule, err := cron.Parse(c.Expr, cron.Options{Location: loc, DST: cron.DST(c.DST)})
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	if err := c.describe(out, schedule); err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%s, after %s:\n", loc, from.In(loc).Format(time.RFC3339))
	fires := cron.Upcoming(schedule, from, c.N)
	for _, fire := range fires {
		fmt.Fprintln(out, fire.In(loc).Format("2006-01-02 15:04:05 -07:00 Mon"))
	}
	if len(fires) < c.N {
		fmt.Fprintln(out, "and never again")
	}
	return out.Flush()
}

// describe says when it fires, and what may surprise about that, in the languages asked
// for.
func (c *cronNextCmd) describe(w io.Writer, s *cron.Schedule) error {
	languages := []cron.Language{cron.Language(c.Lang)}
	if c.Lang == "both" {
		languages = []cron.Language{cron.English, cron.Chinese}
	}
	for _, lang := range languages {
		sentence, err := cron.Describe(c.Expr, lang)
		if err != nil {
			return err
		}
		fmt.Fprintln(w, sentence)
		for _, warning := range s.Warnings() {
			fmt.Fprintln(w, "  ! "+warning.Text(lang))
		}
	}
	return nil
}

// start reads --from; without an offset it is a wall time in the zone.
func (c *cronNextCmd) start(loc *time.Location) (time.Time, error) {
	if c.From == "" {
		return time.Now(), nil
	}
	if t, err := time.Parse(time.RFC3339, c.From); err == nil {
		return t, nil
	}
	for _, layout := range []string{"2006-01-02T15:04:05", time.DateTime, time.DateOnly} {
		if t, err := time.ParseInLocation(layout, c.From, loc); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("--from %q is not a time; write 2026-01-02T15:04:05 or 2026-01-02T15:04:05+08:00", c.From)
}

func checkCount(n int) error {
	if n < 1 || n > maxCronFires {
		return fmt.Errorf("n is %d; it must be 1 to %d", n, maxCronFires)
	}
	return nil
}

// cronQuestion is a line of input. What is missing is taken from the flags.
type cronQuestion struct {
	Expr   string `json:"expr"`
	TZ     string `json:"tz"`
	FromMS *int64 `json:"from_ms"`
	N      int    `json:"n"`
}

// cronAnswer is a line of output: one of the two.
type cronAnswer struct {
	NextMS []int64 `json:"next_ms,omitzero"`
	Error  string  `json:"error,omitempty"`
}

// answerLines answers line by line. The encoder writes each at once, so that another
// program can ask and wait for the answer.
func (c *cronNextCmd) answerLines(r io.Reader, w io.Writer) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxCronLine)
	answers := json.NewEncoder(w)
	answers.SetEscapeHTML(false)
	for lines.Scan() {
		next, err := c.answer(lines.Bytes())
		a := cronAnswer{NextMS: next}
		if err != nil {
			a.Error = err.Error()
		}
		if err := answers.Encode(a); err != nil {
			return fmt.Errorf("write answer: %w", err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read questions: %w", err)
	}
	return nil
}

func (c *cronNextCmd) answer(line []byte) ([]int64, error) {
	var q cronQuestion
	if err := json.Unmarshal(line, &q); err != nil {
		return nil, fmt.Errorf("not a question: %w", err)
	}
	n := cmp.Or(q.N, c.N)
	if err := checkCount(n); err != nil {
		return nil, err
	}
	loc, err := cron.Location(cmp.Or(q.TZ, c.TZ), time.UTC)
	if err != nil {
		return nil, err
	}
	from, err := c.start(loc)
	if err != nil {
		return nil, err
	}
	if q.FromMS != nil {
		from = time.UnixMilli(*q.FromMS)
	}
	schedule, err := cron.Parse(q.Expr, cron.Options{Location: loc, DST: cron.DST(c.DST)})
	if err != nil {
		return nil, err
	}
	next := []int64{}
	for _, fire := range cron.Upcoming(schedule, from, n) {
		next = append(next, fire.UnixMilli())
	}
	return next, nil
}
