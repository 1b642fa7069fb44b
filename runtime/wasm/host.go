package wasm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tetratelabs/wazero/api"

	"github.com/gluewheel/gluewheel/runtime/hostapi"
)

// hostModule is the import module of the host interface. A change that breaks guests
// gets another name.
const hostModule = "gluewheel"

// The pair that reaches functions by name.
const (
	callFunction   = "call"
	answerFunction = "answer"
)

// maxText bounds what a guest passes in one call.
const maxText = 1 << 20

// Levels of gluewheel.log.
var levelNames = []string{"", "[DEBUG] ", "[INFO] ", "[WARN] ", "[ERROR] "}

// Value types, for short.
const (
	i32 = api.ValueTypeI32
	i64 = api.ValueTypeI64
	f64 = api.ValueTypeF64
)

// function is one import: stack holds the parameters, and then the results.
type function struct {
	name            string
	params, results []api.ValueType
	call            func(ctx context.Context, memory api.Memory, stack []uint64)
}

// functions are the import module's. Text is passed as address and length in the
// guest's memory; what does not lie there ends the guest. Functions that give text
// write at most capacity bytes to address and give the whole length.
//
//	log(level, address, length)              0 plain, 1 debug, 2 info, 3 warn, 4 error
//	param(address, capacity) -> length
//	shard_index() -> i32, shard_total() -> i32
//	progress(percent f64, address, length)   with a note
//	result(address, length)
//	cancelled() -> i32                       1 once the run shall end
//	now() -> i64                             ms since 1970
//	sleep(ms i64) -> i32                     1 if the run was stopped meanwhile
//	call(name, its length, arguments, their length) -> length of the answer
//	answer(address, capacity) -> length
//
// call reaches everything else of gw, by its name: arguments are a JSON array, and the
// answer is {"results":[…]} or {"error":"…"}. It can be read until the next call.
func (g *Guest) functions() []function {
	return []function{
		{"log", []api.ValueType{i32, i32, i32}, nil, func(_ context.Context, m api.Memory, s []uint64) {
			level := min(uint64(api.DecodeU32(s[0])), uint64(len(levelNames)-1))
			g.host.Log(levelNames[level] + text(m, s[1], s[2]))
		}},
		{"param", []api.ValueType{i32, i32}, []api.ValueType{i32}, func(_ context.Context, m api.Memory, s []uint64) {
			s[0] = give(m, s[0], s[1], []byte(g.host.Invocation.Param))
		}},
		{"shard_index", nil, []api.ValueType{i32}, func(_ context.Context, _ api.Memory, s []uint64) {
			s[0] = api.EncodeI32(int32(g.host.Invocation.ShardIndex))
		}},
		{"shard_total", nil, []api.ValueType{i32}, func(_ context.Context, _ api.Memory, s []uint64) {
			s[0] = api.EncodeI32(int32(g.host.Invocation.ShardTotal))
		}},
		{"progress", []api.ValueType{f64, i32, i32}, nil, func(_ context.Context, m api.Memory, s []uint64) {
			g.host.SetProgress(api.DecodeF64(s[0]), text(m, s[1], s[2]))
		}},
		{"result", []api.ValueType{i32, i32}, nil, func(_ context.Context, m api.Memory, s []uint64) {
			g.host.SetResult(text(m, s[0], s[1]))
		}},
		{"cancelled", nil, []api.ValueType{i32}, func(_ context.Context, _ api.Memory, s []uint64) {
			s[0] = truth(g.host.Stopped())
		}},
		{"now", nil, []api.ValueType{i64}, func(_ context.Context, _ api.Memory, s []uint64) {
			s[0] = api.EncodeI64(time.Now().UnixMilli())
		}},
		{"sleep", []api.ValueType{i64}, []api.ValueType{i32}, func(ctx context.Context, _ api.Memory, s []uint64) {
			ms := min(max(int64(s[0]), 0), hostapi.MaxSleep.Milliseconds())
			s[0] = truth(g.host.Sleep(ctx, time.Duration(ms)*time.Millisecond) != nil)
		}},
		{callFunction, []api.ValueType{i32, i32, i32, i32}, []api.ValueType{i32}, func(ctx context.Context, m api.Memory, s []uint64) {
			g.answer = hostapi.Answer(ctx, g.host, text(m, s[0], s[1]), text(m, s[2], s[3]))
			s[0] = uint64(len(g.answer))
		}},
		{answerFunction, []api.ValueType{i32, i32}, []api.ValueType{i32}, func(_ context.Context, m api.Memory, s []uint64) {
			s[0] = give(m, s[0], s[1], g.answer)
		}},
	}
}

func (g *Guest) openGluewheel(ctx context.Context) error {
	builder := g.runtime.NewHostModuleBuilder(hostModule)
	for _, f := range g.functions() {
		call := api.GoModuleFunc(func(ctx context.Context, module api.Module, stack []uint64) {
			if f.name != callFunction && f.name != answerFunction { // what they reach counts itself
				g.host.Count()
			}
			var memory api.Memory // stays nil without one; wazero's is a nil pointer then
			if len(g.compiled.ExportedMemories()) > 0 {
				memory = module.Memory()
			}
			f.call(ctx, memory, stack)
		})
		builder.NewFunctionBuilder().WithGoModuleFunction(call, f.params, f.results).Export(f.name)
	}
	if _, err := builder.Instantiate(ctx); err != nil {
		return fmt.Errorf("make host module: %w", err)
	}
	return nil
}

// errOutside ends a guest that passes what is not its own; wazero turns a panic of a
// host function into an error of the call.
var errOutside = errors.New("a host function was given an address outside the guest's memory")

// text copies text out of the guest's memory.
func text(m api.Memory, address, length uint64) string {
	size := api.DecodeU32(length)
	if size > maxText {
		panic(fmt.Errorf("a host function was given %d bytes; %d are allowed", size, maxText))
	}
	if m == nil {
		panic(errOutside)
	}
	b, ok := m.Read(api.DecodeU32(address), size)
	if !ok {
		panic(errOutside)
	}
	return string(b)
}

// give writes as much of b as fits into the guest's buffer, and gives its whole length.
func give(m api.Memory, address, capacity uint64, b []byte) uint64 {
	part := b[:min(uint64(len(b)), uint64(api.DecodeU32(capacity)))]
	if len(part) > 0 && (m == nil || !m.Write(api.DecodeU32(address), part)) {
		panic(errOutside)
	}
	return uint64(len(b))
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
