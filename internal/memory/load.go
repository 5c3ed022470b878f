package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/contextd/contextd/internal/servers"
)

// Filter says which items are listed. What is empty allows all.
type Filter struct {
	Kinds  []string
	Tiers  []Tier // COLD includes what is put away
	Scopes []Scope
	Tags   []string // an item needs one of them
	Text   string   // what an item's text holds, in any case
	TaskID string
	Limit  int // 0: all
}

// filter is a checked Filter.
type filter struct {
	Filter
	kinds []Kind
}

func (f Filter) check() (c filter, err error) {
	c.Filter = f
	for _, k := range f.Kinds {
		kind, err := ParseKind(k)
		if err != nil {
			return c, err
		}
		c.kinds = append(c.kinds, kind)
	}
	for _, t := range f.Tiers {
		if !slices.Contains(Tiers(), t) {
			return c, invalid("tier", string(t), "one of "+list(Tiers()))
		}
	}
	for _, s := range f.Scopes {
		if !slices.Contains(Scopes(), s) {
			return c, invalid("scope", string(s), "one of "+list(Scopes()))
		}
	}
	if f.Limit < 0 {
		return c, invalid("limit", strconv.Itoa(f.Limit), "0 (all) or more")
	}
	c.Text, err = textOf("text", f.Text)
	return c, err
}

// match reports whether an item passes.
func (f *filter) match(it *Item) bool {
	return (len(f.kinds) == 0 || slices.Contains(f.kinds, it.Kind)) &&
		(len(f.Tiers) == 0 || slices.Contains(f.Tiers, it.Tier)) &&
		(len(f.Scopes) == 0 || slices.Contains(f.Scopes, it.Scope)) &&
		(len(f.Tags) == 0 || slices.ContainsFunc(f.Tags, func(t string) bool { return slices.Contains(it.Tags, t) })) &&
		(f.TaskID == "" || f.TaskID == it.TaskID) &&
		(f.Text == "" || strings.Contains(strings.ToLower(it.Content), f.Text))
}

// Load returns the items of some tiers, by default HOT, most important first: the agent's own, those of the project and
// those of all. What they hold is shared: it must not be changed. Where one of the three cannot be read, the items of the
// others come with the error.
func (m *Memory) Load(ctx context.Context, who Who, tiers ...Tier) ([]Item, error) {
	if len(tiers) == 0 {
		tiers = []Tier{Hot}
	}
	return m.List(ctx, who, Filter{Tiers: tiers})
}

// List returns the items that pass a filter, as Load does.
func (m *Memory) List(ctx context.Context, who Who, f Filter) ([]Item, error) {
	c, err := f.check()
	if err != nil {
		return nil, err
	}
	found, err := m.visibleIn(ctx, who, f.Scopes, len(f.Tiers) == 0 || slices.Contains(f.Tiers, Cold), c.match)
	if len(found) == 0 {
		return nil, err
	}
	items := m.show(ctx, found)
	if f.Limit > 0 && len(items) > f.Limit {
		items = items[:f.Limit]
	}
	return items, err
}

// Get returns one item, live or put away, or ErrNotFound.
func (m *Memory) Get(ctx context.Context, who Who, id string) (Item, error) {
	if err := ids([]string{id}); err != nil {
		return Item{}, err
	}
	found, err := m.visible(ctx, who, true, func(it *Item) bool { return it.ID == id })
	if len(found) == 0 && err != nil {
		return Item{}, err
	}
	if len(found) == 0 {
		return Item{}, fmt.Errorf("item %q: %w", id, ErrNotFound)
	}
	return m.show(ctx, found)[0], nil
}

// seen is an entry that somebody sees, and where.
type seen struct {
	*entry
	archived bool
}

// sees reports whether who asks sees an item of a shelf that they may read: what an agent wrote for itself in another
// project is left out.
func sees(who Who, it *Item) bool {
	return it.Scope != ScopeTask || it.Project == "" || who.Project == "" || it.Project == who.Project
}

// visible are the entries that who asks may see and that pass; those put away only if asked for. An item that lies in
// both places, as after a crash between two steps of a move, is live. Where one place cannot be read, as its server of
// several is down, those of the others come with the error.
func (m *Memory) visible(ctx context.Context, who Who, away bool, pass func(*Item) bool) ([]seen, error) {
	return m.visibleIn(ctx, who, nil, away, pass)
}

// visibleIn is visible in some scopes; none means all. What is not asked for is not missed where it cannot be read.
func (m *Memory) visibleIn(
	ctx context.Context, who Who, scopes []Scope, away bool, pass func(*Item) bool,
) ([]seen, error) {
	if err := who.check(); err != nil {
		return nil, err
	}
	var found []seen
	var failed error
	for _, p := range places(who, scopes...) {
		live, old, err := m.both(ctx, p, away)
		if err != nil {
			failed = servers.Join(failed, err)
			continue
		}
		for _, e := range live.items {
			if sees(who, &e.Item) && pass(&e.Item) {
				found = append(found, seen{e, false})
			}
		}
		for _, e := range old.items {
			if sees(who, &e.Item) && pass(&e.Item) && live.find(e.ID) == nil {
				found = append(found, seen{e, true})
			}
		}
	}
	return found, failed
}

// maxLooks bounds how often a place is looked at again.
const maxLooks = 100

// both are the live items of a place and, if asked for, those put away. An item on its way from one to the other is in
// one of them at least: while the live ones change between the two looks, both are looked at again.
func (m *Memory) both(ctx context.Context, p place, away bool) (live, old *snapshot, err error) {
	if live, err = m.read(ctx, p.live); err != nil || !away {
		return live, &snapshot{}, err
	}
	for tries := 0; ; tries++ {
		if old, err = m.read(ctx, p.archive); err != nil {
			return nil, nil, err
		}
		again, err := m.read(ctx, p.live)
		if err != nil {
			return nil, nil, err
		}
		if again.rev == live.rev || tries == maxLooks {
			return again, old, nil
		}
		live = again
	}
}

// show are the items of entries, most important first, with what is known only now.
func (m *Memory) show(ctx context.Context, found []seen) []Item {
	slices.SortFunc(found, func(a, b seen) int {
		return cmp.Or(cmp.Compare(b.Importance, a.Importance), b.CreatedAt.Compare(a.CreatedAt),
			cmp.Compare(a.ID, b.ID))
	})
	items, cited := make([]Item, len(found)), []*Item(nil)
	for i, s := range found {
		items[i] = s.Item
		items[i].Hash, items[i].Archived = s.digest(), s.archived
		if len(s.Citations) > 0 {
			cited = append(cited, &items[i])
		}
	}
	if len(cited) > 0 {
		m.verify(ctx, cited)
	}
	return items
}
