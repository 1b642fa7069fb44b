package workermain

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/frame"
	"github.com/gluewheel/gluewheel/runtime/hostapi"
)

// warmWait bounds warming up; it takes a few ms.
const warmWait = time.Second

// sampleMemory bounds the memory of what warms up.
const sampleMemory = 32 << 20

// warmUp runs a program of our own once, in an engine of its own, and forgets it. What a
// run needs of the binary is in memory then and has been executed once, which takes half
// of the time from a first run. Whatever goes wrong will be seen when the guest runs.
func warmUp(l loader, load frame.LoadBody, m *meter) {
	ctx, cancel := context.WithTimeout(context.Background(), warmWait)
	defer cancel()
	load.CacheDir, load.MemoryBytes = "", sampleMemory
	_, _ = recovered(func() (string, error) {
		sample, err := l.load(ctx, load, []byte(l.sample), m)
		if err != nil {
			return "", err
		}
		if closer, ok := sample.(io.Closer); ok {
			defer closer.Close()
		}
		var body frame.RunBody
		if err := reread(frame.RunBody{Invocation: runtime.Request{FireAt: time.Now()}.Invocation("")}, &body); err != nil {
			return "", err
		}
		host := hostapi.New(hostapi.Config{Invocation: body.Invocation, Output: runtime.NewOutput(0, nil)})
		message, err := sample.Run(ctx, host)
		if err != nil {
			return "", err
		}
		return message, reread(frame.ResultBody{Usage: runtime.Usage{CPU: m.cpu(), PeakBytes: m.peakBytes()}}, new(frame.ResultBody))
	})
}

// reread encodes what travels in frames and decodes it again.
func reread(body, into any) error {
	encoded, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return json.Unmarshal(encoded, into)
}

// sampleModule is (module (import "gluewheel" "log" (func (param i32 i32 i32)))
// (memory (export "memory") 1) (func (export "_start") (call 0 (i32.const 0) (i32.const 0) (i32.const 0)))).
const sampleModule = "\x00asm\x01\x00\x00\x00" +
	"\x01\n\x02`\x03\x7f\x7f\x7f\x00`\x00\x00\x02\x11\x01\tgluewheel\x03log\x00\x00\x03\x02\x01\x01\x05\x03\x01\x00\x01" +
	"\a\x13\x02\x06_start\x00\x01\x06memory\x02\x00\n\f\x01\n\x00A\x00A\x00A\x00\x10\x00\v"
