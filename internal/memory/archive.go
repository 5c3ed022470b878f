package memory

import (
	"cmp"
	"context"
	"slices"

	"github.com/contextd/contextd/internal/obs"
)

// Archive lists what is put away of all that who asks may see, most important first, as List does.
func (m *Memory) Archive(ctx context.Context, who Who, f Filter) ([]Item, error) {
	f.Tiers = nil // items are put away for other reasons, too
	limit := f.Limit
	f.Limit = 0
	all, err := m.List(ctx, who, f)
	all = slices.DeleteFunc(all, func(it Item) bool { return !it.Archived })
	if limit > 0 && len(all) > limit {
		all = all[:limit]
	}
	return all, err
}

// putAway moves entries to the archive: first they are written there, then taken from the live ones, so that a crash
// between leaves them in both places, which counts as live. One that was used or written meanwhile stays live.
func (m *Memory) putAway(ctx context.Context, p place, victims []*entry) (n int, err error) {
	if len(victims) == 0 {
		return 0, nil
	}
	lost := 0
	_, _, err = m.change(ctx, p.archive, true, func(away *snapshot) ([]edit, error) {
		var edits []edit
		for _, e := range victims {
			if old := away.find(e.ID); old == nil || old.AccessCount != e.AccessCount ||
				!old.LastAccessed.Equal(e.LastAccessed) {
				it := e.Item
				it.Tier = Cold // whatever its importance is: it is loaded as COLD ones are
				edits = append(edits, edit{item: it})
			}
		}
		over := overdue(away, edits, m.o.MaxArchived)
		lost = len(over)
		return append(edits, over...), nil
	})
	if err != nil {
		return 0, err
	}
	if lost > 0 {
		dropped.Add(float64(lost))
		m.o.Log.WarnContext(ctx, "memory archive full, oldest items dropped", "shelf", p.archive.String(),
			obs.KeyCount, lost)
	}
	_, n, err = m.change(ctx, p.live, true, func(live *snapshot) ([]edit, error) {
		var edits []edit
		for _, e := range victims {
			if now := live.find(e.ID); now != nil && now.rev == e.rev {
				edits = append(edits, edit{Item{ID: e.ID}, true})
			}
		}
		return edits, nil
	})
	archived.Add(float64(n))
	return n, err
}

// overdue are the removals of an archive by which it comes within most when edits are made, which stay.
func overdue(away *snapshot, edits []edit, most int) (over []edit) {
	after := away.with(edits, away.rev+1)
	n := len(after.items) - most
	if n <= 0 {
		return nil
	}
	oldest := slices.SortedFunc(slices.Values(after.items), func(a, b *entry) int {
		return cmp.Or(truth(a.rev > away.rev)-truth(b.rev > away.rev), a.LastAccessed.Compare(b.LastAccessed),
			cmp.Compare(a.ID, b.ID))
	})
	for _, e := range oldest[:n] {
		if e.rev <= away.rev {
			over = append(over, edit{Item{ID: e.ID}, true})
		}
	}
	return over
}

// bound puts away what is too much of a place: the oldest of COLD, then of what is least important. A twentieth more
// goes than must, so that it happens seldom. What was written last goes last.
func (m *Memory) bound(ctx context.Context, p place, live *snapshot) error {
	_, err := m.putAway(ctx, p, excess(live, m.o.MaxItems, m.o.MaxBytes))
	return err
}

// excess are the entries that must go for a place to hold at most so many items and bytes of text.
func excess(live *snapshot, items, bytes int) []*entry {
	size := live.text
	if len(live.items) <= items && size <= bytes {
		return nil
	}
	least := slices.SortedFunc(slices.Values(live.items), func(a, b *entry) int {
		byImportance := cmp.Compare(a.Importance, b.Importance)
		if a.Tier == Cold && b.Tier == Cold {
			byImportance = 0
		}
		return cmp.Or(truth(a.rev == live.rev)-truth(b.rev == live.rev), truth(b.Tier == Cold)-truth(a.Tier == Cold),
			byImportance, a.LastAccessed.Compare(b.LastAccessed), cmp.Compare(a.ID, b.ID))
	})
	n, victims := len(least), []*entry(nil)
	for _, e := range least {
		if n <= items-items/20 && size <= bytes-bytes/20 {
			break
		}
		victims = append(victims, e)
		n--
		size -= len(e.Content)
	}
	return victims
}

// truth is 1 of true.
func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}
