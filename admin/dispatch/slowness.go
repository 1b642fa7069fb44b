package dispatch

import (
	"sync"
	"time"
)

const (
	// slowRequest and slowCount are XXL-JOB's: a job goes to the slow pool when more
	// than ten of its requests took over 500 ms within the clock minute.
	slowRequest = 500 * time.Millisecond
	slowCount   = 10
	// hangCount slow requests in a row make an address hang, until one is quick again.
	// XXL-JOB knows no such thing; there, one hanging executor slows all its jobs down
	// only after each has filled the fast pool ten times.
	hangCount = 3
)

// slowness remembers whose requests take long.
type slowness struct {
	mu        sync.Mutex
	minute    int64
	jobs      map[int32]int  // slow requests within the minute
	addresses map[string]int // slow requests in a row
}

func (s *slowness) init() {
	s.jobs, s.addresses = map[int32]int{}, map[string]int{}
}

func (s *slowness) isSlow(jobID int32, address string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn(now)
	return s.jobs[jobID] > slowCount || s.addresses[address] >= hangCount
}

// hangs reports whether the last requests to an address were all slow.
func (s *slowness) hangs(address string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addresses[address] >= hangCount
}

// note counts one request for the entries' jobs.
func (s *slowness) note(entries []*entry, address string, took time.Duration, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn(now)
	if took <= slowRequest {
		delete(s.addresses, address)
		return
	}
	s.addresses[address]++
	for _, e := range entries {
		s.jobs[e.JobID]++
	}
}

// turn forgets the jobs of an earlier clock minute, and, once an hour, addresses that
// nobody is sent to any more; mu is held.
func (s *slowness) turn(now time.Time) {
	minute := now.Unix() / 60
	if minute == s.minute {
		return
	}
	if minute/60 != s.minute/60 {
		clear(s.addresses)
	}
	s.minute = minute
	clear(s.jobs)
}
