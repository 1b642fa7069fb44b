package runtime_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/runtime"
)

func TestOutput_Line(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", runtime.MaxLine+1)
	for name, c := range map[string]struct {
		text  string
		limit int64
		want  []string
	}{
		"one line":          {"a", 0, []string{"a"}},
		"line end":          {"a\n", 0, []string{"a"}},
		"several":           {"a\n\nb\r\n", 0, []string{"a", "", "b"}},
		"invalid UTF-8":     {"a\xffb", 0, []string{"a\uFFFDb"}},
		"a long one":        {long, 0, []string{long[:runtime.MaxLine], "x"}},
		"over the limit":    {"abc\nabcdef\nabc", 6, []string{"abc", "[log cut: the run wrote more than its limit of 6 bytes]"}},
		"just at the limit": {"abc\nabc", 8, []string{"abc", "abc"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			out := runtime.NewOutput(c.limit, func(line string) { got = append(got, line) })
			out.Line(c.text)
			require.Equal(t, c.want, got)
			require.LessOrEqual(t, out.Bytes(), max(c.limit, runtime.DefaultLogBytes))
		})
	}
}

func TestStream_CutsLinesHoweverTheyArrive(t *testing.T) {
	t.Parallel()
	const text = "first\nsecond with ü\r\n\nlast"
	for size := 1; size <= len(text); size++ {
		var got []string
		stream := runtime.NewOutput(0, func(line string) { got = append(got, line) }).Stream()
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			_, err := stream.Write([]byte(rest[:n]))
			require.NoError(t, err)
			rest = rest[n:]
		}
		stream.Flush()
		require.Equal(t, []string{"first", "second with ü", "", "last"}, got, "pieces of %d bytes", size)
	}
}

func TestStream_LineWithoutEndIsPassedOn(t *testing.T) {
	t.Parallel()
	var lines, bytes int
	stream := runtime.NewOutput(0, func(line string) { lines++; bytes += len(line) }).Stream()
	for range 10 {
		_, err := stream.Write([]byte(strings.Repeat("x", 10_000)))
		require.NoError(t, err)
	}
	require.Equal(t, 100_000/runtime.MaxLine, lines, "before the line ended")
	stream.Flush()
	require.Equal(t, 100_000, bytes)
}

func TestOutput_MasksSecrets(t *testing.T) {
	t.Parallel()
	var lines []string
	out := runtime.NewOutput(0, func(line string) { lines = append(lines, line) })
	out.Line("before: hunter2")
	for _, secret := range []string{"hunter2", "hunter2-long", "abc", "", "first line\nsecond line\n"} {
		out.Mask(secret)
	}
	out.Line("hunter2 and hunter2-long, not abc\nsecond line, first line")
	stream := out.Stream()
	_, err := stream.Write([]byte("in two wri"))
	require.NoError(t, err)
	_, err = stream.Write([]byte("tes: hunt"))
	require.NoError(t, err)
	_, err = stream.Write([]byte("er2\n"))
	require.NoError(t, err)
	require.Equal(t, []string{
		"before: hunter2", "*** and ***, not abc", "***, ***", "in two writes: ***",
	}, lines)
	require.Equal(t, "a *** in a message", out.Masked("a hunter2 in a message"))
}
