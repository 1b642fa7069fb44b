package route

import "sync"

// memory is a map of bounded size that forgets what was not used for long. It keeps
// two generations: what is used moves to the young one, and when that is full, the
// old one is dropped and the young one becomes old.
type memory[K comparable, V any] struct {
	slots int // of one generation

	mu         sync.Mutex
	young, old map[K]entry[V]
	used       int // slots in the young generation
}

type entry[V any] struct {
	value V
	slots int
}

func newMemory[K comparable, V any](slots int) *memory[K, V] {
	return &memory[K, V]{slots: max(slots/2, 1), young: map[K]entry[V]{}}
}

// update replaces the value of key by what change makes of it, and says how many
// slots it takes. change runs under the lock and must not block.
func (m *memory[K, V]) update(key K, change func(v V, known bool) (next V, slots int)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, known := m.young[key]
	m.used -= e.slots
	if !known {
		e, known = m.old[key]
		delete(m.old, key)
	}
	e.value, e.slots = change(e.value, known)
	m.young[key] = e
	if m.used += e.slots; m.used >= m.slots {
		m.old, m.young, m.used = m.young, map[K]entry[V]{}, 0
	}
}
