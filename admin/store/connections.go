package store

// Connections says how busy the pool is.
type Connections struct {
	Used, Max int32
}

// Connections counts the pool's connections.
func (s *Store) Connections() Connections {
	st := s.pool.Stat()
	return Connections{Used: st.AcquiredConns(), Max: st.MaxConns()}
}
