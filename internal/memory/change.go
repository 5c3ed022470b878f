package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/contextd/contextd/internal/store"
)

// edit is a change of one item: written, or removed.
type edit struct {
	item   Item
	remove bool
}

// maxTries bounds how often a change is tried when other processes are always faster: each time one of them got further.
const maxTries = 100

// maxApply is the size of documents from which a change that may come in several parts is cut.
const maxApply = 16 << 20

// change writes what f wants to be changed, on the condition that the shelf is still as f saw it: each change writes the
// head document too, so that two that do not know of each other collide, one of them is tried again, and none is lost. f may
// be called often. Where parts is set, a large change is made in several steps: f is asked again, and what was written in an earlier
// step is left out. It returns the shelf after the change and how many edits were made.
func (m *Memory) change(ctx context.Context, sh store.Shelf, parts bool, f func(s *snapshot) ([]edit, error)) (*snapshot, int, error) {
	m.mu.Lock()
	h := m.shelf(sh)
	m.mu.Unlock()
	select {
	case h.turn <- struct{}{}:
		defer func() { <-h.turn }()
	case <-ctx.Done():
		return nil, 0, ctx.Err()
	}
	done := map[string]bool{} // ids written in earlier steps
	for tries := 0; ; {
		s, err := m.read(ctx, sh)
		if err != nil {
			return nil, len(done), err
		}
		edits, err := f(s)
		if len(done) > 0 {
			edits = slices.DeleteFunc(edits, func(e edit) bool { return done[e.item.ID] })
		}
		if err != nil || len(edits) == 0 {
			return s, len(done), err
		}
		writes, cut, err := documents(edits, parts)
		if err != nil {
			return nil, len(done), err
		}
		edits = edits[:len(writes)-1]
		if writes[0].If = s.head; s.emptiedBy(edits) {
			writes[0].Data = nil // an owner without items is no owner
		}
		rev, err := m.st.Apply(ctx, sh, writes...)
		switch {
		case err == nil:
			next := s.with(edits, rev)
			m.keep(sh, next)
			if !cut {
				return next, len(done) + len(edits), nil
			}
			for _, e := range edits {
				done[e.item.ID] = true
			}
		case !errors.Is(err, store.ErrConflict):
			return nil, len(done), err
		default:
			if tries++; tries == maxTries {
				return nil, len(done), fmt.Errorf("change %s, %d times: %w", sh, tries, err)
			}
			if err := pause(ctx, tries); err != nil {
				return nil, len(done), err
			}
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
				return nil, false, invalid("content", fmt.Sprintf("%d bytes as JSON", len(w.Data)), fmt.Sprintf("at most %d", store.MaxData))
			}
		}
		if size += len(w.Data); parts && size > maxApply && len(writes) > 1 {
			return writes, true, nil
		}
		writes = append(writes, w)
	}
	return writes, false, nil
}

// pause waits a random moment, longer with each try, so that those who collided part.
func pause(ctx context.Context, tries int) error {
	t := time.NewTimer(rand.N(min(20*time.Millisecond, time.Millisecond<<min(tries, 5))))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
