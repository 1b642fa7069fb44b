// Package gw is what a job in Go, compiled to WebAssembly, may ask of gluewheel. The
// names are those that Lua and JavaScript jobs find under gw.
//
//	GOOS=wasip1 GOARCH=wasm go build -o job.wasm .
//
// Copy the folder into your module, or import it. What Go has itself is not here: JSON
// is encoding/json, base64 is encoding/base64, and print lines go to the log too.
//
// http, kv and secret answer only what the version's manifest grants; the error says
// what is missing. A job that fails prints why to standard error and exits with a code
// other than 0; [Fail] does both.
//
// Outside of WebAssembly, in a test for example, there is no host: logging writes to
// standard output, and what has an error to give gives [ErrNoHost].
package gw

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"
)

// Errors that tell cases apart.
var (
	ErrNoHost  = errors.New("gw: there is no gluewheel here")
	ErrStopped = errors.New("gw: the run was stopped")
)

// Levels of the host's log.
const (
	plain = iota
	debugLevel
	infoLevel
	warnLevel
	errorLevel
)

// Log writes a line to the run's log, formatted as by fmt.Sprintf.
func Log(format string, args ...any) { hostLog(plain, line(format, args)) }

// Debug is Log at that level.
func Debug(format string, args ...any) { hostLog(debugLevel, line(format, args)) }

// Info is Log at that level.
func Info(format string, args ...any) { hostLog(infoLevel, line(format, args)) }

// Warn is Log at that level.
func Warn(format string, args ...any) { hostLog(warnLevel, line(format, args)) }

// Error is Log at that level. It does not end the job.
func Error(format string, args ...any) { hostLog(errorLevel, line(format, args)) }

// line leaves a lone text as it is, so that a percent sign does no harm.
func line(format string, args []any) string {
	if len(args) == 0 {
		return format
	}
	return fmt.Sprintf(format, args...)
}

// Param is the job's parameter, or that of this run.
func Param() string { return read(hostParam) }

// Shard is which part of the work is this run's: index from 0, of total.
func Shard() (index, total int) { return int(hostShardIndex()), int(hostShardTotal()) }

// Progress tells how far the run is, from 0 to 100, with a note.
func Progress(percent float64, note string) { hostProgress(percent, note) }

// Result sets the text that the run answers if it succeeds; the last one counts.
func Result(text string) { hostResult(text) }

// Cancelled reports whether the run shall end: it has half a second then.
func Cancelled() bool { return hostCancelled() != 0 }

// Now is the host's clock.
func Now() time.Time { return time.UnixMilli(hostNow()) }

// Sleep waits, unless the run is stopped first, which is [ErrStopped].
func Sleep(d time.Duration) error {
	if hostSleep(d.Milliseconds()) != 0 {
		return ErrStopped
	}
	return nil
}

// Fail ends the job with a message.
func Fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// UUID makes a random one, version 4.
func UUID() (string, error) { return callText("uuid") }

// Hash is the digest of text in hexadecimal; md5, sha1, sha256 and sha512 are there.
func Hash(algorithm, text string) (string, error) { return callText("hash", algorithm, text) }

// Secret reads a secret that the version's manifest names.
func Secret(name string) (string, error) { return callText("secret", name) }

// Call reaches any function of gw by its name, such as "base64.encode": the way to those
// that are newer than this package. Arguments are anything that encodes as JSON.
func Call(name string, args ...any) ([]json.RawMessage, error) {
	if args == nil {
		args = []any{}
	}
	encoded, err := json.Marshal(args)
	if err != nil {
		return nil, fmt.Errorf("gw.%s: encode arguments: %w", name, err)
	}
	if hostCall(name, string(encoded)) == 0 {
		return nil, ErrNoHost
	}
	var answer struct {
		Results []json.RawMessage `json:"results"`
		Error   string            `json:"error"`
	}
	if err := json.Unmarshal([]byte(read(hostAnswer)), &answer); err != nil {
		return nil, fmt.Errorf("gw.%s: decode answer: %w", name, err)
	}
	if answer.Error != "" {
		return nil, errors.New(answer.Error)
	}
	return answer.Results, nil
}

// callInto calls a function that gives one value.
func callInto(value any, name string, args ...any) error {
	results, err := Call(name, args...)
	if err != nil {
		return err
	}
	if len(results) != 1 {
		return fmt.Errorf("gw.%s gave %d values, not one", name, len(results))
	}
	if err := json.Unmarshal(results[0], value); err != nil {
		return fmt.Errorf("gw.%s: decode answer: %w", name, err)
	}
	return nil
}

func callText(name string, args ...any) (string, error) {
	var text string
	err := callInto(&text, name, args...)
	return text, err
}

// read gets a text of unknown length: f writes what fits and gives the whole length.
func read(f func([]byte) int) string {
	buffer := make([]byte, 256)
	for {
		n := f(buffer)
		if n <= len(buffer) {
			return string(buffer[:n])
		}
		buffer = make([]byte, n)
	}
}
