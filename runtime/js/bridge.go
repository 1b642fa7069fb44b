package js

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"modernc.org/quickjs"

	"github.com/gluewheel/gluewheel/runtime/hostapi"
)

//go:embed prelude.js
var prelude string

// bridge is the Go side of prelude.js. All but the waiting for answers happens on the
// goroutine that runs the guest.
type bridge struct {
	vm     *quickjs.VM
	values []quickjs.Value // to be freed
	settle quickjs.Value
	watchF quickjs.Value

	// Of the run, set by begin before any guest code.
	ctx    context.Context // of the host calls; natives are not given one
	host   *hostapi.Host
	places places

	calls   sync.WaitGroup
	answers chan answer
	waiting int

	ended   bool
	failure error // of the guest
}

// answer is a host call's, as JSON.
type answer struct {
	id   int
	json string
}

func newBridge(vm *quickjs.VM) (*bridge, error) {
	// As many answers as calls can wait: nobody blocks, even when the guest has ended.
	b := &bridge{vm: vm, answers: make(chan answer, maxWaiting)}
	for name, native := range map[string]quickjs.HostFunc{
		"gwCall": b.call, "gwStart": b.start, "gwLog": b.log, "gwEnd": b.end,
	} {
		if err := vm.RegisterHostFunc(name, native); err != nil {
			return nil, fmt.Errorf("register %s: %w", name, err)
		}
	}
	functions, err := functionsJSON()
	if err != nil {
		return nil, err
	}
	host, err := vm.EvalValue(prelude, quickjs.EvalGlobal)
	if err != nil {
		return nil, fmt.Errorf("evaluate prelude: %w", err)
	}
	b.values = append(b.values, host)
	var bind quickjs.Value
	for name, value := range map[string]*quickjs.Value{"bind": &bind, "settle": &b.settle, "watch": &b.watchF} {
		if *value, err = b.property(host, name); err != nil {
			b.free()
			return nil, fmt.Errorf("find %s in prelude: %w", name, err)
		}
	}
	if _, err := bind.Call(quickjs.UndefinedValue, functions); err != nil {
		b.free()
		return nil, fmt.Errorf("bind functions: %w", err)
	}
	return b, nil
}

// functionsJSON lists the functions of gw for the prelude.
func functionsJSON() (string, error) {
	type function struct {
		Name  string `json:"name"`
		Waits bool   `json:"waits"`
	}
	var list []function
	for _, f := range hostapi.Functions() {
		list = append(list, function{f.Name, f.Waits})
	}
	encoded, err := json.Marshal(list)
	return string(encoded), err
}

func (b *bridge) property(object quickjs.Value, name string) (quickjs.Value, error) {
	atom, err := b.vm.NewAtom(name)
	if err != nil {
		return quickjs.Value{}, err
	}
	value, err := object.GetPropertyValue(atom)
	if err == nil {
		b.values = append(b.values, value)
	}
	return value, err
}

func (b *bridge) free() {
	for _, v := range b.values {
		v.Free()
	}
	b.values = nil
}

// begin readies the bridge for its run.
func (b *bridge) begin(ctx context.Context, host *hostapi.Host, p places) {
	b.ctx, b.host, b.places = ctx, host, p
}

// watch has the prelude tell how promise is settled.
func (b *bridge) watch(promise quickjs.Value) error {
	result, err := b.watchF.CallValue(quickjs.UndefinedValue, promise)
	if err == nil {
		result.Free()
	}
	return err
}

// next waits for the next answer and hands it to the guest.
func (b *bridge) next(ctx context.Context) error {
	select {
	case a := <-b.answers:
		b.waiting--
		_, err := b.settle.Call(quickjs.UndefinedValue, a.id, a.json)
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// call is the native of functions that do not wait.
func (b *bridge) call(args []any) (any, error) {
	name, _ := argument[string](args, 0)
	arguments, _ := argument[string](args, 1)
	return string(hostapi.Answer(b.ctx, b.host, name, arguments)), nil
}

// start is the native of functions that do.
func (b *bridge) start(args []any) (any, error) {
	id, ok := argument[int](args, 0)
	name, _ := argument[string](args, 1)
	arguments, _ := argument[string](args, 2)
	if !ok || b.waiting >= maxWaiting {
		return fmt.Sprintf("gw.%s: %d calls are waiting already; await some first", name, b.waiting), nil
	}
	b.waiting++
	ctx, host := b.ctx, b.host
	b.calls.Go(func() { b.answers <- answer{id, string(hostapi.Answer(ctx, host, name, arguments))} })
	return "", nil
}

func (b *bridge) log(args []any) (any, error) {
	text, _ := argument[string](args, 0)
	b.host.Log(b.places.in(text))
	return quickjs.Undefined{}, nil
}

// end hears how the guest's promise was settled.
func (b *bridge) end(args []any) (any, error) {
	ok, _ := argument[bool](args, 0)
	text, _ := argument[string](args, 1)
	b.ended = true
	switch {
	case !ok:
		b.failure = errors.New(text)
	case text != "":
		b.host.SetResult(text)
	}
	return quickjs.Undefined{}, nil
}

// argument is argument i of a native, if it is a T.
func argument[T any](args []any, i int) (value T, ok bool) {
	if i < len(args) {
		value, ok = args[i].(T)
	}
	return value, ok
}
