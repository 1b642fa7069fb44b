package executor

import (
	"context"
	"slices"
	"time"

	"github.com/gluewheel/gluewheel/executor/adminclient"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

// retryBeat is the interval of the heartbeat while no admin takes it.
const retryBeat = 3 * time.Second

// register beats until ctx ends: at once, every protocol.Heartbeat, and faster while no
// admin can be reached.
func (n *node) register(ctx context.Context) {
	reached := false
	for first := true; ; first = false {
		if !reached {
			n.deliverFirst(ctx)
		}
		err := n.admins.First(ctx, adminclient.CallRegistry, n.registration())
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && (first || reached):
			n.log.Warn("no admin takes the registration, jobs still run", "error", err)
		case err == nil && !reached:
			n.log.Info("registered", "address", n.address)
		}
		reached = err == nil
		wait := protocol.Heartbeat
		if !reached {
			wait = retryBeat
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
	}
}

// deliverFirst waits a little for spooled results before a registration: an admin takes
// an open run that is neither ended nor listed as held for lost.
func (n *node) deliverFirst(ctx context.Context) {
	if err := within(ctx, protocol.CallTimeout, n.sender.Flush); err != nil {
		n.log.Debug("results are still on their way", "error", err)
	}
}

func (n *node) registration() protocol.Registry {
	return protocol.Registry{
		Group: protocol.RegistryGroup,
		Key:   n.cfg.AppName,
		Value: n.address,
		Gluewheel: &protocol.RegistryX{
			Protocol:   1,
			InstanceID: n.instance,
			BootID:     n.boot,
			Version:    n.cfg.Version,
			Engines:    n.types(),
			Handlers:   n.executor.native.Names(),
			Notes:      n.notes(),
			Held:       n.journal.Held(),
		},
	}
}

func (n *node) notes() []string {
	if n.cfg.Status == nil {
		return n.cfg.Notes
	}
	return slices.Concat(n.cfg.Notes, n.cfg.Status())
}

// types lists what may run here.
func (n *node) types() []string {
	var types []string
	for _, t := range n.live.Types() {
		if len(n.cfg.AllowTypes) == 0 || slices.Contains(n.cfg.AllowTypes, t) {
			types = append(types, string(t))
		}
	}
	return types
}

// unregister tells the admin that nothing more should be sent here.
func (n *node) unregister(ctx context.Context) {
	r := protocol.Registry{Group: protocol.RegistryGroup, Key: n.cfg.AppName, Value: n.address}
	n.warn("registration is not removed, it ends by itself", n.admins.First(ctx, adminclient.CallRegistryRemove, r))
}
