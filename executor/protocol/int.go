package protocol

import (
	"fmt"
	"strconv"
)

// Int is an integer that may arrive as a JSON number, as a string, or as null (0),
// as Java's reader takes it. It is written as a number.
type Int int64

// UnmarshalJSON accepts 7, "7", 7.0 and null.
func (i *Int) UnmarshalJSON(b []byte) error {
	s := string(b)
	if s == "null" || s == `""` {
		*i = 0
		return nil
	}
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		s = s[1 : len(s)-1]
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		*i = Int(n)
		return nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f != float64(int64(f)) {
		return fmt.Errorf("%q is not a whole number", s)
	}
	*i = Int(f)
	return nil
}
