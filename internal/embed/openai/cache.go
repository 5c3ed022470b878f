package openai

import (
	"crypto/sha256"
	"sync"
)

// cache keeps vectors of texts, so that a run that an outage ended pays for no text twice. It holds two halves: the
// older one is dropped when the younger is full.
type cache struct {
	limit int // bytes of a half

	mu         sync.Mutex
	young, old map[[16]byte][]float32
	size       int // bytes of young
}

func newCache(limit int) *cache {
	return &cache{limit: limit / 2, young: map[[16]byte][]float32{}}
}

func keyOf(text string) [16]byte {
	sum := sha256.Sum256([]byte(text))
	return [16]byte(sum[:16])
}

func (c *cache) get(text string) []float32 {
	key := keyOf(text)
	c.mu.Lock()
	defer c.mu.Unlock()
	v := c.young[key]
	if v == nil {
		if v = c.old[key]; v != nil {
			c.add(key, v)
		}
	}
	return v
}

func (c *cache) put(text string, v []float32) {
	key := keyOf(text)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(key, v)
}

// add puts a vector into the younger half. c.mu is held.
func (c *cache) add(key [16]byte, v []float32) {
	if c.young[key] != nil {
		return
	}
	size := 4*len(v) + 64
	if c.size+size > c.limit {
		c.old, c.young, c.size = c.young, map[[16]byte][]float32{}, 0
	}
	c.young[key] = v
	c.size += size
}

func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.young, c.old, c.size = map[[16]byte][]float32{}, nil, 0
}
