package api

import (
	"fmt"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// Time is an instant in JSON: RFC 3339 in UTC with milliseconds.
type Time struct{ time.Time }

const timeFormat = "2006-01-02T15:04:05.000Z"

func instant(t time.Time) Time { return Time{t} }

// instantOf keeps nil.
func instantOf(t *time.Time) *Time {
	if t == nil {
		return nil
	}
	return &Time{*t}
}

// timeOf keeps nil.
func timeOf(t *Time) *time.Time {
	if t == nil {
		return nil
	}
	return &t.Time
}

func instants(ts []time.Time) []Time {
	out := make([]Time, len(ts))
	for i, t := range ts {
		out[i] = Time{t}
	}
	return out
}

// MarshalText writes the instant in UTC with milliseconds.
func (t Time) MarshalText() ([]byte, error) {
	return []byte(t.UTC().Format(timeFormat)), nil
}

// MarshalJSON writes what MarshalText does; without it, time.Time's would be promoted.
func (t Time) MarshalJSON() ([]byte, error) {
	return []byte(`"` + t.UTC().Format(timeFormat) + `"`), nil
}

// UnmarshalText reads any RFC 3339 instant.
func (t *Time) UnmarshalText(text []byte) error {
	at, err := time.Parse(time.RFC3339, string(text))
	if err != nil {
		return fmt.Errorf("%q is not an instant such as 2026-01-02T15:04:05.000Z", text)
	}
	t.Time = at
	return nil
}

// UnmarshalJSON reads what UnmarshalText does, in quotes.
func (t *Time) UnmarshalJSON(text []byte) error {
	if len(text) < 2 || text[0] != '"' {
		return fmt.Errorf("%s is not an instant in quotes", text)
	}
	return t.UnmarshalText(text[1 : len(text)-1])
}

// Schema describes the type in the OpenAPI document.
func (Time) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time", Examples: []any{"2026-01-02T15:04:05.000Z"}}
}
