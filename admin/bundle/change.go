package bundle

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"go.yaml.in/yaml/v4"
)

// Kinds of what an import changes, and what it does to them.
const (
	KindGroup = "group"
	KindJob   = "job"
	KindGlue  = "glue"

	ActionCreate = "create"
	ActionUpdate = "update"
	ActionNone   = "none"
)

// Change is what an import does to one thing.
type Change struct {
	Kind   string
	Key    string // app_name, or app_name/job name
	Action string
	Diff   []Difference
	// Pending: the code waits for approval, and what was live before it still is.
	Pending bool
}

// Difference is a field that changes; nil is absent.
type Difference struct {
	Field         string
	Before, After any
}

// fieldsOf are the fields of a part of a bundle by their names in YAML, without those
// that have their default.
func fieldsOf(part any) map[string]any {
	text, err := yaml.Marshal(part)
	var out map[string]any
	if err == nil {
		err = yaml.Unmarshal(text, &out)
	}
	if err != nil { // parts are made of texts, numbers and lists
		return map[string]any{"": err}
	}
	return out
}

// differences compares by fields, in the order of their names.
func differences(before, after map[string]any) ([]Difference, error) {
	var out []Difference
	names := map[string]bool{}
	for _, m := range []map[string]any{before, after} {
		if err, failed := m[""].(error); failed {
			return nil, fmt.Errorf("compare: %w", err)
		}
		for name := range m {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !reflect.DeepEqual(before[name], after[name]) {
			out = append(out, Difference{name, before[name], after[name]})
		}
	}
	return out, nil
}

func equal(a, b map[string]any) bool { return reflect.DeepEqual(a, b) }
