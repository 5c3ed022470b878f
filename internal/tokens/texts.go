package tokens

import (
	"crypto/sha256"
	"sync"
)

// texts remembers the counts of texts by the hash of their content: those used last, between maxTexts/2 and maxTexts of
// them. What is used moves to the young half; when that is full it becomes the old one, and what was old goes.
type texts struct {
	mu         sync.Mutex // guards both
	young, old map[[sha256.Size]byte]int
}

func (t *texts) get(key [sha256.Size]byte) (n int, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n, ok = t.young[key]; ok {
		return n, true
	}
	if n, ok = t.old[key]; ok {
		t.add(key, n)
	}
	return n, ok
}

func (t *texts) put(key [sha256.Size]byte, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.add(key, n)
}

// add requires that t.mu is held.
func (t *texts) add(key [sha256.Size]byte, n int) {
	if t.young == nil || len(t.young) >= maxTexts/2 {
		t.young, t.old = make(map[[sha256.Size]byte]int), t.young
	}
	t.young[key] = n
}
