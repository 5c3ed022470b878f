package memory

import (
	"context"
	"fmt"
)

// Held is an item that a client has: its id, and the Hash that it was given with.
type Held struct {
	ID   string `json:"id"`
	Hash string `json:"hash"`
}

// Delta is what a client must do to have what it should.
type Delta struct {
	Added   []Item   `json:"added"`
	Changed []Item   `json:"changed"`
	Dropped []string `json:"dropped"` // ids of what it has and should not, in its order
	Same    int      `json:"same"`
}

// Diff compares what a client has with the items of some tiers, by default HOT: only what is new or changed is loaded,
// and what left is named.
func (m *Memory) Diff(ctx context.Context, who Who, have []Held, tiers ...Tier) (Delta, error) {
	if len(have) > maxBatch {
		return Delta{}, invalid("held", number(len(have), "item"), fmt.Sprintf("at most %d", maxBatch))
	}
	list := make([]string, len(have))
	for i, h := range have {
		list[i] = h.ID
	}
	if len(list) > 0 {
		if err := ids(list); err != nil {
			return Delta{}, err
		}
	}
	items, err := m.Load(ctx, who, tiers...)
	if err != nil {
		return Delta{}, err
	}
	return compare(have, items), nil
}

// compare is the Delta from what is held to items.
func compare(have []Held, items []Item) Delta {
	d := Delta{Added: []Item{}, Changed: []Item{}, Dropped: []string{}}
	hashes := make(map[string]string, len(have))
	for _, h := range have {
		hashes[h.ID] = h.Hash
	}
	for _, it := range items {
		hash, held := hashes[it.ID]
		switch {
		case !held:
			d.Added = append(d.Added, it)
		case hash != it.Hash:
			d.Changed = append(d.Changed, it)
		default:
			d.Same++
		}
		delete(hashes, it.ID)
	}
	for _, h := range have {
		if _, left := hashes[h.ID]; left {
			d.Dropped = append(d.Dropped, h.ID)
		}
	}
	return d
}
