package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/contextd/contextd/internal/store"
)

// Saved tells what became of a Draft.
type Saved struct {
	Item     Item
	Merged   bool       // it was there already, live or put away; the two are one now
	Redacted []string   // rules of secrets that were replaced
	Refused  *LoopError // not saved; nil otherwise
}

// Save remembers one thing. A text that contextd injected into a prompt of this agent or its project is refused with a
// [LoopError]; one that is there already makes that item stronger; secrets are replaced before anything is stored.
func (m *Memory) Save(ctx context.Context, who Who, d Draft) (Saved, error) {
	all, err := m.SaveAll(ctx, who, []Draft{d})
	if err != nil {
		return Saved{}, err
	}
	if all[0].Refused != nil {
		return all[0], fmt.Errorf("save a memory of %q: %w", who.Agent, all[0].Refused)
	}
	return all[0], nil
}

// maxBatchBytes bounds the texts of one SaveAll.
const maxBatchBytes = 16 << 20

// SaveAll remembers several things, one result for each. If one draft cannot be, none is saved; one that is refused for
// repeating what was injected does not keep the others from being saved.
func (m *Memory) SaveAll(ctx context.Context, who Who, drafts []Draft) ([]Saved, error) {
	if err := who.check(); err != nil {
		written.WithLabelValues("invalid").Inc()
		return nil, err
	}
	all, size := make([]Saved, len(drafts)), 0
	for i, d := range drafts {
		it, rules, err := d.item(ctx, who)
		if err != nil {
			written.WithLabelValues("invalid").Inc()
			return nil, &DraftError{i, len(drafts), err}
		}
		all[i] = Saved{Item: it, Redacted: rules}
		size += len(it.Content)
	}
	if len(drafts) > maxBatch || size > maxBatchBytes {
		written.WithLabelValues("invalid").Inc()
		return nil, invalid("items", fmt.Sprintf("%d of %d bytes", len(drafts), size),
			fmt.Sprintf("at most %d of %d bytes", maxBatch, maxBatchBytes))
	}
	if err := m.refuse(ctx, who, all); err != nil {
		return nil, err
	}
	m.cite(ctx, all)
	for _, s := range Scopes() {
		if err := m.saveScope(ctx, s, who, all); err != nil {
			written.WithLabelValues("error").Inc()
			return nil, err
		}
	}
	for _, s := range all {
		switch {
		case s.Refused != nil:
			written.WithLabelValues("loop").Inc()
		case s.Merged:
			written.WithLabelValues("merged").Inc()
		default:
			written.WithLabelValues("saved").Inc()
		}
		redactions.Add(float64(len(s.Redacted)))
	}
	return all, nil
}

// saveScope writes the items of one scope by one change.
func (m *Memory) saveScope(ctx context.Context, scope Scope, who Who, all []Saved) error {
	var mine []*Saved
	for i := range all {
		if all[i].Item.Scope == scope && all[i].Refused == nil {
			mine = append(mine, &all[i])
		}
	}
	if len(mine) == 0 {
		return nil
	}
	p := placeOf(scope, who)
	fresh := make([]Item, len(mine)) // the drafts as they came: a change may be tried again
	for i, s := range mine {
		fresh[i] = s.Item
	}
	var back []string // ids that come back from the archive
	live, _, err := m.change(ctx, p.live, false, func(live *snapshot) ([]edit, error) {
		away, err := m.awayOf(ctx, p, live, fresh)
		if err != nil {
			return nil, err
		}
		now, at, edits := m.now(), map[string]int{}, []edit(nil)
		said := statementsOf(live)
		stands := make([]string, len(mine)) // ids of what each became
		back = back[:0]
		for i, s := range mine {
			it := fresh[i]
			// recall knows by it what was said after what
			it.CreatedAt, it.LastAccessed = now.Add(time.Duration(i)*time.Microsecond), now
			it.rate(now)
			s.Item, s.Merged = it, true
			if old := said[it.stated()]; old != nil && old.ID != it.ID && live.find(it.ID) == nil {
				// the same in other marks, or as another kind
				it.ID = old.ID
			}
			stands[i] = it.ID
			if j, twice := at[it.ID]; twice {
				s.Item = merge(say(edits[j].item, it), it, now)
				edits[j].item = s.Item
				continue
			}
			if old := live.find(it.ID); old != nil {
				s.Item = merge(say(old.Item, it), it, now)
			} else if old, ok := away[it.ID]; ok {
				s.Item = merge(old, it, now)
				back = append(back, it.ID)
			} else {
				s.Merged = false
			}
			at[it.ID] = len(edits)
			edits = append(edits, edit{item: s.Item})
			said.add(s.Item.stated(), &s.Item)
		}
		for i := range mine { // all that became one item look alike
			mine[i].Item = edits[at[stands[i]]].item
		}
		return edits, nil
	})
	if err != nil {
		return err
	}
	for _, s := range mine {
		s.Item.Hash = live.find(s.Item.ID).digest()
	}
	if err := m.drop(ctx, p.archive, back); err != nil {
		return err
	}
	return m.bound(ctx, p, live)
}

// fewItems is the number of items up to which each is asked for alone, not the whole archive.
const fewItems = 16

// awayOf finds those of items that are put away and not live.
func (m *Memory) awayOf(ctx context.Context, p place, live *snapshot, items []Item) (map[string]Item, error) {
	found := map[string]Item{}
	if len(items) > fewItems {
		away, err := m.read(ctx, p.archive)
		if err != nil {
			return nil, err
		}
		for _, it := range items {
			if e := away.find(it.ID); e != nil {
				found[it.ID] = e.Item
			}
		}
		return found, nil
	}
	for _, it := range items {
		if live.find(it.ID) != nil {
			continue
		}
		d, err := m.st.Get(ctx, p.archive, it.ID)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if old, err := decode(d.Data); err == nil { // else it is as good as not there, as for read
			old.ID = it.ID
			found[it.ID] = old
		}
	}
	return found, nil
}

// drop removes documents of items that lie elsewhere now. An id may stand there twice.
func (m *Memory) drop(ctx context.Context, sh store.Shelf, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	_, _, err := m.change(ctx, sh, true, func(s *snapshot) (edits []edit, err error) {
		for _, id := range ids {
			if s.find(id) != nil {
				edits = append(edits, edit{Item{ID: id}, true})
			}
		}
		return edits, nil
	})
	return err
}

// refuse marks the items whose text contextd injected into the prompts of the agent, or of another of its project. Who
// cites lines for what another agent was given has looked there, and may say that it is so still.
func (m *Memory) refuse(ctx context.Context, who Who, all []Saved) error {
	var given []*injected // the agent's own, then its project's
	for _, sh := range injectedShelves(who) {
		in, err := m.injected.Get(ctx, sh)
		if err != nil {
			return err
		}
		given = append(given, in)
	}
	for i := range all {
		counts := given
		if len(all[i].Item.Citations) > 0 {
			counts = given[:1]
		}
		known := func(h uint64) bool {
			return slices.ContainsFunc(counts, func(in *injected) bool { return in.has(h) })
		}
		if share, repeated := repeats(all[i].Item.Content, known); repeated {
			all[i].Refused = &LoopError{Share: share}
		}
	}
	return nil
}

// number is n with its noun, for errors.
func number(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}
