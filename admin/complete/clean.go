package complete

import (
	"strings"
	"unicode/utf8"

	"github.com/gluewheel/gluewheel/admin/job"
)

const (
	// maxMessage is in characters; XXL-JOB's admin keeps as many.
	maxMessage = 15000
	// maxTail is in bytes, of the end of a failed run's log.
	maxTail = 64 << 10
)

// clean makes a result storable: PostgreSQL takes neither NUL nor invalid UTF-8.
func clean(e job.Ending) job.Ending {
	e.Message = firstRunes(text(e.Message), maxMessage)
	e.Reason = text(e.Reason)
	if e.LogTail != nil {
		tail := lastBytes(text(*e.LogTail), maxTail)
		e.LogTail = &tail
	}
	if !e.State.Terminal() {
		e.State = job.Failed
	}
	return e
}

func text(s string) string {
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "")
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

func firstRunes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// lastBytes keeps the end of s, cut at the border of a character.
func lastBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = s[len(s)-n:]
	for len(s) > 0 && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	return s
}
