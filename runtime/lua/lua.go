package lua

import (
	"bytes"
	"errors"
	"fmt"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"

	"github.com/gluewheel/gluewheel/runtime"
)

// Type is the glue type of Lua jobs.
const Type = "GLUE_LUA"

// chunk is the name of a job's source in messages and stacks.
const chunk = "job.lua"

// Check tells whether source is Lua, and if not, where it goes wrong. It needs memory
// in proportion to the source, and deep nesting needs much: check what strangers wrote
// in a sandbox worker.
func Check(source string) *runtime.InvalidError {
	_, err := compile([]byte(source))
	return err
}

// compile makes a function of source.
func compile(source []byte) (proto *lua.FunctionProto, invalid *runtime.InvalidError) {
	defer func() {
		if cause := recover(); cause != nil { // the parser panics on some input
			proto, invalid = nil, &runtime.InvalidError{Message: fmt.Sprintf("the source cannot be compiled: %v", cause)}
		}
	}()
	statements, err := parse.Parse(bytes.NewReader(withoutShebang(source)), chunk)
	if err == nil {
		proto, err = lua.Compile(statements, chunk)
	}
	if err != nil {
		return nil, invalidError(err, source)
	}
	return proto, nil
}

// withoutShebang blanks a first line that is for a shell, keeping line numbers.
func withoutShebang(source []byte) []byte {
	source = bytes.TrimPrefix(source, []byte("\uFEFF"))
	if bytes.HasPrefix(source, []byte("#")) {
		return source[max(bytes.IndexByte(source, '\n'), 0):]
	}
	return source
}

func invalidError(err error, source []byte) *runtime.InvalidError {
	if syntax, ok := errors.AsType[*parse.Error](err); ok {
		invalid := &runtime.InvalidError{Line: syntax.Pos.Line, Column: max(syntax.Pos.Column, 1)}
		near := fmt.Sprintf("near '%s'", syntax.Token)
		if syntax.Pos.Line == parse.EOF {
			invalid.Line, invalid.Column = bytes.Count(source, []byte{'\n'})+1, 1
			near = "at the end of the source"
		}
		invalid.Message = fmt.Sprintf("line %d: %s %s", invalid.Line, syntax.Message, near)
		return invalid
	}
	if compilation, ok := errors.AsType[*lua.CompileError](err); ok && compilation.Line > 0 {
		return &runtime.InvalidError{
			Line:    compilation.Line,
			Column:  1,
			Message: fmt.Sprintf("line %d: %s", compilation.Line, compilation.Message),
		}
	}
	return &runtime.InvalidError{Message: err.Error()}
}
