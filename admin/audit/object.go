package audit

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"unicode"
)

// Object describes a thing by its type and its fields ID, Name and GroupID, or what
// stands for them. A pointer is looked through.
func Object(v any) Change {
	r := reflect.Indirect(reflect.ValueOf(v))
	if !r.IsValid() || r.Kind() != reflect.Struct {
		return Change{}
	}
	c := Change{Object: kind(r.Type().Name()), ID: field(r, "ID", "Digest"), Name: field(r, "Name", "JobName", "Title", "Username")}
	if g := r.FieldByName("GroupID"); g.IsValid() {
		for g.Kind() == reflect.Pointer && !g.IsNil() {
			g = g.Elem()
		}
		if g.CanInt() {
			c.GroupID = int32(g.Int())
		}
	}
	return c
}

// Became adds the object that a change made or left behind.
func Became(ctx context.Context, object any) {
	if Of(ctx) == nil {
		return
	}
	c := Object(object)
	c.After = object
	Record(ctx, c)
}

// kind is what a type is called in the audit log: job, alarm_rule, and run for RunSummary.
func kind(name string) string {
	var b strings.Builder
	for i, r := range strings.TrimSuffix(name, "Summary") {
		if i > 0 && unicode.IsUpper(r) && !unicode.IsUpper(rune(name[i-1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// field is the first of the fields that a struct has, as text.
func field(v reflect.Value, names ...string) string {
	for _, name := range names {
		if f := v.FieldByName(name); f.IsValid() {
			return fmt.Sprint(f.Interface())
		}
	}
	return ""
}
