package callback

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/gluewheel/gluewheel/executor/adminclient"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

// dialects remembers which admins want the results wrapped in an object (dialect C).
type dialects struct {
	mu      sync.Mutex
	wrapped map[string]bool // by address
}

func (d *dialects) get(address string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.wrapped[address]
}

func (d *dialects) set(address string, wrapped bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wrapped[address] = wrapped
}

// wrappedBatch is dialect C's body.
type wrappedBatch struct {
	CallbackList []protocol.Callback `json:"callbackList"`
}

func encode(batch []protocol.Callback, wrapped bool) ([]byte, error) {
	var v any = batch
	if wrapped {
		v = wrappedBatch{CallbackList: batch}
	}
	body, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode results: %w", err)
	}
	return body, nil
}

// send offers the batch to each admin until one takes it.
func (s *Sender) send(ctx context.Context, batch []protocol.Callback) error {
	full := make([]protocol.Callback, len(batch))
	for i, cb := range batch {
		s.cfg.Complete(&cb)
		full[i] = cb
	}
	var failures []error
	for _, address := range s.cfg.Admins.Addresses() {
		err := s.sendTo(ctx, address, full)
		if err == nil {
			return nil
		}
		failures = append(failures, err)
	}
	return errors.Join(failures...)
}

// sendTo sends in the dialect that the admin understood last, and tries the other one
// when it cannot read that.
func (s *Sender) sendTo(ctx context.Context, address string, batch []protocol.Callback) error {
	wrapped := s.dialects.get(address)
	err := s.post(ctx, address, batch, wrapped)
	if !unreadable(err) {
		return err
	}
	if err := s.post(ctx, address, batch, !wrapped); err != nil {
		return err
	}
	s.dialects.set(address, !wrapped)
	return nil
}

func (s *Sender) post(ctx context.Context, address string, batch []protocol.Callback, wrapped bool) error {
	body, err := encode(batch, wrapped)
	if err != nil {
		return err
	}
	return s.cfg.Admins.Call(ctx, address, adminclient.CallCallback, body)
}

// unreadable reports whether an admin said that it cannot read the body.
func unreadable(err error) bool {
	refused, ok := errors.AsType[*adminclient.RefusedError](err)
	return ok && strings.HasPrefix(refused.Msg, protocol.MsgInvokeError)
}
