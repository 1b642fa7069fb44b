package audit

import (
	"crypto/sha256"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"unicode/utf8"
)

const (
	// longText is the most bytes of a text that are kept whole; of longer ones, such as
	// sources, the digest is.
	longText = 2000
	// deepest bounds the nesting of what is encoded.
	deepest = 8
	// masked stands for what must not be told.
	masked = "(not shown)"
)

// secret matches the names of fields that are never told, beside those with the tag
// `audit:"-"`, and not those with the tag `audit:"told"`. A list of names of secrets is
// none.
var secret = regexp.MustCompile(`(?i)password|secret|token|credential|authorization|private_?key|webhook|sealed|^url$|_?hash$|^value$`)

// name matches what only sounds like a secret.
var name = regexp.MustCompile(`_ids?$|_set$`)

// Fields are the fields of a struct by their column names or JSON names, without
// secrets, with long texts cut down to their digest. Of anything else it is nil.
func Fields(v any) map[string]any {
	m, _ := encode(reflect.ValueOf(v), 0).(map[string]any)
	return m
}

func encode(v reflect.Value, depth int) any {
	for v.IsValid() && (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	if !v.IsValid() || depth > deepest {
		return nil
	}
	switch v.Interface().(type) {
	case json.Marshaler, encoding.TextMarshaler:
		return viaJSON(v.Interface(), depth)
	}
	switch v.Kind() {
	case reflect.Struct:
		out := map[string]any{}
		encodeStruct(out, v, depth)
		return out
	case reflect.Map:
		out := map[string]any{}
		for _, key := range v.MapKeys() {
			put(out, fmt.Sprint(key.Interface()), v.MapIndex(key), depth)
		}
		return out
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return cut(string(v.Bytes()))
		}
		out := make([]any, v.Len())
		for i := range out {
			out[i] = encode(v.Index(i), depth+1)
		}
		return out
	case reflect.String:
		return cut(v.String())
	case reflect.Func, reflect.Chan:
		return nil
	default:
		return v.Interface()
	}
}

// viaJSON encodes what has its own JSON, such as times and raw messages.
func viaJSON(v any, depth int) any {
	text, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	var plain any
	if json.Unmarshal(text, &plain) != nil {
		return nil
	}
	switch plain := plain.(type) {
	case map[string]any, []any, string:
		return encode(reflect.ValueOf(plain), depth+1)
	default:
		return plain
	}
}

func encodeStruct(out map[string]any, v reflect.Value, depth int) {
	t := v.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		key := nameOf(f)
		switch {
		case f.Anonymous && key == "" && f.Type.Kind() == reflect.Struct:
			encodeStruct(out, v.Field(i), depth)
		case !f.IsExported() || key == "-" || f.Tag.Get("audit") == "-":
		case key == "":
			put(out, kind(f.Name), v.Field(i), depth)
		case f.Tag.Get("audit") == "told":
			out[key] = encode(v.Field(i), depth+1)
		default:
			put(out, key, v.Field(i), depth)
		}
	}
}

func nameOf(f reflect.StructField) string {
	if column := f.Tag.Get("db"); column != "" {
		return column
	}
	key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return key
}

func put(out map[string]any, key string, v reflect.Value, depth int) {
	value := encode(v, depth+1)
	if _, list := value.([]any); !list && secret.MatchString(key) && !name.MatchString(key) {
		if value == nil || value == "" {
			return
		}
		value = masked
	}
	out[key] = value
}

func cut(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "?"), "\x00", "?")
	if len(s) <= longText {
		return s
	}
	return fmt.Sprintf("(%d bytes, %d characters, sha256:%x)", len(s), utf8.RuneCountInString(s), sha256.Sum256([]byte(s)))
}

// bookkeeping moves with every write and tells nothing.
var bookkeeping = map[string]bool{"version": true, "updated_at": true, "base_version": true}

// difference is what of two states is worth keeping: when both are known, the fields
// that differ. An input says nothing of fields that it leaves out.
func difference(before, after map[string]any, input bool) (b, a json.RawMessage) {
	if before == nil || after == nil {
		return text(before), text(after)
	}
	was, is := map[string]any{}, map[string]any{}
	for key, value := range after {
		old, known := before[key]
		if bookkeeping[key] || known && same(old, value) {
			continue
		}
		is[key] = value
		if known {
			was[key] = old
		}
	}
	for key, value := range before {
		if _, still := after[key]; !still && !input && !bookkeeping[key] {
			was[key] = value
		}
	}
	return text(was), text(is)
}

func same(a, b any) bool { return string(text(a)) == string(text(b)) }

func text(v any) json.RawMessage {
	if m, ok := v.(map[string]any); ok && m == nil {
		return nil
	}
	out, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return out
}
