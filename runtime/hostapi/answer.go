package hostapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
)

// Answer calls the function of gw that has that name, for engines whose guests pass
// values as JSON: arguments are an array of them, the answer is {"results":[…]} or
// {"error":"…"}. JSON holds no bytes but text, so a result that is not text is an error.
func Answer(ctx context.Context, h *Host, name, arguments string) []byte {
	results, err := callByName(ctx, h, name, arguments)
	var answer struct {
		Results []any  `json:"results,omitempty"`
		Error   string `json:"error,omitempty"`
	}
	if err != nil {
		answer.Error = fmt.Sprintf("gw.%s: %s", name, err)
	} else {
		answer.Results = results
	}
	encoded, err := json.Marshal(answer)
	if err != nil {
		return []byte(`{"error":"the answer cannot be encoded"}`)
	}
	return encoded
}

func callByName(ctx context.Context, h *Host, name, arguments string) ([]any, error) {
	functions := Functions()
	i := slices.IndexFunc(functions, func(f Function) bool { return f.Name == name })
	if i < 0 {
		return nil, errors.New("there is no such function")
	}
	var args Args
	if arguments != "" {
		if err := json.Unmarshal([]byte(arguments), &args); err != nil {
			return nil, errors.New("arguments must be a JSON array")
		}
	}
	results, err := functions[i].Call(ctx, h, args)
	if err == nil && !isText(results) {
		return nil, errNotText
	}
	return results, err
}

// errNotText is the failure of a call whose result is bytes.
var errNotText = errors.New("the result is not text; of http, ask for it with encoding base64")

// isText reports whether all texts within a plain value are valid.
func isText(v any) bool {
	switch v := v.(type) {
	case string:
		return utf8.ValidString(v)
	case []any:
		return !slices.ContainsFunc(v, func(item any) bool { return !isText(item) })
	case map[string]any:
		for _, item := range v {
			if !isText(item) {
				return false
			}
		}
	}
	return true
}
