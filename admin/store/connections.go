package store

import "time"

// Connections says how busy the pool is.
type Connections struct {
	Used, Max int32
	// Waits is how often somebody had to wait for a connection, and Waited how long all
	// together waited for one, since the start.
	Waits  int64
	Waited time.Duration
}

// Connections counts the pool's connections.
func (s *Store) Connections() Connections {
	st := s.pool.Stat()
	return Connections{
		Used: st.AcquiredConns(), Max: st.MaxConns(), Waits: st.EmptyAcquireCount(), Waited: st.AcquireDuration(),
	}
}
