package lua

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"

	lua "github.com/yuin/gopher-lua"
)

// maxNesting bounds tables within tables, which also ends cycles.
const maxNesting = 100

// nullValue stands for JSON's null, since nil cannot be stored in a table.
type nullValue struct{}

func newNull(l *lua.LState) *lua.LUserData {
	value := l.NewUserData()
	value.Value = nullValue{}
	meta := l.NewTable()
	meta.RawSetString("__tostring", l.NewFunction(func(l *lua.LState) int {
		l.Push(lua.LString("null"))
		return 1
	}))
	l.SetMetatable(value, meta)
	return value
}

func jsonEncode(l *lua.LState) int {
	encoded, err := encode(l.CheckAny(1))
	if err != nil {
		l.RaiseError("gw.json.encode: %s", err)
	}
	l.Push(lua.LString(encoded))
	return 1
}

// encode writes a table with items 1 to n and nothing else as an array, any other as
// an object, the empty one too.
func encode(v lua.LValue) (string, error) {
	plain, err := toPlain(v, 0)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(plain); err != nil {
		return "", err
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte{'\n'})), nil
}

func (g *Guest) jsonDecode(l *lua.LState) int {
	var plain any
	if err := json.Unmarshal([]byte(l.CheckString(1)), &plain); err != nil {
		l.RaiseError("gw.json.decode: %s", err)
	}
	l.Push(g.fromPlain(plain))
	return 1
}

// toPlain turns a Lua value into a plain one.
func toPlain(v lua.LValue, depth int) (any, error) {
	switch v := v.(type) {
	case *lua.LNilType:
		return nil, nil
	case lua.LBool:
		return bool(v), nil
	case lua.LString:
		return string(v), nil
	case lua.LNumber:
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return nil, fmt.Errorf("%v has no JSON form", float64(v))
		}
		return float64(v), nil
	case *lua.LUserData:
		if _, ok := v.Value.(nullValue); ok {
			return nil, nil
		}
	case *lua.LTable:
		if depth >= maxNesting {
			return nil, fmt.Errorf("tables are nested more than %d deep", maxNesting)
		}
		return tableToPlain(v, depth+1)
	}
	return nil, fmt.Errorf("a %s cannot leave Lua", v.Type())
}

func tableToPlain(table *lua.LTable, depth int) (any, error) {
	size := 0
	table.ForEach(func(lua.LValue, lua.LValue) { size++ })
	if length := table.Len(); length > 0 && length == size {
		items := make([]any, length)
		for i := range items {
			item, err := toPlain(table.RawGetInt(i+1), depth)
			if err != nil {
				return nil, fmt.Errorf("item %d: %w", i+1, err)
			}
			items[i] = item
		}
		return items, nil
	}
	fields := make(map[string]any, size)
	var failure error
	table.ForEach(func(k, v lua.LValue) {
		if failure != nil {
			return
		}
		if k.Type() != lua.LTString && k.Type() != lua.LTNumber {
			failure = fmt.Errorf("a %s cannot be a field's name", k.Type())
			return
		}
		value, err := toPlain(v, depth)
		if err != nil {
			failure = fmt.Errorf("field %s: %w", k, err)
			return
		}
		fields[k.String()] = value
	})
	return fields, failure
}

// fromPlain turns a plain value into a Lua one. Inside tables null takes nil's place,
// which would leave holes.
func (g *Guest) fromPlain(v any) lua.LValue {
	switch v := v.(type) {
	case bool:
		return lua.LBool(v)
	case float64:
		return lua.LNumber(v)
	case string:
		return lua.LString(v)
	case []any:
		table := g.state.CreateTable(len(v), 0)
		for i, item := range v {
			table.RawSetInt(i+1, g.itemFromPlain(item))
		}
		return table
	case map[string]any:
		table := g.state.CreateTable(0, len(v))
		for name, item := range v {
			table.RawSetString(name, g.itemFromPlain(item))
		}
		return table
	default:
		return lua.LNil
	}
}

func (g *Guest) itemFromPlain(v any) lua.LValue {
	if v == nil {
		return g.null
	}
	return g.fromPlain(v)
}
