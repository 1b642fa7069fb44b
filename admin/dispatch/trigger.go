package dispatch

import (
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
	"github.com/gluewheel/gluewheel/glue"
)

// trigger writes what the executor gets. The version is the one that the run was
// claimed with, whatever was published since.
func (e *entry) trigger() protocol.Trigger {
	param := e.job.Param
	if e.Param != nil {
		param = *e.Param
	}
	t := protocol.Trigger{
		JobID:           protocol.Int(e.JobID),
		ExecutorHandler: e.job.Handler,
		ExecutorParams:  param,
		BlockStrategy:   e.job.BlockStrategy,
		TimeoutS:        protocol.Int(e.job.TimeoutS),
		LogID:           protocol.Int(e.RunID),
		LogDateTimeMS:   protocol.Int(e.FireAt.UnixMilli()),
		GlueType:        string(e.job.GlueType),
		BroadcastIndex:  protocol.Int(max(e.Shard, 0)),
		BroadcastTotal:  protocol.Int(max(e.ShardTotal, 1)),
	}
	if e.IsTest {
		t.JobID, t.BlockStrategy = protocol.Int(protocol.TestJobID(e.JobID)), protocol.BlockSerial
	}
	v := e.version
	if v != nil {
		t.GlueType, t.GlueUpdateMS = string(v.Type), protocol.Int(v.CreatedAt.UnixMilli())
		if v.Artifact == nil { // else the module runs, whatever it was compiled from
			t.GlueSource = v.Source
		}
	}
	if e.target.Ours() {
		t.Gluewheel = e.extension()
	}
	return t
}

// extension is what only our executors get. Manifests name secrets and hold none.
func (e *entry) extension() *protocol.TriggerX {
	x := &protocol.TriggerX{
		Epoch: e.Epoch, Attempt: int(e.Attempt), Idempotent: e.job.Idempotent, Test: e.IsTest,
	}
	if v := e.version; v != nil {
		info, _ := glue.Lookup(v.Type) // an unknown type is not an artifact; the executor refuses it
		x.Version, x.Digest, x.Manifest = v.Number, v.Digest, v.manifest
		x.Artifact = info.Artifact || v.Artifact != nil
	}
	return x
}

// size is about how many bytes the trigger takes.
func (e *entry) size() int {
	size := 512 + len(e.job.Param)
	if e.Param != nil {
		size += len(*e.Param)
	}
	if e.version != nil {
		size += len(e.version.Source) + len(e.version.manifest)
	}
	return size
}

// outcomes sorts what became of requests, to be handed on at once.
type outcomes struct {
	accepted []job.Acceptance
	endings  []job.Ending
	doubtful []*entry
}
