package journal

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/gluewheel/gluewheel/executor/protocol"
)

type phase int

const (
	accepted phase = iota
	started
	ended
)

// entryBytes is what an open entry costs in memory beside its texts, roughly.
const entryBytes = 512

// entry is a trigger whose result the admin has not acknowledged.
type entry struct {
	order     int64 // of acceptance
	phase     phase
	atMS      int64 // accepted, Unix ms
	startedMS int64
	trigger   protocol.Trigger // emptied at the end: only the result is needed then
	source    *source          // nil for a trigger without one
	result    protocol.Callback
	bytes     int64
}

// source is a GLUE source shared by many triggers. It stays in memory as long as the
// generation that holds it, so that a fast job does not write it again for each run.
type source struct {
	sum     [32]byte
	text    string
	uses    int  // open entries that refer to it
	written bool // in the current generation
}

// state is what the journal knows; replaying a generation rebuilds it.
type state struct {
	entries map[int64]*entry
	sources map[[32]byte]*source
	seen    *seen
	order   int64
	bytes   int64 // of entries and sources
}

func newState() *state {
	return &state{
		entries: make(map[int64]*entry),
		sources: make(map[[32]byte]*source),
		seen:    newSeen(),
	}
}

// knows reports whether a trigger was accepted before.
func (s *state) knows(t protocol.Trigger) bool {
	_, open := s.entries[int64(t.LogID)]
	return open || s.seen.has(seenKey(t))
}

// intern gives the shared copy of a source.
func (s *state) intern(text string) *source {
	if text == "" {
		return nil
	}
	sum := sha256.Sum256([]byte(text))
	src := s.sources[sum]
	if src == nil {
		src = &source{sum: sum, text: text}
		s.sources[sum] = src
		s.bytes += int64(len(text))
	}
	return src
}

// adopt puts a source back that was dropped as unused while its trigger was being written.
func (s *state) adopt(src *source) *source {
	if kept := s.sources[src.sum]; kept != nil {
		return kept
	}
	s.sources[src.sum] = src
	s.bytes += int64(len(src.text))
	return src
}

func (s *state) accept(t protocol.Trigger, src *source, atMS int64) {
	s.seen.add(hourOf(atMS), seenKey(t))
	t.GlueSource = ""
	if src != nil {
		src = s.adopt(src)
		src.uses++
		t.GlueSource = src.text
	}
	s.order++
	e := &entry{order: s.order, atMS: atMS, trigger: t, source: src}
	e.bytes = entryBytes + int64(len(t.ExecutorParams)+len(t.ExecutorHandler))
	s.put(int64(t.LogID), e)
}

func (s *state) put(id int64, e *entry) {
	s.drop(id)
	s.entries[id] = e
	s.bytes += e.bytes
}

func (s *state) start(id, atMS int64) {
	if e := s.entries[id]; e != nil && e.phase != ended {
		e.phase, e.startedMS = started, atMS
	}
}

// end replaces the trigger by its result. An id that is not open gets an entry too:
// snapshots hold ended runs by their results alone.
func (s *state) end(cb protocol.Callback) {
	e := &entry{phase: ended, result: cb, bytes: entryBytes}
	if cb.HandleMsg != nil {
		e.bytes += int64(len(*cb.HandleMsg))
	}
	if old := s.entries[int64(cb.LogID)]; old != nil {
		e.order, e.atMS, e.startedMS = old.order, old.atMS, old.startedMS
	} else {
		s.order++
		e.order = s.order
	}
	s.put(int64(cb.LogID), e)
}

// drop forgets an entry; its id stays among the seen ones.
func (s *state) drop(id int64) {
	e := s.entries[id]
	if e == nil {
		return
	}
	if e.source != nil {
		e.source.uses--
	}
	s.bytes -= e.bytes
	delete(s.entries, id)
}

// inOrder lists the open entries as they were accepted.
func (s *state) inOrder() []*entry {
	return slices.SortedFunc(maps.Values(s.entries), func(a, b *entry) int { return int(a.order - b.order) })
}

// apply replays one record.
func (s *state) apply(kind byte, body []byte) error {
	switch kind {
	case recordHeader:
		if string(body) != magic {
			return fmt.Errorf("journal has the unknown format %q", body)
		}
	case recordSource:
		if len(body) < sha256.Size {
			return errTorn
		}
		s.intern(string(body[sha256.Size:])).written = true
	case recordAccepted:
		return s.applyAccepted(body)
	case recordStarted:
		if ints := readInts(body); len(ints) == 2 {
			s.start(ints[0], ints[1])
		}
	case recordEnded:
		var cb protocol.Callback
		if err := json.Unmarshal(body, &cb); err != nil {
			return fmt.Errorf("decode journalled result: %w", err)
		}
		s.end(cb)
	case recordAcked:
		for _, id := range readInts(body) {
			s.drop(id)
		}
	case recordSeen:
		return s.seen.restore(body)
	}
	return nil
}

func (s *state) applyAccepted(body []byte) error {
	var r acceptedRecord
	if err := json.Unmarshal(body, &r); err != nil {
		return fmt.Errorf("decode journalled trigger: %w", err)
	}
	var src *source
	if r.Source != nil {
		if src = s.sources[*r.Source]; src == nil {
			return fmt.Errorf("journalled trigger %d lacks its source", r.Trigger.LogID)
		}
	}
	s.accept(r.Trigger, src, r.AtMS)
	return nil
}

// appendSnapshot writes everything worth keeping and forgets the rest.
func (s *state) appendSnapshot(buf []byte, now time.Time) ([]byte, error) {
	s.seen.expire(now)
	s.dropUnusedSources()
	for _, src := range s.sources {
		src.written = false
	}
	buf, err := s.seen.appendSnapshot(appendRecord(buf, recordHeader, []byte(magic)))
	if err != nil {
		return buf, err
	}
	for _, e := range s.inOrder() {
		if buf, err = s.appendEntry(buf, e); err != nil {
			return buf, err
		}
	}
	return buf, nil
}

func (s *state) appendEntry(buf []byte, e *entry) ([]byte, error) {
	if e.phase == ended {
		return appendJSON(buf, recordEnded, e.result)
	}
	buf, err := appendAccepted(buf, e.trigger, e.source, e.atMS)
	if err == nil && e.phase == started {
		buf = appendInts(buf, recordStarted, int64(e.trigger.LogID), e.startedMS)
	}
	return buf, err
}

// appendAccepted writes a trigger, preceded by its source if this generation lacks it.
func appendAccepted(buf []byte, t protocol.Trigger, src *source, atMS int64) ([]byte, error) {
	r := acceptedRecord{AtMS: atMS, Trigger: t}
	r.Trigger.GlueSource = ""
	if src != nil {
		r.Source = &src.sum
		if !src.written {
			buf = appendRecord(buf, recordSource, src.sum[:], []byte(src.text))
			src.written = true
		}
	}
	return appendJSON(buf, recordAccepted, r)
}

// dropUnusedSources gives memory back before the generation ends. A source that is used
// again is written again.
func (s *state) dropUnusedSources() {
	maps.DeleteFunc(s.sources, func(_ [32]byte, src *source) bool {
		if src.uses == 0 {
			s.bytes -= int64(len(src.text))
		}
		return src.uses == 0
	})
}
