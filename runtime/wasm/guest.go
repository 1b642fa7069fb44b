package wasm

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"

	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/hostapi"
)

// Type is the glue type of WebAssembly jobs.
const Type = "GLUE_WASM"

// Guest is a compiled module that runs once.
type Guest struct {
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	abi      ABI
	host     *hostapi.Host // set by Run, before any guest code
	answer   []byte        // of the last gluewheel.call, until it is read
}

// ABI is how the host calls a module.
type ABI string

// The two that are known.
const (
	Command ABI = "command" // WASI preview 1: _start
	Reactor ABI = "reactor" // gw_run() -> i32
)

// ABI is the module's.
func (g *Guest) ABI() ABI { return g.abi }

// Run instantiates the module and calls it. The message is what it set as its result.
// When ctx ends the guest is interrupted, wherever wazero's code looks.
func (g *Guest) Run(ctx context.Context, host *hostapi.Host) (string, error) {
	g.host = host
	invocation := host.Invocation
	if strings.ContainsRune(invocation.Param, 0) {
		return "", errors.New("the parameter holds a NUL character, which no WebAssembly command can be given")
	}
	input, err := json.Marshal(invocation)
	if err != nil {
		return "", fmt.Errorf("encode invocation: %w", err)
	}
	stdout, stderr := host.Output.Stream(), &lastLine{stream: host.Output.Stream()}
	defer stdout.Flush()
	defer stderr.stream.Flush()

	config := wazero.NewModuleConfig().
		WithName("").
		WithStartFunctions(). // called below
		WithArgs(invocation.Name, invocation.Param, strconv.Itoa(invocation.ShardIndex), strconv.Itoa(invocation.ShardTotal)).
		WithStdin(bytes.NewReader(input)).WithStdout(stdout).WithStderr(stderr).
		WithSysWalltime().WithSysNanotime().
		WithNanosleep(func(ns int64) { _ = host.Sleep(ctx, time.Duration(ns)) }).
		WithRandSource(rand.Reader)
	for _, variable := range invocation.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		config = config.WithEnv(name, value)
	}
	if err := g.call(ctx, config); err != nil {
		if err := g.failure(err, stderr.String()); err != nil {
			return "", err
		}
	}
	return host.Result(), nil
}

func (g *Guest) call(ctx context.Context, config wazero.ModuleConfig) error {
	module, err := g.runtime.InstantiateModule(ctx, g.compiled, config)
	if err != nil {
		return err
	}
	if g.abi == Command {
		_, err = module.ExportedFunction(startFunction).Call(ctx)
		return err
	}
	if initialize := module.ExportedFunction(initFunction); initialize != nil {
		if _, err := initialize.Call(ctx); err != nil {
			return err
		}
	}
	results, err := module.ExportedFunction(runFunction).Call(ctx)
	if err == nil && api.DecodeI32(results[0]) != 0 {
		err = codeError(api.DecodeI32(results[0]))
	}
	return err
}

// codeError is a reactor's answer other than 0.
type codeError int32

func (c codeError) Error() string { return fmt.Sprintf("%s gave %d", runFunction, int32(c)) }

// failure is why a guest ended, as people should read it; nil if it succeeded after all.
func (g *Guest) failure(err error, lastWords string) error {
	if exit, ok := errors.AsType[*sys.ExitError](err); ok {
		if exit.ExitCode() == 0 {
			return nil
		}
		return errors.New(cmp.Or(lastWords, fmt.Sprintf("exit code %d", exit.ExitCode())))
	}
	if _, ok := errors.AsType[codeError](err); ok {
		return errors.New(cmp.Or(lastWords, err.Error()))
	}
	message, stack, _ := strings.Cut(err.Error(), "\n")
	if stack != "" {
		g.host.Log(err.Error())
	}
	return errors.New(message)
}

// lastLine remembers the last line with anything on it.
type lastLine struct {
	stream  *runtime.Stream
	partial []byte
	last    string
}

// maxLastLine bounds what is remembered of a line without end.
const maxLastLine = 4 << 10

// Write implements io.Writer.
func (l *lastLine) Write(p []byte) (int, error) {
	rest := p
	for {
		line, after, found := bytes.Cut(rest, []byte{'\n'})
		l.partial = append(l.partial, line[:min(len(line), maxLastLine-len(l.partial))]...)
		if !found {
			break
		}
		l.end()
		rest = after
	}
	return l.stream.Write(p)
}

func (l *lastLine) end() {
	if text := strings.TrimSpace(string(l.partial)); text != "" {
		l.last = strings.ToValidUTF8(text, "\uFFFD")
	}
	l.partial = l.partial[:0]
}

// String is the last line, whether it was ended or not.
func (l *lastLine) String() string {
	l.end()
	return l.last
}
