package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/store"
)

// Touch counts a use of each item: its importance rises, and it is as fresh as when it was written. One that was put
// away is live again. It returns how many were touched; ids that are unknown are named by an error that is ErrNotFound,
// the others are touched all the same.
func (m *Memory) Touch(ctx context.Context, who Who, list ...string) (int, error) {
	return m.revise(ctx, who, list, func(it *Item, now time.Time) {
		it.AccessCount++
		it.LastAccessed = latest(it.LastAccessed, now)
	})
}

// revise has edited change items and rates them again: each is live then, one that was put away too, and was not
// demoted. It returns how many there were; ids that are unknown are named by an error that is ErrNotFound.
func (m *Memory) revise(
	ctx context.Context, who Who, list []string, edited func(it *Item, now time.Time),
) (int, error) {
	return m.each(ctx, who, list, func(p place, mine []string) (int, error) {
		var back []string // ids that come back from the archive, of all steps
		live, n, err := m.change(ctx, p.live, true, func(live *snapshot) ([]edit, error) {
			away, err := m.read(ctx, p.archive)
			if err != nil {
				return nil, err
			}
			now, edits := m.now(), []edit(nil)
			for _, id := range mine {
				e := live.find(id)
				if e == nil {
					if e = away.find(id); e == nil {
						continue // forgotten meanwhile
					}
					back = append(back, id)
				}
				it := e.Item
				it.Demoted = false
				edited(&it, now)
				it.rate(now)
				edits = append(edits, edit{item: it})
			}
			return edits, nil
		})
		if err != nil {
			return n, err
		}
		if err := m.drop(ctx, p.archive, back); err != nil {
			return n, err
		}
		return n, m.bound(ctx, p, live)
	})
}

// Forget removes items for good, live or put away; a checkpoint that names one restores the others. What is unknown is
// told as by Touch.
func (m *Memory) Forget(ctx context.Context, who Who, list ...string) (int, error) {
	return m.each(ctx, who, list, func(p place, mine []string) (int, error) {
		for _, sh := range []store.Shelf{p.archive, p.live} { // live last: what is still there can be forgotten again
			if err := m.drop(ctx, sh, mine); err != nil {
				return 0, err
			}
		}
		return len(mine), nil
	})
}

// each gives the ids of a list that who asks may see to do, those of one place at a time, and sums up.
func (m *Memory) each(
	ctx context.Context, who Who, list []string, do func(p place, mine []string) (int, error),
) (n int, err error) {
	if err := ids(list); err != nil {
		return 0, err
	}
	want := make(map[string]bool, len(list))
	for _, id := range list {
		want[id] = true
	}
	found, failed := m.visible(ctx, who, true, func(it *Item) bool { return want[it.ID] })
	mine := map[Scope][]string{}
	for _, s := range found {
		mine[s.Scope] = append(mine[s.Scope], s.ID)
		delete(want, s.ID)
	}
	if len(want) > 0 && failed != nil { // they may be where could not be looked
		return 0, failed
	}
	for _, s := range Scopes() {
		if len(mine[s]) == 0 {
			continue
		}
		done, err := do(placeOf(s, who), mine[s])
		if n += done; err != nil {
			return n, err
		}
	}
	if len(want) > 0 {
		unknown := slices.DeleteFunc(slices.Clone(list), func(id string) bool { return !want[id] })
		more := ""
		if len(unknown) > 5 {
			more, unknown = fmt.Sprintf(" and %d more", len(unknown)-5), unknown[:5]
		}
		return n, fmt.Errorf("%s%s: %w", strings.Join(unknown, ", "), more, ErrNotFound)
	}
	return n, nil
}

// Clear forgets all that an agent has of its own: items, live and put away, checkpoints, what was injected. What it
// wrote for its project or for all stays.
func (m *Memory) Clear(ctx context.Context, agent string) (int, error) {
	who := Who{Agent: agent}
	if err := who.check(); err != nil {
		return 0, err
	}
	p, n := placeOf(ScopeTask, who), 0
	for _, sh := range []store.Shelf{p.live, p.archive} {
		_, gone, err := m.change(ctx, sh, true, func(s *snapshot) ([]edit, error) {
			var edits []edit
			for _, e := range s.items {
				edits = append(edits, edit{Item{ID: e.ID}, true})
			}
			return edits, nil
		})
		if n += gone; err != nil {
			return n, err
		}
	}
	for _, bucket := range []string{bucketCheckpoint, bucketInjected} {
		sh := store.Shelf{Bucket: bucket, Owner: agent}
		docs, _, err := m.st.All(ctx, sh)
		if err != nil || len(docs) == 0 {
			if err != nil {
				return n, err
			}
			continue
		}
		writes := make([]store.Write, len(docs))
		for i, d := range docs {
			writes[i].ID = d.ID
		}
		if _, err := m.st.Apply(ctx, sh, writes...); err != nil {
			return n, err
		}
	}
	return n, nil
}

// Retier gives all items that an agent sees their importance and tier as of now: to be called after each task, with the
// id of the one that comes ("": none yet). It returns how many changed.
func (m *Memory) Retier(ctx context.Context, who Who, current string) (int, error) {
	if err := who.Check(current); err != nil {
		return 0, err
	}
	n := 0
	for _, p := range places(who) {
		changed, err := m.retier(ctx, p, current)
		if n += changed; err != nil {
			return n, err
		}
	}
	return n, nil
}

func (m *Memory) retier(ctx context.Context, p place, current string) (n int, err error) {
	_, n, err = m.change(ctx, p.live, true, func(live *snapshot) ([]edit, error) {
		items := make([]Item, len(live.items))
		for i, e := range live.items {
			items[i] = e.Item
		}
		var edits []edit
		for _, it := range Retier(items, current, m.now()) {
			edits = append(edits, edit{item: it})
		}
		return edits, nil
	})
	return n, err
}
