package hostapi

import (
	"fmt"
	"maps"
	"strconv"
)

// Args are the plain arguments of a call. Missing ones are nil.
type Args []any

// Text is argument i, which must be text or a number.
func (a Args) Text(i int) (string, error) {
	switch v := a.at(i).(type) {
	case string:
		return v, nil
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	default:
		return "", fmt.Errorf("argument %d must be text, not %s", i+1, kindOf(v))
	}
}

// TextOr is Text, or fallback if the argument is missing.
func (a Args) TextOr(i int, fallback string) (string, error) {
	if a.at(i) == nil {
		return fallback, nil
	}
	return a.Text(i)
}

// Number is argument i, which must be a number or text that reads as one.
func (a Args) Number(i int) (float64, error) {
	switch v := a.at(i).(type) {
	case float64:
		return v, nil
	case string:
		if n, err := strconv.ParseFloat(v, 64); err == nil {
			return n, nil
		}
	}
	return 0, fmt.Errorf("argument %d must be a number, not %s", i+1, kindOf(a.at(i)))
}

// Fields is argument i, which must be a table with names, a copy of it. A missing
// argument has none.
func (a Args) Fields(i int) (map[string]any, error) {
	switch v := a.at(i).(type) {
	case nil:
		return make(map[string]any), nil
	case map[string]any:
		return maps.Clone(v), nil
	default:
		return nil, fmt.Errorf("argument %d must be a table with names, not %s", i+1, kindOf(v))
	}
}

func (a Args) at(i int) any {
	if i < len(a) {
		return a[i]
	}
	return nil
}

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "nothing"
	case bool:
		return "a boolean"
	case float64:
		return "a number"
	case string:
		return "text"
	case []any:
		return "a list"
	default:
		return "a table"
	}
}
