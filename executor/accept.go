package executor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gluewheel/gluewheel/executor/joblog"
	"github.com/gluewheel/gluewheel/executor/protocol"
	"github.com/gluewheel/gluewheel/executor/queue"
	"github.com/gluewheel/gluewheel/executor/server"
	"github.com/gluewheel/gluewheel/glue"
)

var _ server.Executor = (*node)(nil)

// Accept answers triggers once those it takes are durable, all in one group commit. It
// is not cut short by ctx: a trigger given up on halfway would run although it was refused.
func (n *node) Accept(_ context.Context, triggers []protocol.Trigger) []protocol.BatchResult {
	b := intake{node: n, triggers: triggers, results: make([]protocol.BatchResult, len(triggers))}
	b.screen()
	b.reserve()
	b.admit()
	b.commit()
	b.answerTwins()
	return b.results
}

// intake is a batch of triggers on its way in. The slices of indices say which triggers
// have come how far.
type intake struct {
	node     *node
	triggers []protocol.Trigger
	results  []protocol.BatchResult

	sound    []int          // known job code, log id not yet in this batch
	twins    map[int]int    // same log id as an earlier trigger of the batch
	fresh    []int          // reserved in the journal
	admitted []int          // with a place in their queue
	tickets  []queue.Ticket // of admitted
}

func (b *intake) answer(i, code int, msg string) {
	b.results[i] = protocol.BatchResult{LogID: b.triggers[i].LogID, Code: protocol.Int(code), Msg: msg}
}

// pick gives the triggers of some indices.
func (b *intake) pick(indices []int) []protocol.Trigger {
	triggers := make([]protocol.Trigger, len(indices))
	for k, i := range indices {
		triggers[k] = b.triggers[i]
	}
	return triggers
}

// screen refuses what cannot run here and sets aside what stands twice in the batch.
func (b *intake) screen() {
	b.twins = make(map[int]int)
	first := make(map[protocol.Int]int)
	for i, t := range b.triggers {
		if twin, ok := first[t.LogID]; ok {
			b.twins[i] = twin
			continue
		}
		first[t.LogID] = i
		if msg := b.node.refusal(t); msg != "" {
			b.answer(i, protocol.CodeFail, msg)
			continue
		}
		b.sound = append(b.sound, i)
	}
}

// refusal is why a trigger cannot run here, in the protocol's words; empty if it can.
func (n *node) refusal(t protocol.Trigger) string {
	kind := glue.Type(t.GlueType)
	info, known := glue.Lookup(kind)
	switch {
	case t.JobID <= 0 || t.JobID > math.MaxInt32 || t.LogID <= 0:
		return fmt.Sprintf(protocol.MsgRequestError, "jobId and logId are required")
	case !known:
		return fmt.Sprintf(protocol.MsgBadGlueType, t.GlueType)
	case len(n.cfg.AllowTypes) > 0 && !slices.Contains(n.cfg.AllowTypes, kind):
		return fmt.Sprintf(protocol.MsgTypeNotAllowed, info.Title)
	case !n.live.Runs(kind):
		return fmt.Sprintf(protocol.MsgBadGlueType, t.GlueType) + n.missing(kind)
	case kind == glue.Bean && !slices.Contains(n.executor.native.Names(), t.ExecutorHandler):
		return fmt.Sprintf(protocol.MsgNoHandler, t.ExecutorHandler)
	}
	return ""
}

// missing is why a type that is known does not run here, after a space; empty if no
// engine can tell.
func (n *node) missing(kind glue.Type) string {
	for _, e := range n.cfg.Engines {
		if teller, ok := e.(interface{ Missing(glueType string) string }); ok {
			if why := teller.Missing(string(kind)); why != "" {
				return " " + why
			}
		}
	}
	return ""
}

// reserve answers triggers that were accepted before as accepted.
func (b *intake) reserve() {
	for k, repeat := range b.node.journal.Reserve(b.pick(b.sound)...) {
		i := b.sound[k]
		if repeat {
			b.answer(i, protocol.CodeOK, fmt.Sprintf(protocol.MsgRepeat, b.triggers[i].LogID))
			b.results[i].Repeat = true
			continue
		}
		b.fresh = append(b.fresh, i)
	}
}

// admit applies the block strategies.
func (b *intake) admit() {
	for _, i := range b.fresh {
		ticket, err := b.node.queues.Admit(b.triggers[i])
		if err != nil {
			b.node.journal.Release(int64(b.triggers[i].LogID))
			b.answer(i, protocol.CodeFail, err.Error())
			continue
		}
		b.admitted = append(b.admitted, i)
		b.tickets = append(b.tickets, ticket)
	}
}

// commit makes the admitted triggers durable and queues them.
func (b *intake) commit() {
	if len(b.admitted) == 0 {
		return
	}
	durable, err := b.node.journal.Commit(b.pick(b.admitted))
	for k, i := range b.admitted {
		if err != nil {
			b.tickets[k].Abort()
			b.answer(i, protocol.CodeFail, "executor cannot store the trigger: "+err.Error())
			continue
		}
		b.tickets[k].Commit(durable[k])
		b.answer(i, protocol.CodeOK, "")
	}
}

// answerTwins gives a repeated log id of the batch its first one's answer.
func (b *intake) answerTwins() {
	for i, twin := range b.twins {
		b.results[i] = b.results[twin]
		b.results[i].Repeat = b.results[i].Code == protocol.CodeOK
	}
}

// Busy implements [server.Executor].
func (n *node) Busy(jobID int32) bool { return n.queues.Busy(jobID) }

// Kill implements [server.Executor].
func (n *node) Kill(k protocol.Kill) bool {
	if k.LogID != 0 {
		return n.queues.KillRun(int32(k.JobID), int64(k.LogID), queue.StopKill())
	}
	return n.queues.KillJob(int32(k.JobID), queue.StopKill())
}

// Log implements [server.Executor]. A trigger that waits has no log yet, and XXL-JOB's
// answer for a missing file would end the reader's patience.
func (n *node) Log(r protocol.LogRequest) (protocol.LogResult, error) {
	id, from := int64(r.LogID), int(r.FromLineNum)
	piece, err := n.logs.Read(id, time.UnixMilli(int64(max(r.LogDateTime, r.LogDateTim))), from)
	switch {
	case err == nil:
		return protocol.LogResult{
			FromLineNum: protocol.Int(piece.From),
			ToLineNum:   protocol.Int(piece.To),
			LogContent:  piece.Text,
			IsEnd:       piece.End,
		}, nil
	case !errors.Is(err, joblog.ErrNotFound):
		return protocol.LogResult{}, err
	case n.journal.Holds(id):
		return protocol.LogResult{FromLineNum: r.FromLineNum}, nil
	default:
		return protocol.LogResult{FromLineNum: r.FromLineNum, LogContent: protocol.MsgNoLogFile, IsEnd: true}, nil
	}
}
