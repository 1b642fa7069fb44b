package journal

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2/roaring64"
)

// SeenFor is how long an accepted log id is remembered after it was accepted.
const SeenFor = 24 * time.Hour

// seen remembers log ids by the hour in which they were accepted. The admin hands ids
// out in blocks, so a compressed bitmap needs one or two bytes an id: a day of 1,000
// runs a second fits in some 100 MiB, a day of 100 in a few.
type seen struct {
	hours map[int64]*roaring64.Bitmap // by Unix hour
}

func newSeen() *seen { return &seen{hours: make(map[int64]*roaring64.Bitmap)} }

func hourOf(ms int64) int64 { return ms / time.Hour.Milliseconds() }

func (s *seen) add(hour, id int64) {
	set := s.hours[hour]
	if set == nil {
		set = roaring64.New()
		s.hours[hour] = set
	}
	set.Add(uint64(id))
}

func (s *seen) has(id int64) bool {
	for _, set := range s.hours {
		if set.Contains(uint64(id)) {
			return true
		}
	}
	return false
}

// expire forgets the hours whose last id is older than SeenFor.
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
			return buf, fmt.Errorf("encode seen ids: %w", err)
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
		return fmt.Errorf("decode seen ids: %w", err)
	}
	s.hours[readInts(body[:8])[0]] = set
	return nil
}
