package executor

import (
	"context"

	"github.com/gluewheel/gluewheel/executor/protocol"
	"github.com/gluewheel/gluewheel/runtime"
)

// services are what an admin of ours does for the guest of a run that it dispatched;
// XXL-JOB's does none of it.
func (n *node) services(t protocol.Trigger) runtime.Services {
	if t.Gluewheel == nil {
		return runtime.Services{}
	}
	run, epoch := int64(t.LogID), t.Gluewheel.Epoch
	return runtime.Services{
		KV: func(ctx context.Context, r runtime.KVRequest) (runtime.KVResponse, error) {
			answer, err := n.admins.KV(ctx, protocol.KVRequest{RunID: run, Epoch: epoch, Op: r.Op, Key: r.Key, Value: r.Value})
			return runtime.KVResponse{Found: answer.Found, Value: answer.Value, Keys: answer.Keys}, err
		},
		Secret: func(ctx context.Context, name string) (string, error) {
			return n.admins.Secret(ctx, protocol.SecretRequest{RunID: run, Epoch: epoch, Name: name})
		},
	}
}
