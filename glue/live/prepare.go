package live

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/gluewheel/gluewheel/glue"
	"github.com/gluewheel/gluewheel/runtime"
)

// key tells versions of a job apart. An admin that names no digest, as XXL-JOB's, is
// taken at its stamp.
func (v *Version) key() string {
	manifest, err := json.Marshal(v.Manifest)
	if err != nil { // a manifest is strings and numbers
		manifest = nil
	}
	return fmt.Sprintf("%d/%s/%s/%d/%d/%s/%s",
		v.JobID, v.Type, v.Handler, v.Number, v.Stamp, v.Digest, glue.Digest(manifest))
}

func (s *Set) prepare(ctx context.Context, engine runtime.Engine, v Version) (runtime.Program, error) {
	code, err := s.code(ctx, v)
	if err != nil {
		return nil, err
	}
	program, err := engine.Prepare(ctx, runtime.Source{
		Key:       v.key(),
		JobID:     v.JobID,
		Version:   v.Stamp,
		Type:      string(v.Type),
		Name:      v.Handler,
		Code:      code,
		Digest:    v.Digest,
		Limits:    limits(v.Manifest),
		Grants:    runtime.Grants{Hosts: v.Manifest.Hosts, Secrets: v.Manifest.Secrets, KV: v.Manifest.KV},
		Isolation: v.Manifest.Isolation,
	})
	if err != nil {
		return nil, fmt.Errorf("prepare %s: %w", v.Type, err)
	}
	return program, nil
}

// code is the source, which came with the trigger, or the module.
func (s *Set) code(ctx context.Context, v Version) ([]byte, error) {
	if v.Module {
		if s.modules == nil {
			return nil, fmt.Errorf("fetch module %s: this executor fetches no modules", v.Digest)
		}
		return s.modules.Get(ctx, v.Digest, v.RunID, v.Epoch)
	}
	return []byte(v.Source), nil
}

func limits(m glue.Manifest) runtime.Limits {
	return runtime.Limits{
		MemoryBytes: m.MemoryBytes,
		CPU:         time.Duration(m.CPUSeconds) * time.Second,
		LogBytes:    m.LogBytes,
	}
}
