package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
)

// jsonFormat is JSON as this API reads and writes it.
var jsonFormat = huma.Format{Marshal: huma.DefaultJSONFormat.Marshal, Unmarshal: unmarshal}

// inputError is an error of decoding. huma keeps its text only, and takes the whole
// body for its place; tidyDetail finds the true one at the beginning of the text.
type inputError struct {
	place   string // such as body.name
	message string // a sentence with the fix
}

func (e *inputError) Error() string { return e.place + ": " + e.message }

// unmarshal is stricter than encoding/json, and says where the mistake is. huma calls
// it twice: with an *any, to check the value against the schema, and with the type itself.
func unmarshal(data []byte, v any) error {
	if !utf8.Valid(data) {
		return &inputError{"body", "This is not valid UTF-8. Send it in that encoding."}
	}
	err := json.Unmarshal(data, v)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		line := 1 + strings.Count(string(data[:syntax.Offset]), "\n")
		return &inputError{"body", fmt.Sprintf("This is not JSON: line %d: %s.", line, syntax.Error())}
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return &inputError{"body." + withoutTypes(wrong.Field), fmt.Sprintf("A %s does not fit here. Use a smaller one.", wrong.Value)}
	}
	if err != nil {
		return &inputError{"body", err.Error()}
	}
	if tree, ok := v.(*any); ok {
		return checkTree("body", *tree)
	}
	return nil
}

// withoutTypes takes embedded types out of a path: encoding/json names them, and they
// are no level of the JSON.
func withoutTypes(path string) string {
	names := slices.DeleteFunc(strings.Split(path, "."), func(name string) bool { return name == "" || unicode.IsUpper(rune(name[0])) })
	return strings.Join(names, ".")
}

// checkTree refuses what the schema check lets through: NUL characters, which
// PostgreSQL cannot store, and field names in another case, which encoding/json takes
// for the right ones.
func checkTree(at string, v any) error {
	switch v := v.(type) {
	case string:
		if strings.ContainsRune(v, 0) {
			return &inputError{at, "This contains a NUL character. Remove it."}
		}
	case []any:
		for i, item := range v {
			if err := checkTree(fmt.Sprintf("%s[%d]", at, i), item); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, item := range v {
			if strings.ContainsFunc(name, func(r rune) bool { return unicode.ToLower(r) != r || r == 0 }) {
				return &inputError{at + "." + strings.ReplaceAll(name, "\x00", ""), "There is no such field: names are in small letters. Correct it."}
			}
			if err := checkTree(at+"."+name, item); err != nil {
				return err
			}
		}
	}
	return nil
}
