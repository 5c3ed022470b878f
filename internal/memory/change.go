package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/contextd/contextd/internal/store"
	"github.com/contextd/contextd/internal/store/shelves"
)

// edit is a change of one item: written, or removed.
type edit struct {
	item   Item
	remove bool
}

// maxApply is the size of documents from which a change that may come in several parts is cut.
const maxApply = 16 << 20

// change writes what f wants to be changed, on the condition that the shelf is still as f saw it: each change writes
// the head document too, so that two that do not know of each other collide, one of them is tried again, and none is
// lost. f may be called often. Where parts is set, a large change is made in several steps: f is asked again, and what
// was written in an earlier step is left out. It returns the shelf after the change and how many edits were made.
func (m *Memory) change(
	ctx context.Context, sh store.Shelf, parts bool, f func(s *snapshot) ([]edit, error),
) (*snapshot, int, error) {
	done := map[string]bool{} // ids written in earlier steps
	for {
		var edits []edit
		var cut bool
		s, err := m.items.Update(ctx, sh, func(s *snapshot) (c shelves.Change[*snapshot], err error) {
			edits, err = f(s)
			edits = slices.DeleteFunc(edits, func(e edit) bool { return done[e.item.ID] })
			if cut = false; err != nil || len(edits) == 0 {
				return c, err
			}
			if c.Writes, cut, err = documents(edits, parts); err != nil {
				return c, err
			}
			edits = edits[:len(c.Writes)-1]
			if c.Writes[0].If = s.head; s.emptiedBy(edits) {
				c.Writes[0].Data = nil // an owner without items is no owner
			}
			c.After = func(rev int64) *snapshot { return s.with(edits, rev) }
			return c, nil
		})
		if err != nil {
			return nil, len(done), err
		}
		for _, e := range edits {
			done[e.item.ID] = true
		}
		if !cut {
			return s, len(done), nil
		}
	}
}

// documents are the writes of edits, behind that of the head; cut says that some were left for the next time.
func documents(edits []edit, parts bool) (writes []store.Write, cut bool, err error) {
	data, err := json.Marshal(head{Version: format})
	if err != nil {
		return nil, false, fmt.Errorf("encode the head: %w", err)
	}
	writes, size := append(make([]store.Write, 0, len(edits)+1), store.Write{ID: headID, Data: data}), 0
	for _, e := range edits {
		w := store.Write{ID: e.item.ID}
		if !e.remove {
			if w.Data, err = encode(e.item); err != nil {
				return nil, false, err
			}
			if len(w.Data) > store.MaxData {
				return nil, false, invalid("content", fmt.Sprintf("%d bytes as JSON", len(w.Data)),
					fmt.Sprintf("at most %d", store.MaxData))
			}
		}
		if size += len(w.Data); parts && size > maxApply && len(writes) > 1 {
			return writes, true, nil
		}
		writes = append(writes, w)
	}
	return writes, false, nil
}
