package cron

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestParse_SameAs pairs what upstream tolerates with what it takes it for.
func TestParse_SameAs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ expr, same string }{
		// steps and lists
		{"/5 * * * * ?", "*/5 * * * * ?"},
		{"*/0 * * * * ?", "* * * * * ?"},
		{"*/-5 * * * * ?", "* * * * * ?"},
		{"*/+5 * * * * ?", "*/5 * * * * ?"},
		{"7/0 * * * * ?", "7 * * * * ?"},
		{"7-9/0 * * * * ?", "7 * * * * ?"},
		{"7-9/600 * * * * ?", "7 * * * * ?"},
		{"7-9/2147483647 * * * * ?", "7 * * * * ?"},
		{"0,,5, * * * * ?", "0,5 * * * * ?"},
		// wrapping
		{"0 0 22-3/2 * * ?", "0 0 0,2,22 * * ?"},
		{"0 0 0 30-3 * ?", "0 0 0 30,31,1,2,3 * ?"},
		{"0 0 0 1 11-2 ?", "0 0 0 1 1,2,11,12 ?"},
		{"0 0 0 ? * 6-2", "0 0 0 ? * FRI,SAT,SUN,MON"},
		{"0 0 0 ? * 5-0", "0 0 0 ? * 5-7"},
		// names
		{"0 0 0 1 january ?", "0 0 0 1 1 ?"},
		{"0 0 0 1 JAN/3 ?", "0 0 0 1 1 ?"},
		{"0 0 0 ? * MON-FRI/2", "0 0 0 ? * 2-6"},
		{"0 0 0 ? * MONDAY-FRIDAY", "0 0 0 ? * 2"},
		{"0 0 0 ? * FRI-MONL", "0 0 0 ? * 6-2"},
		// ignored characters
		{"5abc * * * * ?", "5 * * * * ?"},
		{"0 0 8，20 * * ?", "0 0 8 * * ?"},
		{"0 0 0 1-5W * ?", "0 0 0 1-5 * ?"},
		{"0 0 0 15W20 * ?", "0 0 0 15W * ?"},
		{"0 0 0 ? * 2-6L", "0 0 0 ? * 2-6"},
		{"0 0 0 ? * 6LX", "0 0 0 ? * 6L"},
		{"0 0 0 ? * LW", "0 0 0 ? * 7"},
		{"0 0 0 ? * L-3", "0 0 0 ? * 7"},
		{"*5 * * * * ?", "* * * * * ?"},
		{"5-10-15 * * * * ?", "5-10 * * * * ?"},
		{"5/10/15 * * * * ?", "5/10 * * * * ?"},
		{"5-10/2x * * * * ?", "5-10/2 * * * * ?"},
		{"0 0 0 * * ?x", "0 0 0 * * ?"},
		{"0 0 0 * * ?，", "0 0 0 * * ?"},
		{"0 0 0 1 L,5 ?", "0 0 0 1 5 ?"},
		// marks
		{"99 * * * * ?", "* * * * * ?"},
		{"5,99 * * * * ?", "* * * * * ?"},
		{"99/7 * * * * ?", "*/7 * * * * ?"},
		{"99-7/2 * * * * ?", "0-7/2 * * * * ?"},
		{"0 0 0 98 * 2", "0 0 0 ? * 2"},
		{"0 0 0 ?,5 * 2", "0 0 0 ? * 2"},
		{"0 0 0 5 * 98", "0 0 0 5 * ?"},
		// days
		{"0 0 0 L-0 * ?", "0 0 0 L * ?"},
		{"0 0 0 l-03w * ?", "0 0 0 L-3W * ?"},
		{"0 0 0 L-W * ?", "0 0 0 LW * ?"},
		{"0 0 0 ? * 6#03", "0 0 0 ? * FRI#3"},
		{"0 0 0 ? * 2,6#3", "0 0 0 ? * MON#3"},
		{"0 0 0 ? * MON,FRI#2", "0 0 0 ? * MON#2"},
		{"0 0 0 ? * 0#2", "0 0 0 ? * SAT#2"},
		{"0 0 0 ? * L", "0 0 0 ? * SAT"},
		{"0 0 0 00W,15W * ?", "0 0 0 15W * ?"},
		// years and white space
		{"0 0 0 1 1 ? /5", "0 0 0 1 1 ? 1970/5"},
		{"0 0 0 1 1 ? 2100-2147483647", "0 0 0 1 1 ? 2100-2126"},
		{"0 0 0 1 1 ? 2100-2147483647/2147483647", "0 0 0 1 1 ? 2100"},
		{"0 0 0 1 1 ? 2030x", "0 0 0 1 1 ? 2030"},
		{"\t 0  0 0 1 1\t?\r\n", "0 0 0 1 1 ?"},
	} {
		got, err := readQuartz(c.expr)
		require.NoError(t, err, c.expr)
		want, err := readQuartz(c.same)
		require.NoError(t, err, c.same)
		require.Equal(t, want.spec, got.spec, "%q and %q", c.expr, c.same)
	}
}

func TestParse_NeverFires(t *testing.T) {
	t.Parallel()
	for _, expr := range []string{
		"0 0 0 30 2 ?", "0 0 0 30W 2 ?", "0 0 0 0W * ?", "0 0 0 , * ?", "0 0 0 * * ? ,", "0 0 0 * * ? L",
		"0 0 0 * * ? \r\n", "0 0 0 ? * 9#3", "0 0 0 ? * 8#1", "0 0 0 1 1 ? 1", "0 0 0 1 1 ? 3000", "0 0 0 98-5 * ?",
	} {
		s := mustParse(t, expr, Options{Location: zone(t, "Europe/Berlin")})
		require.True(t, s.Next(time.Time{}).IsZero(), expr)
		require.Contains(t, s.Warnings(), Warning{Code: NeverFires}, expr)
	}
}

func TestParse_Refuses(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0,", 600) + "0 * * * * ?"
	for _, c := range []struct{ expr, field, contains string }{
		{"", "", "found 0 fields"},
		{"0 0 12 1", "", "found 4 fields"},
		{"0 0 12 * * ? * *", "", "found 8 fields"},
		{"0　0　12　*　*　?", "", "found 1 fields"},
		{long, "", "longer than"},
		{"* * * * * *", "", "both set; write ?"},
		{"0 0 12 ? * ?", "", "both ?"},
		{"0 0 12 ?,1 * 2,98", "", "both ?"},
		{"? 0 12 * * ?", "second", "write *"},
		{"0 0 12 * * ?ab", "day of week", "stands alone"},
		{"60 * * * * ?", "second", "0 to 59"},
		{"0 0-60 * * * ?", "minute", "0 to 59"},
		{"0 0 24 * * ?", "hour", "0 to 23"},
		{"0 0 0 32 * ?", "day of month", "1 to 31"},
		{"0 0 0 ? * 0", "day of week", "1 to 7"},
		{"0 0 0 ? * 8L", "day of week", "1 to 7"},
		{"*/60 * * * * ?", "second", "at most 59"},
		{"0/60 * * * * ?", "second", "at most 59"},
		{"0 0 */24 * * ?", "hour", "at most 23"},
		{"0 0 0 ? * */8", "day of week", "at most 7"},
		{"*/x * * * * ?", "second", "comes a number"},
		{"*/5x * * * * ?", "second", "comes a number"},
		{"*/ * * * * ?", "second", "comes a number"},
		{"1/x * * * * ?", "second", "missing"},
		{"1/5x * * * * ?", "second", "followed by"},
		{"5- * * * * ?", "second", "missing"},
		{"99999999999 * * * * ?", "second", "missing"},
		{"MON * * * * ?", "second", "write numbers"},
		{"L * * * * ?", "second", "day field"},
		{"0 0 0 1 FOO ?", "month", "JAN to DEC"},
		{"0 0 0 ? * MON-5", "day of week", "SUN to SAT"},
		{"0 0 0 ? * 2-FRI", "day of week", "missing"},
		{"0 0 0 ? * UNM", "day of week", "SUN to SAT"},
		{"0 0 0 LX * ?", "day of month", "write numbers"},
		{"0 0 0 L- * ?", "day of month", "missing"},
		{"0 0 0 L-31 * ?", "day of month", "at most 30"},
		{"0 0 0 32W * ?", "day of month", "31 days"},
		{"0 0 0 6L * ?", "day of month", "L-3"},
		{"0 5W 0 * * ?", "minute", "day of month"},
		{"0 5#2 0 * * ?", "minute", "day of week"},
		{"0 0 0 ? * 6L,2", "day of week", "list"},
		{"0 0 0 ? * 6#3,2#1", "day of week", "only one #"},
		{"0 0 0 ? * 6#6", "day of week", "1 to 5"},
		{"0 0 0 ? * FRI#2L", "day of week", "1 to 5"},
		{", * * * * ?", "second", "no value"},
		{"0 0 0 1 L ?", "month", "no value"},
		{"0 0 0 ? * ,", "day of week", "no value"},
		{"0 0 0 1 1 ? 2030-2026", "year", "backwards"},
		{"0 0 0 1 1 ? 2200/2", "year", "last year"},
		{"0 0 0 一 * ?", "day of month", "unexpected"},
		{"TZ=UTC * * * * *", "", "time zone"},
		{"TZ=Asia/Tokyo\t* * * *", "", "time zone"},
		{"cron_tz=UTC * * * *", "", "time zone"},
		{"@every 10ms", "", "one second"},
		{"@every -5s", "", "one second"},
		{"@every x", "", "invalid duration"},
		{"@fortnightly", "", "unrecognized"},
		{", * * * *", "minute", "commas"},
		{"* * * * 7", "", "above maximum"},
	} {
		s, err := Parse(c.expr, Options{})
		require.Error(t, err, c.expr)
		require.Nil(t, s, c.expr)
		typed, ok := errors.AsType[*Error](err)
		require.True(t, ok, c.expr)
		require.Equal(t, c.field, typed.Field, c.expr)
		require.Contains(t, typed.Message, c.contains, c.expr)
	}
}

func TestParse_RefusesUnknownPolicy(t *testing.T) {
	t.Parallel()
	_, err := Parse("* * * * * ?", Options{DST: "twice"})
	require.ErrorContains(t, err, "run-once")
}

func TestParse_Warns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		expr string
		want []Warning
	}{
		{"0 0 12 * * ?", nil},
		{"5abc * * * * ?", []Warning{{IgnoredCharacters, "second", "5ABC", "5"}}},
		{"99 * * * * ?", []Warning{{ReadAs, "second", "99", "*"}}},
		{"0 0 0 15W * ?", []Warning{{NearestWeekday, "day of month", "15W", ""}}},
		{"0 0 0 28,L-1 * ?", []Warning{{HiddenInFebruary, "day of month", "28,L-1", ""}}},
		{"0 0 0 15,L * ?", nil},
		{"0 0 0 ? * 2,6#3", []Warning{{SmallestWeekday, "day of week", "2,6#3", ""}}},
		{"0 9 1 * 1", []Warning{{Code: EitherDay}}},
		{"? 9 1 * *", []Warning{{ReadAs, "minute", "?", "*"}}},
		{"@every 1500ms", []Warning{{ReadAs, "@every", "1.5s", "1s"}}},
	} {
		got := mustParse(t, c.expr, Options{}).Warnings()
		require.Equal(t, c.want, got, c.expr)
		for _, w := range got {
			require.NotEqual(t, w.Text(English), w.Text(Chinese), c.expr)
			require.NotContains(t, w.Text(English)+w.Text(Chinese), string(w.Code), "each code has its sentence")
		}
	}
}

// FuzzParse feeds what strangers write: nothing panics, and what is accepted fires
// in order.
func FuzzParse(f *testing.F) {
	for _, expr := range append([]string{
		"TZ=", "CRON_TZ=UTC", "@every 1h", "@every 9999999h", "0 0 0 L-3W,15,2W * ?", "0 0 9 5W,20W,LW * ?",
		"99/5 98-99 * 98 * 2", "0 0 0 ? * 98#2", "0 0 0 1 1 ? 2147483647/2147483647", "? ? ? ? ?", "0 0 12 * * ?\x00",
	}, common...) {
		f.Add(expr, int64(1_770_000_000))
	}
	loc := zone(f, "America/New_York")
	f.Fuzz(func(t *testing.T, expr string, from int64) {
		s, err := Parse(expr, Options{Location: loc})
		if err != nil {
			_, ok := errors.AsType[*Error](err)
			require.True(t, ok)
			require.NotEmpty(t, err.Error())
			return
		}
		for _, lang := range []Language{English, Chinese} {
			sentence, err := Describe(expr, lang)
			require.NoError(t, err)
			require.NotEmpty(t, sentence)
		}
		last := time.Unix(from, 0)
		for _, fire := range Upcoming(s, last, 3) {
			require.True(t, fire.After(last))
			require.Zero(t, fire.Nanosecond())
			last = fire
		}
	})
}
