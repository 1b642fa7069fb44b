package js

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"modernc.org/quickjs"

	"github.com/gluewheel/gluewheel/runtime/hostapi"
)

// The glue types of this engine.
const (
	Type           = "GLUE_JS"
	TypeTypeScript = "GLUE_TS"
)

const (
	// maxWaiting bounds the host calls that a guest has not got an answer to yet.
	maxWaiting = 256
	// interruptAgain is how often an ended context interrupts: between two calls into
	// it, QuickJS forgets an interrupt.
	interruptAgain = 10 * time.Millisecond
)

// errStuck is the failure of a guest that waits for what cannot come.
var errStuck = errors.New("the job waits for a promise that nothing will settle")

// topLevelAwait are the flags of a script that may await; its value is a promise of
// {value}. QuickJS has JS_EVAL_FLAG_ASYNC for it, which the Go package does not name.
const topLevelAwait = quickjs.EvalGlobal | 1<<7

// Options say how a program is loaded.
type Options struct {
	// MemoryBytes bounds the guest's memory; 0 does not.
	MemoryBytes int64
	// TypeScript says that the source has types, to be taken out.
	TypeScript bool
	// Peak tells the most memory that this process has had. QuickJS, once it is full,
	// has no room left to say so, and throws null; this tells it from a guest's null.
	// May be nil.
	Peak func() int64
}

// Guest is a compiled program in a fresh state: it runs once.
type Guest struct {
	opts     Options
	vm       *quickjs.VM
	bridge   *bridge
	places   places
	bytecode []byte
}

// Load compiles source in the state that it will run in. An error about the source is a
// *[runtime.InvalidError].
func Load(source []byte, opts Options) (*Guest, error) {
	program, err := prepare(source, opts.TypeScript)
	if err != nil {
		return nil, err
	}
	vm, err := quickjs.NewVM()
	if err != nil {
		return nil, fmt.Errorf("start QuickJS: %w", err)
	}
	g := &Guest{opts: opts, vm: vm, places: program.places}
	if err := g.load(program); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

func (g *Guest) load(program program) (err error) {
	g.vm.SetCanBlock(false) // Atomics.wait
	if g.bridge, err = newBridge(g.vm); err != nil {
		return fmt.Errorf("bind host interface: %w", err)
	}
	if g.opts.MemoryBytes > 0 { // what the host needs is there by now
		g.vm.SetMemoryLimit(uintptr(g.opts.MemoryBytes))
	}
	g.bytecode, err = g.vm.Compile(program.code, topLevelAwait)
	if err != nil {
		return program.refusal(err)
	}
	return nil
}

// Close frees the state of a guest that has ended or will not run.
func (g *Guest) Close() error {
	if g.bridge != nil {
		g.bridge.free()
	}
	return g.vm.Close()
}

// Run runs the program. What its last statement gives, or what it set by gw.result, is
// the message. An error names the place; its stack is logged. When ctx ends the guest is
// interrupted, wherever QuickJS looks.
func (g *Guest) Run(ctx context.Context, host *hostapi.Host) (string, error) {
	calls, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() { interrupt(ctx, g.vm, ended) })
	defer watching.Wait()
	defer close(ended)
	defer g.bridge.calls.Wait()
	defer cancel() // of what the guest did not wait for

	g.bridge.begin(calls, host, g.places)
	if err := g.run(ctx); err != nil {
		return "", g.failure(err, host)
	}
	return host.Result(), nil
}

// interrupt interrupts the guest from the end of ctx to the end of the run.
func interrupt(ctx context.Context, vm *quickjs.VM, ended <-chan struct{}) {
	select {
	case <-ended:
		return
	case <-ctx.Done():
	}
	ticker := time.NewTicker(interruptAgain)
	defer ticker.Stop()
	for {
		vm.Interrupt()
		select {
		case <-ended:
			return
		case <-ticker.C:
		}
	}
}

// run evaluates the program, then serves its promises until all is settled.
func (g *Guest) run(ctx context.Context) error {
	promise, err := g.vm.EvalBytecodeValue(g.bytecode)
	if err != nil {
		return err
	}
	defer promise.Free()
	if err := g.bridge.watch(promise); err != nil {
		return err
	}
	for {
		if err := g.settleJobs(ctx); err != nil {
			return err
		}
		switch {
		case g.bridge.failure != nil:
			return g.bridge.failure
		case g.bridge.waiting > 0:
			if err := g.bridge.next(ctx); err != nil {
				return err
			}
		case g.bridge.ended:
			return nil
		default:
			return errStuck
		}
	}
}

// settleJobs runs what settled promises have set off. QuickJS stops after a million of
// them, to let others look.
func (g *Guest) settleJobs(ctx context.Context) error {
	for ctx.Err() == nil {
		_, err := g.vm.ExecutePendingJobs()
		if err == nil {
			return nil
		}
		if thrown, ok := errors.AsType[*quickjs.Error](err); ok {
			return thrown
		}
	}
	return context.Cause(ctx)
}

// failure is why a guest ended, as people should read it.
func (g *Guest) failure(err error, host *hostapi.Host) error {
	if g.outgrew(err) {
		return fmt.Errorf("%w of %d MiB", hostapi.ErrMemory, g.opts.MemoryBytes>>20)
	}
	message, stack, _ := strings.Cut(g.places.in(err.Error()), stackStart)
	if stack == "" {
		return errors.New(message)
	}
	stack = strings.TrimRight(stackStart+stack, "\n")
	host.Log(message + stack)
	if place := firstPattern.FindString(stack); place != "" {
		message += " (" + place + ")"
	}
	return errors.New(message)
}

// stackStart is what comes between a message and its stack.
const stackStart = "\n    at "

// outgrew reports whether memory was what ended the guest. Without room for an Error,
// QuickJS throws null, and promises are forgotten.
func (g *Guest) outgrew(err error) bool {
	if g.opts.MemoryBytes == 0 {
		return false
	}
	text := err.Error()
	if strings.HasPrefix(text, "InternalError: out of memory") {
		return true
	}
	speechless := text == "null" || text == "[object]" || errors.Is(err, errStuck)
	return speechless && g.opts.Peak != nil && g.opts.Peak() > g.opts.MemoryBytes/4*3
}
