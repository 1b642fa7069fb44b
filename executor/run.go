package executor

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/gluewheel/gluewheel/executor/joblog"
	"github.com/gluewheel/gluewheel/executor/protocol"
	"github.com/gluewheel/gluewheel/executor/queue"
	"github.com/gluewheel/gluewheel/glue"
	"github.com/gluewheel/gluewheel/glue/live"
	"github.com/gluewheel/gluewheel/runtime"
)

const (
	// prepareWait bounds fetching and compiling; the job's timeout begins after it.
	prepareWait = 60 * time.Second
	// startRetry is how often a run asks a journal that cannot be written.
	startRetry = time.Second
	// maxParamInLog is how many characters of the parameter the log repeats.
	maxParamInLog = 1 << 10
)

// runTrigger makes one run and sees to its result; the queue calls it.
func (n *node) runTrigger(ctx context.Context, t protocol.Trigger) {
	if !n.start(ctx, int64(t.LogID)) {
		n.dropTriggers([]protocol.Trigger{t}, queue.StopOf(ctx))
		return
	}
	began := time.Now()
	log := n.openLog(t)
	log.Line("----------- gluewheel job execute start -----------")
	log.Printf("----------- Param:%.*s", maxParamInLog, t.ExecutorParams)
	result := n.execute(ctx, t, log)
	cb := n.outcome(ctx, t, result, began)
	log.Printf("----------- gluewheel job execute end(%s) -----------", cb.Gluewheel.Outcome)
	log.Printf("----------- Result: handleCode=%d, handleMsg=%s", cb.HandleCode, text(cb.HandleMsg))
	log.Close()
	n.ran(t, cb, began, result.Usage)
	n.report(cb)
}

// start makes durable that the code begins. While the disk takes nothing, the run waits:
// without the record a crash would make it run twice.
func (n *node) start(ctx context.Context, id int64) bool {
	for ctx.Err() == nil {
		err := n.journal.Start(id)
		if err == nil {
			return true
		}
		n.log.Warn("run waits for the journal", "run_id", id, "error", err)
		select {
		case <-time.After(startRetry):
		case <-ctx.Done():
		}
	}
	return false
}

func (n *node) openLog(t protocol.Trigger) *joblog.Writer {
	id := int64(t.LogID)
	n.mu.Lock()
	again := n.again[id]
	delete(n.again, id)
	n.mu.Unlock()
	if again {
		return n.logs.Resume(id, plannedAt(t))
	}
	return n.logs.Begin(id)
}

func plannedAt(t protocol.Trigger) time.Time { return time.UnixMilli(int64(t.LogDateTimeMS)).UTC() }

// execute runs the trigger's code under its timeout. The supervisor's clock has the last
// word, whatever the dying code said.
func (n *node) execute(ctx context.Context, t protocol.Trigger, log *joblog.Writer) (result runtime.Result) {
	defer func() {
		if cause := recover(); cause != nil {
			log.Printf("panic: %v\n%s", cause, debug.Stack())
			result = runtime.Result{Kind: runtime.HostError, Message: fmt.Sprintf("engine panicked: %v", cause)}
		}
	}()
	lease, err := n.acquire(ctx, t)
	if err != nil {
		log.Line(err.Error())
		return unprepared(ctx, err)
	}
	defer lease.Release()
	if timeout := timeoutOf(t); timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, timeout, runtime.ErrTimeout)
		defer cancel()
	}
	result = lease.Program().Run(ctx, n.request(t, log))
	if kind, stopped := runtime.KindOf(ctx); stopped && result.Kind != kind {
		log.Printf("the code said %q after it was stopped", result.Message)
		result.Kind = kind
	}
	return result
}

func (n *node) acquire(ctx context.Context, t protocol.Trigger) (*live.Lease, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, prepareWait,
		fmt.Errorf("code was not ready to run within %v", prepareWait))
	defer cancel()
	v, err := version(t)
	if err != nil {
		return nil, err
	}
	return n.live.Acquire(ctx, v)
}

// version is what a trigger asks to run.
func version(t protocol.Trigger) (live.Version, error) {
	v := live.Version{
		JobID:   int32(t.JobID),
		Type:    glue.Type(t.GlueType),
		Handler: t.ExecutorHandler,
		Stamp:   int64(t.GlueUpdateMS),
		Source:  t.GlueSource,
		RunID:   int64(t.LogID),
	}
	x := t.Gluewheel
	if x == nil {
		return v, nil
	}
	v.Number, v.Digest, v.Module, v.Epoch = x.Version, x.Digest, x.Artifact, x.Epoch
	if len(x.Manifest) > 0 {
		if err := json.Unmarshal(x.Manifest, &v.Manifest); err != nil {
			return v, &runtime.InvalidError{Message: "the version's manifest cannot be read: " + err.Error()}
		}
	}
	return v, nil
}

func timeoutOf(t protocol.Trigger) time.Duration {
	return time.Duration(max(t.TimeoutS, 0)) * time.Second
}

func (n *node) request(t protocol.Trigger, log *joblog.Writer) runtime.Request {
	req := runtime.Request{
		RunID:      int64(t.LogID),
		JobID:      int32(t.JobID),
		Param:      t.ExecutorParams,
		ShardIndex: int(t.BroadcastIndex),
		ShardTotal: int(max(t.BroadcastTotal, 1)),
		Timeout:    timeoutOf(t),
		Log:        log.Line,
		Progress:   progressTo(log),
		Services:   n.services(t),
	}
	if t.LogDateTimeMS > 0 {
		req.FireAt = plannedAt(t)
	}
	if t.Gluewheel != nil {
		req.Attempt = t.Gluewheel.Attempt
		if t.Gluewheel.Test {
			req.JobID = protocol.TestJobID(req.JobID)
		}
	}
	return req
}
