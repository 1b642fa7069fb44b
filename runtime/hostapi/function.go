package hostapi

import (
	"context"
	"crypto/md5"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"math"
	"time"
)

// Errors that guests see.
var (
	ErrNotGranted = errors.New("not granted to this version")
	ErrStopped    = errors.New("the run was stopped")
)

// Function is one host function: plain values in, plain values out. Plain are nil,
// bool, float64, string (which may hold any bytes), []any and map[string]any.
type Function struct {
	Name  string // with a dot where it belongs to a module: "base64.encode"
	Waits bool   // it may take long, so that a language with promises gives one
	Call  func(ctx context.Context, h *Host, args Args) ([]any, error)
}

// Functions lists what every language offers under gw. Logging and JSON are bound by
// the engines themselves, in the manner of their language.
//
//	param() -> text
//	shard() -> index, total
//	progress(percent, note?)
//	result(text)
//	cancelled() -> bool
//	now() -> ms since 1970
//	sleep(ms)
//	uuid() -> text
//	hash(algorithm, text) -> hexadecimal     md5, sha1, sha256, sha512
//	base64.encode(text), base64.decode(text) -> text
//	http.get(url, options?), http.post(url, body, options?), http.request(options)
//	    -> {status, headers, body}           options: see requestOf
//	kv.get(key) -> text or nil
//	kv.set(key, text)
//	kv.delete(key) -> whether it was there
//	kv.list(beginning?) -> keys, sorted
//	secret(name) -> text
func Functions() []Function {
	functions := []Function{
		{"param", false, param},
		{"shard", false, shard},
		{"progress", false, progress},
		{"result", false, result},
		{"cancelled", false, cancelled},
		{"now", false, now},
		{"sleep", true, sleep},
		{"uuid", false, uuid},
		{"hash", false, digest},
		{"base64.encode", false, base64Encode},
		{"base64.decode", false, base64Decode},
		{"http.get", true, httpGet},
		{"http.post", true, httpPost},
		{"http.request", true, httpRequest},
		{"kv.get", true, kvGet},
		{"kv.set", true, kvSet},
		{"kv.delete", true, kvDelete},
		{"kv.list", true, kvList},
		{"secret", true, secret},
	}
	for i, f := range functions {
		functions[i].Call = func(ctx context.Context, h *Host, args Args) ([]any, error) {
			h.Count()
			return f.Call(ctx, h, args)
		}
	}
	return functions
}

func param(_ context.Context, h *Host, _ Args) ([]any, error) {
	return []any{h.Invocation.Param}, nil
}

func shard(_ context.Context, h *Host, _ Args) ([]any, error) {
	return []any{float64(h.Invocation.ShardIndex), float64(h.Invocation.ShardTotal)}, nil
}

func progress(_ context.Context, h *Host, args Args) ([]any, error) {
	percent, err := args.Number(0)
	if err != nil {
		return nil, err
	}
	note, err := args.TextOr(1, "")
	if err != nil {
		return nil, err
	}
	h.SetProgress(percent, note)
	return nil, nil
}

func result(_ context.Context, h *Host, args Args) ([]any, error) {
	text, err := args.Text(0)
	if err != nil {
		return nil, err
	}
	h.SetResult(text)
	return nil, nil
}

func cancelled(_ context.Context, h *Host, _ Args) ([]any, error) {
	return []any{h.Stopped()}, nil
}

func now(context.Context, *Host, Args) ([]any, error) {
	return []any{float64(time.Now().UnixMilli())}, nil
}

// MaxSleep is the longest sleep of one call, so that no duration overflows.
const MaxSleep = 7 * 24 * time.Hour

func sleep(ctx context.Context, h *Host, args Args) ([]any, error) {
	ms, err := args.Number(0)
	if err != nil {
		return nil, err
	}
	if math.IsNaN(ms) || ms < 0 || ms > float64(MaxSleep.Milliseconds()) {
		return nil, fmt.Errorf("argument 1 must be between 0 and %d ms", MaxSleep.Milliseconds())
	}
	return nil, h.Sleep(ctx, time.Duration(ms*float64(time.Millisecond)))
}

// uuid makes a random one, version 4.
func uuid(context.Context, *Host, Args) ([]any, error) {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return []any{fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])}, nil
}

// digest is the hash of argument 2 in hexadecimal; argument 1 names the algorithm. The
// weak ones are here since other systems ask for them.
func digest(_ context.Context, _ *Host, args Args) ([]any, error) {
	algorithm, err := args.Text(0)
	if err != nil {
		return nil, err
	}
	data, err := args.Text(1)
	if err != nil {
		return nil, err
	}
	var h hash.Hash
	switch algorithm {
	case "md5":
		h = md5.New()
	case "sha1":
		h = sha1.New()
	case "sha256":
		h = sha256.New()
	case "sha512":
		h = sha512.New()
	default:
		return nil, fmt.Errorf("unknown hash %q: md5, sha1, sha256 and sha512 are there", algorithm)
	}
	h.Write([]byte(data))
	return []any{hex.EncodeToString(h.Sum(nil))}, nil
}

func base64Encode(_ context.Context, _ *Host, args Args) ([]any, error) {
	data, err := args.Text(0)
	if err != nil {
		return nil, err
	}
	return []any{base64.StdEncoding.EncodeToString([]byte(data))}, nil
}

func base64Decode(_ context.Context, _ *Host, args Args) ([]any, error) {
	text, err := args.Text(0)
	if err != nil {
		return nil, err
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("decode base64: %w", err)
	}
	return []any{string(data)}, nil
}
