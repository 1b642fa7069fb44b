package js

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/go-sourcemap/sourcemap"
	"modernc.org/quickjs"

	"github.com/gluewheel/gluewheel/runtime"
)

// program is a source that QuickJS can compile.
type program struct {
	source string // as it was written
	code   string
	places places
}

// prepare takes out the types, if there are some. An error is a *[runtime.InvalidError].
func prepare(source []byte, typeScript bool) (program, error) {
	text := strings.TrimPrefix(string(source), "\uFEFF")
	p := program{source: text, code: text, places: places{file: "job.js"}}
	if !typeScript {
		return p, nil
	}
	p.places.file = "job.ts"
	result := transform(text, api.LoaderTS)
	if len(result.Errors) > 0 {
		return p, refusal(result.Errors[0])
	}
	p.code = string(result.Code)
	if strings.TrimSpace(p.code) == "" { // there were types only, so there are no places either
		return p, nil
	}
	lines, err := sourcemap.Parse("", result.Map)
	if err != nil {
		return p, fmt.Errorf("read source map: %w", err)
	}
	p.places.lines = lines
	return p, nil
}

// transform has esbuild read a source. Nothing is left out that might have an effect or
// be the last statement's value.
func transform(source string, loader api.Loader) api.TransformResult {
	return api.Transform(source, api.TransformOptions{
		Loader:         loader,
		Target:         api.ES2023, // QuickJS's
		Sourcemap:      api.SourceMapExternal,
		SourcesContent: api.SourcesContentExclude,
		TreeShaking:    api.TreeShakingFalse,
		LogLevel:       api.LogLevelSilent,
		LogLimit:       1,
	})
}

// refusal is a syntax error that esbuild found.
func refusal(m api.Message) *runtime.InvalidError {
	invalid := &runtime.InvalidError{Message: m.Text}
	if m.Location != nil {
		invalid.Line, invalid.Column = m.Location.Line, m.Location.Column+1
		invalid.Message = fmt.Sprintf("line %d: %s", invalid.Line, m.Text)
	}
	return invalid
}

// refusal tells why QuickJS did not compile the program: in esbuild's words, which are
// better, unless it has no objection.
func (p program) refusal(err error) error {
	thrown, ok := errors.AsType[*quickjs.Error](err)
	if !ok {
		return fmt.Errorf("compile: %w", err)
	}
	// What is nested too deep for QuickJS would keep esbuild busy for long.
	if p.places.lines == nil && thrown.Message != "stack overflow" {
		if result := transform(p.source, api.LoaderJS); len(result.Errors) > 0 {
			return refusal(result.Errors[0])
		}
	}
	invalid := &runtime.InvalidError{Message: thrown.Error()}
	if thrown.LineNumber > 0 {
		invalid.Line, invalid.Column = p.places.at(thrown.LineNumber, thrown.ColumnNumber)
		invalid.Message = fmt.Sprintf("line %d: %s", invalid.Line, thrown.Message)
	}
	return invalid
}

// places knows where in the source a place in the code came from.
type places struct {
	file  string
	lines *sourcemap.Consumer // nil if the code is the source
}

func (p places) at(line, column int) (int, int) {
	if p.lines == nil {
		return line, column
	}
	if _, _, l, c, ok := p.lines.Source(line, column-1); ok {
		return l, c + 1
	}
	return line, column
}

// What QuickJS writes for a place in evaluated code, what people read there, and what
// QuickJS writes for a function of the prelude.
var (
	placePattern = regexp.MustCompile(`<eval>:(\d+):(\d+)`)
	firstPattern = regexp.MustCompile(`job\.[jt]s:\d+:\d+`)
	ownPattern   = regexp.MustCompile(`(?m)^(    at gw\.[\w.]+ )\(<eval>:\d+:\d+\)$`)
)

// in is text with all places in it named as people know them.
func (p places) in(text string) string {
	if !strings.Contains(text, "<eval>") {
		return text
	}
	text = ownPattern.ReplaceAllString(text, "$1(host)")
	text = placePattern.ReplaceAllStringFunc(text, func(place string) string {
		match := placePattern.FindStringSubmatch(place)
		line, _ := strconv.Atoi(match[1]) // digits; what overflows names no line
		column, _ := strconv.Atoi(match[2])
		line, column = p.at(line, column)
		return fmt.Sprintf("%s:%d:%d", p.file, line, column)
	})
	return strings.ReplaceAll(text, "    at <eval> (", "    at top level (")
}
