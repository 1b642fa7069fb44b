package runtime

import (
	"context"
	"errors"
)

// Services are what the host of a run does for its guest beyond the machine. A nil
// function means that there is no such service here.
type Services struct {
	// KV works on the job's own store.
	KV func(ctx context.Context, req KVRequest) (KVResponse, error)
	// Secret reads a secret of the job's group. The value is masked in what the run logs
	// and answers.
	Secret func(ctx context.Context, name string) (string, error)
}

// Operations of a KVRequest.
const (
	KVGet    = "get"
	KVSet    = "set"
	KVDelete = "delete"
	KVList   = "list"
)

// KVRequest is what a guest asks of gw.kv.
type KVRequest struct {
	Op    string
	Key   string `json:",omitempty"` // of KVList: what the keys begin with
	Value []byte `json:",omitempty"` // of KVSet
}

// KVResponse is what it gets.
type KVResponse struct {
	Found bool     `json:",omitempty"` // of KVGet and KVDelete
	Value []byte   `json:",omitempty"` // of KVGet
	Keys  []string `json:",omitempty"` // of KVList, sorted
}

// ErrNoService is the failure of a call to a service that is not there.
var ErrNoService = errors.New("this executor does not offer it")
