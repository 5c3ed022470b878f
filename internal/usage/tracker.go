package usage

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/contextd/contextd/internal/store"
	"github.com/contextd/contextd/internal/store/shelves"
)

// Tracker learns from turns. Safe for concurrent use, by several processes too.
type Tracker struct {
	store    store.Store
	now      func() time.Time
	projects *shelves.Cache[*ledger]
}

const maxKnown = 64 // ledgers kept, up to about 1 MB each

// New makes a Tracker over s. now tells the time.
func New(s store.Store, now func() time.Time) *Tracker {
	return &Tracker{store: s, now: now, projects: shelves.NewCache(s, maxKnown, nil, read)}
}

func items(project string) store.Shelf { return store.Shelf{Bucket: "usage", Owner: project} }
func turns(project string) store.Shelf { return store.Shelf{Bucket: "turns", Owner: project} }

// Begin tracks what went into a prompt, so that Finish can tell what became of it. The same turn again changes nothing.
func (t *Tracker) Begin(ctx context.Context, project string, in Turn) error {
	k, err := in.keep()
	if err == nil {
		k, err = k.redacted(ctx)
	}
	if err != nil {
		return fmt.Errorf("track a turn of %q: %w", project, err)
	}
	if k.At.IsZero() {
		k.At = t.now().UTC()
	}
	data, err := json.Marshal(k)
	if err == nil {
		err = t.begin(ctx, project, k, data)
	}
	if err != nil {
		return fmt.Errorf("track turn %q of %q: %w", in.ID, project, err)
	}
	return nil
}

func (t *Tracker) begin(ctx context.Context, project string, k turn, data []byte) error {
	_, err := shelves.Update(ctx, t.store, turns(project), func(try int) ([]store.Write, error) {
		if try > 1 { // the turn is there already, or the ring was changed by somebody else
			old, err := t.turn(ctx, project, k.ID)
			switch {
			case err == nil && slices.EqualFunc(old.Items, k.Items, func(a, b item) bool {
				return a.ID == b.ID && slices.Equal(a.Words, b.Words)
			}):
				return nil, nil
			case err == nil:
				return nil, errOther
			case !errors.Is(err, store.ErrNotFound):
				return nil, err
			}
		}
		ring, rev, err := ringDoc.Get(ctx, t.store, turns(project))
		if err != nil {
			return nil, err
		}
		next, out := push(ring, k.ID)
		kept, err := ringDoc.Encode(next)
		writes := []store.Write{{ID: turnDoc + k.ID, Data: data, If: store.Absent},
			{ID: ringDoc.ID, Data: kept, If: cmp.Or(rev, store.Absent)}}
		for _, id := range out {
			if id != k.ID {
				writes = append(writes, store.Write{ID: turnDoc + id})
			}
		}
		return writes, err
	})
	return err
}

// turn reads a tracked turn.
func (t *Tracker) turn(ctx context.Context, project, id string) (turn, error) {
	k, rev, err := docOf(id).Get(ctx, t.store, turns(project))
	if err == nil && rev == 0 {
		err = store.NotFound(turns(project), turnDoc+id)
	}
	return k, err
}

// Report tells what became of a turn so far; store.ErrNotFound if it is none of the last MaxTurns.
func (t *Tracker) Report(ctx context.Context, project, id string) (Report, error) {
	k, err := t.turn(ctx, project, id)
	if err != nil {
		return Report{}, fmt.Errorf("report on turn %q of %q: %w", id, project, err)
	}
	return k.report(), nil
}

// Finish learns from what is known of a turn after it, or from a part of that, and tells what became of the turn so
// far; store.ErrNotFound if it is none of the last MaxTurns. What was said before counts once; feedback that says
// nothing is none.
func (t *Tracker) Finish(ctx context.Context, project, id string, f Feedback) (Report, error) {
	r, err := t.finish(ctx, project, id, f)
	if err != nil {
		return Report{}, fmt.Errorf("learn from turn %q of %q: %w", id, project, err)
	}
	return r, nil
}

func (t *Tracker) finish(ctx context.Context, project, id string, f Feedback) (Report, error) {
	f, err := f.redacted(ctx)
	if err != nil {
		return Report{}, err
	}
	var r Report
	var events []event
	var add Precision
	err = docOf(id).Update(ctx, t.store, turns(project), func(k turn, found bool) (*turn, error) {
		if !found {
			return nil, store.NotFound(turns(project), turnDoc+id)
		}
		events, add = nil, Precision{}
		if !f.empty() {
			events, add = k.judge(f)
		}
		if r = k.report(); len(events) == 0 && add.Missed == 0 {
			return nil, nil
		}
		k, err := k.redacted(ctx)
		r = k.report()
		return &k, err
	})
	if err == nil && (len(events) > 0 || add.Missed > 0) {
		err = t.learn(ctx, project, events, add)
	}
	return r, err
}

// Record learns at once that items were retrieved and which of them, by overlap (see Referenced), were referenced. An
// item that is given twice counts once.
func (t *Tracker) Record(ctx context.Context, project string, retrieved []Shown, referenced map[string]float64) error {
	var events []event
	seen := map[string]bool{}
	for _, s := range retrieved {
		if err := s.check(); err != nil {
			return fmt.Errorf("record what was used of %q: %w", project, err)
		}
		if seen[s.ID] {
			continue
		}
		seen[s.ID] = true
		overlap, ok := referenced[s.ID]
		events = append(events, event{id: redact(s.ID), kind: redact(s.Kind), retrieved: true, referenced: ok,
			weight: overlap})
	}
	if err := t.learn(ctx, project, events, Precision{}); err != nil {
		return fmt.Errorf("record what was used of %q: %w", project, err)
	}
	return nil
}

func (t *Tracker) learn(ctx context.Context, project string, events []event, add Precision) error {
	now := t.now()
	_, err := t.projects.Update(ctx, items(project), func(l *ledger) (c shelves.Change[*ledger], err error) {
		next, writes, err := l.learn(events, add, now)
		c.Writes, c.After = writes, func(rev int64) *ledger {
			next.written(writes, rev)
			return next
		}
		return c, err
	})
	if err == nil {
		observe(add)
	}
	return err
}

// Boosts are the weights of a project's items at one moment. The zero value knows nothing: all weights are 1.
type Boosts struct{ l *ledger }

// Boosts returns what was learnt of a project's items.
func (t *Tracker) Boosts(ctx context.Context, project string) (Boosts, error) {
	l, err := t.projects.Get(ctx, items(project))
	if err != nil {
		return Boosts{}, fmt.Errorf("load what was used of %q: %w", project, err)
	}
	return Boosts{l}, nil
}

// Of is the weight of an item, in [.5, 1.5]; 1 if it was retrieved less than twice.
func (b Boosts) Of(id string) float64 {
	if b.l == nil {
		return 1
	}
	id = redact(id)
	return b.l.shards[shardOf(id)].items[id].boost(minItem)
}

// Score is the sum of an item's overlaps, each halved every HalfLife up to now; 0 if it is unknown.
func (b Boosts) Score(id string, now time.Time) float64 {
	if b.l == nil {
		return 0
	}
	id = redact(id)
	return b.l.shards[shardOf(id)].items[id].scoreAt(now)
}

// OfKind is the weight of a kind of items, in [.5, 1.5], for budgets; 1 if fewer than 20 were retrieved.
func (b Boosts) OfKind(kind string) float64 {
	if b.l == nil {
		return 1
	}
	return b.l.sums.kinds[kind].boost(minKind)
}

// Precisions are the counts of a project by agent kind and profile, sorted.
func (b Boosts) Precisions() []Precision {
	if b.l == nil {
		return nil
	}
	return slices.Clone(b.l.sums.agents)
}
