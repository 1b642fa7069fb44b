package hostapi

import (
	"context"

	"github.com/gluewheel/gluewheel/glue"
	"github.com/gluewheel/gluewheel/runtime"
)

// kvGet gives the text of a key, nil if there is none.
func kvGet(ctx context.Context, h *Host, args Args) ([]any, error) {
	key, err := keyOf(args)
	if err != nil {
		return nil, err
	}
	found, err := h.kv(ctx, runtime.KVRequest{Op: runtime.KVGet, Key: key})
	if err != nil || !found.Found {
		return []any{nil}, err
	}
	return []any{string(found.Value)}, nil
}

func kvSet(ctx context.Context, h *Host, args Args) ([]any, error) {
	key, err := keyOf(args)
	if err != nil {
		return nil, err
	}
	value, err := args.Text(1)
	if err != nil {
		return nil, err
	}
	if err := glue.CheckKVValue([]byte(value)); err != nil {
		return nil, err
	}
	_, err = h.kv(ctx, runtime.KVRequest{Op: runtime.KVSet, Key: key, Value: []byte(value)})
	return nil, err
}

// kvDelete tells whether the key was there.
func kvDelete(ctx context.Context, h *Host, args Args) ([]any, error) {
	key, err := keyOf(args)
	if err != nil {
		return nil, err
	}
	found, err := h.kv(ctx, runtime.KVRequest{Op: runtime.KVDelete, Key: key})
	return []any{found.Found}, err
}

// kvList gives the keys with that beginning, all without one.
func kvList(ctx context.Context, h *Host, args Args) ([]any, error) {
	prefix, err := args.TextOr(0, "")
	if err != nil {
		return nil, err
	}
	found, err := h.kv(ctx, runtime.KVRequest{Op: runtime.KVList, Key: prefix})
	keys := make([]any, len(found.Keys))
	for i, key := range found.Keys {
		keys[i] = key
	}
	return []any{keys}, err
}

func keyOf(args Args) (string, error) {
	key, err := args.Text(0)
	if err != nil {
		return "", err
	}
	return key, glue.CheckKVKey(key)
}

func (h *Host) kv(ctx context.Context, req runtime.KVRequest) (runtime.KVResponse, error) {
	if h.KV == nil {
		return runtime.KVResponse{}, ErrNotGranted
	}
	return h.KV(ctx, req)
}

// secret gives the value of a secret that the version was granted.
func secret(ctx context.Context, h *Host, args Args) ([]any, error) {
	name, err := args.Text(0)
	if err != nil {
		return nil, err
	}
	if h.Secret == nil || name == "" {
		return nil, ErrNotGranted
	}
	value, err := h.Secret(ctx, name)
	if err != nil {
		return nil, err
	}
	return []any{value}, nil
}
