package local

import "slices"

// termTable numbers the terms of a segment in order of first occurrence and counts their postings. Keys are hashes
// already, so their low bits choose the slot.
type termTable struct {
	slots  []uint32 // number +1 of the term, 0: free
	keys   []uint64
	counts []uint32
}

// ord is the number of a key; it counts one posting.
func (t *termTable) ord(key uint64) uint32 {
	if len(t.keys)*2 >= len(t.slots) {
		t.grow()
	}
	mask := uint64(len(t.slots) - 1)
	for i := key * 0x9e3779b97f4a7c15 >> 20 & mask; ; i = (i + 1) & mask {
		switch n := t.slots[i]; {
		case n == 0:
			t.keys = append(t.keys, key)
			t.counts = append(t.counts, 1)
			t.slots[i] = uint32(len(t.keys))
			return uint32(len(t.keys) - 1)
		case t.keys[n-1] == key:
			t.counts[n-1]++
			return n - 1
		}
	}
}

func (t *termTable) grow() {
	t.slots = make([]uint32, max(512, 2*len(t.slots)))
	mask := uint64(len(t.slots) - 1)
	for n, key := range t.keys {
		i := key * 0x9e3779b97f4a7c15 >> 20 & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = uint32(n + 1)
	}
}

// order is the numbers of all terms by key.
func (t *termTable) order() []uint32 {
	type pair struct {
		key uint64
		n   uint32
	}
	pairs := make([]pair, len(t.keys))
	for i, k := range t.keys {
		pairs[i] = pair{k, uint32(i)}
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		if a.key < b.key {
			return -1
		}
		return 1
	})
	order := make([]uint32, len(pairs))
	for i, p := range pairs {
		order[i] = p.n
	}
	return order
}
