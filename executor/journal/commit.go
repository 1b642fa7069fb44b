package journal

import (
	"fmt"

	"github.com/gluewheel/gluewheel/executor/protocol"
)

// op is one change. encode runs before the write and apply after it, both under mu.
type op interface {
	encode(s *state, buf []byte) ([]byte, error)
	// apply takes the outcome of the write into memory.
	apply(s *state, written bool)
}

// batch is what one write and one sync make durable together.
type batch struct {
	ops   []op
	taken bool          // guarded by mu
	done  chan struct{} // closed when err is set
	err   error
}

func newBatch() *batch { return &batch{done: make(chan struct{})} }

// commit returns when o is durable or has failed. Whoever gets the turn writes for
// everybody who gathered meanwhile. The wait is bounded by the disk alone: giving up
// earlier would leave a trigger accepted that its caller takes for refused.
func (j *Journal) commit(o op) error {
	b, err := j.join(o)
	if err != nil {
		return err
	}
	select {
	case <-b.done:
	case j.turn <- struct{}{}:
		if j.take(b) {
			b.err = j.write(b)
			close(b.done)
		}
		<-j.turn
		<-b.done
	}
	return b.err
}

// join adds o to the batch that gathers.
func (j *Journal) join(o op) (*batch, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil, ErrClosed
	}
	j.next.ops = append(j.next.ops, o)
	return j.next, nil
}

// take closes the batch to further ops; false if another caller wrote it already.
func (j *Journal) take(b *batch) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if b.taken {
		return false
	}
	b.taken = true
	j.next = newBatch()
	return true
}

// write makes a batch durable and takes it into memory. The caller holds the turn.
func (j *Journal) write(b *batch) error {
	err := j.ensureGeneration()
	if err == nil {
		err = j.writeOps(b)
	}
	j.mu.Lock()
	for _, o := range b.ops {
		o.apply(j.state, err == nil)
	}
	j.mu.Unlock()
	j.note(err)
	return err
}

func (j *Journal) writeOps(b *batch) error {
	if len(b.ops) == 0 {
		return nil
	}
	buf, err := j.encode(b)
	if err != nil {
		return err
	}
	return j.gen.append(buf)
}

func (j *Journal) encode(b *batch) (buf []byte, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, o := range b.ops {
		if buf, err = o.encode(j.state, buf); err != nil {
			return nil, err
		}
	}
	return buf, nil
}

// note logs when writing begins to fail and when it works again.
func (j *Journal) note(err error) {
	switch {
	case err != nil && !j.gen.failing:
		j.log.Error("journal cannot be written, triggers are refused", "dir", j.cfg.Dir, "error", err)
	case err == nil && j.gen.failing:
		j.log.Info("journal can be written again", "dir", j.cfg.Dir)
	}
	j.gen.failing = err != nil
	if err != nil {
		j.gen.abandon()
	}
}

type acceptOp struct {
	triggers []protocol.Trigger
	sources  []*source
	atMS     int64
}

func (o *acceptOp) encode(s *state, buf []byte) (_ []byte, err error) {
	o.sources = make([]*source, len(o.triggers))
	for i, t := range o.triggers {
		o.sources[i] = s.intern(t.GlueSource)
		if buf, err = appendAccepted(buf, t, o.sources[i], o.atMS); err != nil {
			return buf, fmt.Errorf("trigger %d: %w", t.LogID, err)
		}
	}
	return buf, nil
}

func (o *acceptOp) apply(s *state, written bool) {
	if !written {
		return
	}
	shared := make([]protocol.Trigger, len(o.triggers))
	for i, t := range o.triggers {
		s.accept(t, o.sources[i], o.atMS)
		shared[i] = s.entries[int64(t.LogID)].trigger
	}
	o.triggers = shared
}

type startOp struct{ id, atMS int64 }

func (o *startOp) encode(_ *state, buf []byte) ([]byte, error) {
	return appendInts(buf, recordStarted, o.id, o.atMS), nil
}

func (o *startOp) apply(s *state, written bool) {
	if written {
		s.start(o.id, o.atMS)
	}
}

type endOp struct{ results []protocol.Callback }

func (o *endOp) encode(_ *state, buf []byte) (_ []byte, err error) {
	for _, cb := range o.results {
		if buf, err = appendJSON(buf, recordEnded, cb); err != nil {
			return buf, err
		}
	}
	return buf, nil
}

func (o *endOp) apply(s *state, _ bool) {
	for _, cb := range o.results {
		s.end(cb)
	}
}

type ackOp struct{ ids []int64 }

func (o *ackOp) encode(_ *state, buf []byte) ([]byte, error) {
	return appendInts(buf, recordAcked, o.ids...), nil
}

func (o *ackOp) apply(s *state, _ bool) {
	for _, id := range o.ids {
		s.drop(id)
	}
}
