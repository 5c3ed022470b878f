// Package recent remembers values by key: those used last. Several packages hold vectors, counts or replies with it, so
// that what was made once is not made again.
package recent

import "sync"

// Map holds two halves: what is used moves to the young one; when that is full it becomes the old one, and what was old
// goes. So between half of its room and all of it is held. Safe for concurrent use.
type Map[K comparable, V any] struct {
	half int         // room of a half
	size func(V) int // nil: each value takes 1

	mu         sync.Mutex // guards what follows
	young, old map[K]V
	used       int // room that young takes
}

// New makes a Map of twice half in room; size tells how much of it a value takes, nil: 1.
func New[K comparable, V any](half int, size func(V) int) *Map[K, V] {
	return &Map[K, V]{half: half, size: size, young: map[K]V{}}
}

// Get returns the value of a key.
func (m *Map[K, V]) Get(key K) (v V, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if v, ok = m.young[key]; ok {
		return v, true
	}
	if v, ok = m.old[key]; ok {
		m.add(key, v)
	}
	return v, ok
}

// Put remembers a value; the first one of a key stays.
func (m *Map[K, V]) Put(key K, v V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, have := m.young[key]; !have {
		m.add(key, v)
	}
}

// add puts a value that is not there into the young half. It requires mu.
func (m *Map[K, V]) add(key K, v V) {
	size := 1
	if m.size != nil {
		size = m.size(v)
	}
	if m.used+size > m.half {
		m.young, m.old, m.used = map[K]V{}, m.young, 0
	}
	m.young[key] = v
	m.used += size
}

// Clear forgets all.
func (m *Map[K, V]) Clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.young, m.old, m.used = map[K]V{}, nil, 0
}

// Len is the number of values that are held.
func (m *Map[K, V]) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.young) + len(m.old)
}
