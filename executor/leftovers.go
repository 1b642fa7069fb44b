package executor

import "github.com/gluewheel/gluewheel/executor/protocol"

// settleLeftovers takes up what the last process left: nothing of it may vanish or run
// twice.
func (n *node) settleLeftovers() {
	left := n.journal.Recover()
	n.sender.Add(left.Unacked...)
	var lost []protocol.Callback
	for _, t := range left.Begun {
		if t.Gluewheel != nil && t.Gluewheel.Idempotent {
			n.mu.Lock()
			n.again[int64(t.LogID)] = true
			n.mu.Unlock()
			n.queues.Restore(t)
			continue
		}
		lost = append(lost, n.lostRun(t))
	}
	if len(lost) > 0 {
		n.report(lost...)
	}
	for _, t := range left.Queued {
		n.queues.Restore(t)
	}
	if len(left.Queued)+len(left.Begun)+len(left.Unacked) > 0 {
		n.log.Info("unfinished work found", "queued", len(left.Queued), "begun", len(left.Begun),
			"lost", len(lost), "unacknowledged", len(left.Unacked))
	}
}

// lostRun ends the log of a run that died with the last process, and says so.
func (n *node) lostRun(t protocol.Trigger) protocol.Callback {
	log := n.logs.Resume(int64(t.LogID), plannedAt(t))
	log.Line("----------- " + protocol.MsgLostRestart)
	log.Close()
	return newCallback(t, verdict{protocol.CodeFail, protocol.OutcomeLost, protocol.ReasonLostRestart},
		protocol.MsgLostRestart)
}
