package shelves

import (
	"context"
	"sync"

	"github.com/contextd/contextd/internal/store"
)

// Read makes a value of the documents of a shelf at a revision. old is what was held of an earlier one (the zero value:
// nothing), from which documents of the same revision may be taken. What it returns is shared and must not change.
type Read[T any] func(ctx context.Context, sh store.Shelf, docs []store.Doc, rev int64, old T) (T, error)

// Cache reads and changes shelves of one kind, and holds those used last. Safe for concurrent use, by several processes
// too.
type Cache[T any] struct {
	store store.Store
	read  Read[T]
	size  func(T) int
	room  int

	mu   sync.Mutex // guards what follows, never held while the store works
	held map[store.Shelf]*held[T]
	used int   // sum of the sizes of what is held
	tick int64 // counts uses of shelves
}

// held is what this process knows of a shelf.
type held[T any] struct {
	turn  chan struct{} // taken by who changes the shelf
	full  bool          // value is that of rev
	value T
	rev   int64
	size  int
	last  int64 // tick of the last use
}

// NewCache makes a Cache over st that holds values of a size of room together; size nil: each counts 1.
func NewCache[T any](st store.Store, room int, size func(T) int, read Read[T]) *Cache[T] {
	if size == nil {
		size = func(T) int { return 1 }
	}
	return &Cache[T]{store: st, read: read, size: size, room: room, held: map[store.Shelf]*held[T]{}}
}

// Get returns a shelf as it is now.
func (c *Cache[T]) Get(ctx context.Context, sh store.Shelf) (v T, err error) {
	c.mu.Lock()
	h := c.shelf(sh)
	full, old, rev := h.full, h.value, h.rev
	c.mu.Unlock()
	if full {
		now, err := c.store.Rev(ctx, sh)
		if err != nil {
			return v, err
		}
		if now == rev {
			return old, nil
		}
	}
	docs, rev, err := c.store.All(ctx, sh)
	if err != nil {
		return v, err
	}
	if v, err = c.read(ctx, sh, docs, rev, old); err != nil {
		return v, err
	}
	c.keep(sh, v, rev)
	return v, nil
}

// Change is what is to become of a shelf.
type Change[T any] struct {
	Writes []store.Write // none: it stays as it is
	// After returns the shelf after the writes, which became revision rev. Their conditions must see to it that nobody
	// else's change lies between what was seen and them. nil: it is read again when it is asked for.
	After func(rev int64) T
}

// Update changes a shelf as change wants it, as [Update] does, with the shelf as it is now, and returns it as it is
// afterwards, if After tells, else as change saw it.
func (c *Cache[T]) Update(ctx context.Context, sh store.Shelf, change func(v T) (Change[T], error)) (v T, err error) {
	c.mu.Lock()
	turn := c.shelf(sh).turn
	c.mu.Unlock()
	select {
	case turn <- struct{}{}:
		defer func() { <-turn }()
	case <-ctx.Done():
		return v, ctx.Err()
	}
	var wanted Change[T]
	rev, err := Update(ctx, c.store, sh, func(int) (_ []store.Write, err error) {
		if v, err = c.Get(ctx, sh); err == nil {
			wanted, err = change(v)
		}
		return wanted.Writes, err
	})
	if err == nil && len(wanted.Writes) > 0 && wanted.After != nil {
		v = wanted.After(rev)
		c.keep(sh, v, rev)
	}
	return v, err
}

// Size is the sum of the sizes of what is held.
func (c *Cache[T]) Size() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.used
}

// shelf is the record of a shelf, made where there is none. It requires mu.
func (c *Cache[T]) shelf(sh store.Shelf) *held[T] {
	h := c.held[sh]
	if h == nil {
		h = &held[T]{turn: make(chan struct{}, 1)}
		c.held[sh] = h
	}
	c.tick++
	h.last = c.tick
	return h
}

// maxHeld is the number of shelves beyond which those of which nothing is held are not remembered.
const maxHeld = 4096

// keep holds a value, unless a newer one is held, and lets those go that were used longest ago while there is too much.
func (c *Cache[T]) keep(sh store.Shelf, v T, rev int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.shelf(sh)
	if h.full && h.rev > rev {
		return // somebody was faster and saw more
	}
	c.used -= h.size
	h.full, h.value, h.rev, h.size = true, v, rev, c.size(v)
	c.used += h.size
	for c.used > c.room {
		var oldest *held[T]
		for _, o := range c.held {
			if o.full && (oldest == nil || o.last < oldest.last) {
				oldest = o
			}
		}
		var none T
		c.used -= oldest.size
		oldest.full, oldest.value, oldest.size = false, none, 0
	}
	if len(c.held) > maxHeld {
		for name, o := range c.held {
			if !o.full && len(o.turn) == 0 && o != h {
				delete(c.held, name) // its turn is free: who holds it by now would at worst collide, and try again
			}
		}
	}
}
