package rerank

import "sync"

// maxOrders bounds the orders of one half of the cache: about 150 bytes each.
const maxOrders = 1000

// cache keeps orders by the sum of what was sent. It holds two halves: the older one is dropped when the younger is
// full.
type cache struct {
	mu         sync.Mutex
	young, old map[[32]byte][]int8 // guarded by mu
}

func (c *cache) get(key [32]byte) []int {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept := c.young[key]
	if kept == nil {
		if kept = c.old[key]; kept == nil {
			return nil
		}
		c.add(key, kept)
	}
	order := make([]int, len(kept))
	for i, at := range kept {
		order[i] = int(at)
	}
	return order
}

func (c *cache) put(key [32]byte, order []int) {
	kept := make([]int8, len(order)) // MaxCandidates fits
	for i, at := range order {
		kept[i] = int8(at)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(key, kept)
}

// add puts an order into the younger half. c.mu is held.
func (c *cache) add(key [32]byte, order []int8) {
	if c.young == nil || len(c.young) >= maxOrders {
		c.old, c.young = c.young, map[[32]byte][]int8{}
	}
	c.young[key] = order
}
