// Package broker does what a guest asks its supervisor for: HTTP requests, the job's own
// store, secrets. It is where a version's grants are looked at; what a guest or its
// worker believes to have been granted does not matter.
package broker

import (
	"context"
	"fmt"
	"slices"

	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/egress"
	"github.com/gluewheel/gluewheel/runtime/hostapi"
)

// Broker serves one run. Its methods may be called concurrently.
type Broker struct {
	Client   *egress.Client // makes the requests, under the executor's policy
	Services runtime.Services
	Grants   runtime.Grants
	Output   *runtime.Output // masks the secrets that were read
}

// HTTP makes a request, if the version was granted its host.
func (b *Broker) HTTP(ctx context.Context, req runtime.HTTPRequest) (runtime.HTTPResponse, error) {
	return b.Client.Do(ctx, b.Grants, req)
}

// KV works on the job's store, if the version was granted it.
func (b *Broker) KV(ctx context.Context, req runtime.KVRequest) (runtime.KVResponse, error) {
	switch {
	case !b.Grants.KV:
		return runtime.KVResponse{}, fmt.Errorf("%w: its manifest must have kv", hostapi.ErrNotGranted)
	case b.Services.KV == nil:
		return runtime.KVResponse{}, runtime.ErrNoService
	}
	return b.Services.KV(ctx, req)
}

// Secret reads a secret that the version was granted.
func (b *Broker) Secret(ctx context.Context, name string) (string, error) {
	switch {
	case !slices.Contains(b.Grants.Secrets, name):
		return "", fmt.Errorf("%w: its manifest must name the secret %q", hostapi.ErrNotGranted, name)
	case b.Services.Secret == nil:
		return "", runtime.ErrNoService
	}
	value, err := b.Services.Secret(ctx, name)
	if err != nil {
		return "", err
	}
	b.Output.Mask(value) // before the guest can know it
	return value, nil
}
