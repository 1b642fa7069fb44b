package journal

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2/roaring64"

	"github.com/gluewheel/gluewheel/executor/protocol"
)

// SeenFor is how long an accepted trigger is remembered after it was accepted.
const SeenFor = 24 * time.Hour

// seen remembers triggers by the hour in which they were accepted. The admin hands ids
// out in blocks, so a compressed bitmap needs some two bytes an id: a day of 1,000 runs a
// second fits in 200 MiB, a day of 100 in 20.
type seen struct {
	hours map[int64]*roaring64.Bitmap // keys by Unix hour
}

// seenKey is the log id, with some bits of the planned second above those that ids use.
// A database that was made anew hands the same ids out again; without the instant, their
// triggers would be taken for repeats for a day.
func seenKey(t protocol.Trigger) uint64 {
	const idBits = 53 // what a JavaScript number holds
	second := uint64(t.LogDateTimeMS) / 1000
	return uint64(t.LogID) ^ second*0x9E3779B97F4A7C15>>idBits<<idBits
}

func newSeen() *seen { return &seen{hours: make(map[int64]*roaring64.Bitmap)} }

func hourOf(ms int64) int64 { return ms / time.Hour.Milliseconds() }

func (s *seen) add(hour int64, key uint64) {
	set := s.hours[hour]
	if set == nil {
		set = roaring64.New()
		s.hours[hour] = set
	}
	set.Add(key)
}

func (s *seen) has(key uint64) bool {
	for _, set := range s.hours {
		if set.Contains(key) {
			return true
		}
	}
	return false
}

// expire forgets the hours whose last trigger is older than SeenFor.
func (s *seen) expire(now time.Time) {
	oldest := hourOf(now.Add(-SeenFor).UnixMilli())
	maps.DeleteFunc(s.hours, func(hour int64, _ *roaring64.Bitmap) bool { return hour < oldest })
}

// appendSnapshot writes one record an hour.
func (s *seen) appendSnapshot(buf []byte) ([]byte, error) {
	for _, hour := range slices.Sorted(maps.Keys(s.hours)) {
		s.hours[hour].RunOptimize()
		body, err := s.hours[hour].MarshalBinary()
		if err != nil {
			return buf, fmt.Errorf("encode seen triggers: %w", err)
		}
		buf = appendRecord(buf, recordSeen, intBytes(hour), body)
	}
	return buf, nil
}

// restore reads what appendSnapshot wrote.
func (s *seen) restore(body []byte) error {
	if len(body) < 8 {
		return errTorn
	}
	set := roaring64.New()
	if err := set.UnmarshalBinary(body[8:]); err != nil {
		return fmt.Errorf("decode seen triggers: %w", err)
	}
	s.hours[readInts(body[:8])[0]] = set
	return nil
}
