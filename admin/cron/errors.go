package cron

import (
	"fmt"
	"strconv"
)

// Error says which part of an expression is wrong and how to mend it.
type Error struct {
	Field   string // such as "day of month"; empty when the whole expression is meant
	Value   string // the offending text
	Message string // what is wrong and the fix
}

func (e *Error) Error() string {
	switch {
	case e.Field == "" && e.Value == "":
		return e.Message
	case e.Field == "":
		return strconv.Quote(e.Value) + ": " + e.Message
	case e.Value == "":
		return e.Field + ": " + e.Message
	}
	return fmt.Sprintf("%s %q: %s", e.Field, e.Value, e.Message)
}
