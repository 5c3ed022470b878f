package learn

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/store"
	"github.com/contextd/contextd/internal/store/shelves"
)

// Limits of what is kept of a project.
const (
	MaxObservations = 100 // of a group: the newest
	MaxGroups       = 16  // those that heard of a task last
	maxTaken        = 400 // tasks that were taken in already: more than history keeps
)

// Ledger keeps the observations of all projects. Safe for concurrent use, by several processes too.
type Ledger struct{ store store.Store }

// New makes a Ledger over s.
func New(s store.Store) *Ledger { return &Ledger{s} }

func shelf(project string) store.Shelf { return store.Shelf{Bucket: "learned", Owner: project} }

// book is what is kept of a project.
type book struct {
	Taken  []string `json:"taken"`  // tasks, the newest last: none is taken in twice, a reset notwithstanding
	Groups []*group `json:"groups"` // the one that heard of a task last is the last
}

type group struct {
	Group
	Seen []Observation `json:"seen"` // the newest last
}

func (b *book) find(g Group) int {
	return slices.IndexFunc(b.Groups, func(x *group) bool { return x.Group == g })
}

// add takes a task in.
func (b *book) add(task string, seen map[Group]Observation) {
	b.Taken = append(b.Taken, task)
	b.Taken = b.Taken[max(0, len(b.Taken)-maxTaken):]
	for _, g := range slices.SortedFunc(maps.Keys(seen), func(a, b Group) int {
		return cmp.Or(cmp.Compare(a.AgentKind, b.AgentKind), cmp.Compare(a.Profile, b.Profile))
	}) {
		x := &group{Group: g}
		if i := b.find(g); i >= 0 {
			x = b.Groups[i]
			b.Groups = slices.Delete(b.Groups, i, i+1)
		}
		x.Seen = append(x.Seen, seen[g])
		x.Seen = x.Seen[max(0, len(x.Seen)-MaxObservations):]
		b.Groups = append(b.Groups, x)
	}
	b.Groups = b.Groups[max(0, len(b.Groups)-MaxGroups):]
}

// Receipts returns those of the contexts that were compiled for the tasks, the newest first.
type Receipts func(ctx context.Context, tasks []string) ([]*receipt.Receipt, error)

// Seen takes in the tasks of ended, the oldest first, that it has not taken in yet, and returns the observations of a
// group. receipts is asked only where there are such tasks.
func (l *Ledger) Seen(
	ctx context.Context, project string, g Group, ended []receipt.Ended, receipts Receipts,
) ([]Observation, error) {
	b, err := l.update(ctx, project, ended, receipts, nil)
	if err != nil {
		return nil, fmt.Errorf("learn from the tasks of %q: %w", project, err)
	}
	if i := b.find(g); i >= 0 {
		return b.Groups[i].Seen, nil
	}
	return nil, nil
}

// Groups returns the observations of each group as Seen would, and keeps nothing.
func (l *Ledger) Groups(
	ctx context.Context, project string, ended []receipt.Ended, receipts Receipts,
) (map[Group][]Observation, error) {
	b, _, err := bookDoc.Get(ctx, l.store, shelf(project))
	if err == nil {
		err = b.take(ctx, b.fresh(ended), receipts)
	}
	if err != nil {
		return nil, fmt.Errorf("tell what the tasks of %q teach: %w", project, err)
	}
	out := map[Group][]Observation{}
	for _, x := range b.Groups {
		out[x.Group] = x.Seen
	}
	return out, nil
}

// Reset forgets the observations of a profile, or of all for "", and returns how many there were. The tasks that ended
// so far are not taken in again.
func (l *Ledger) Reset(
	ctx context.Context, project, profile string, ended []receipt.Ended, receipts Receipts,
) (forgotten int, err error) {
	_, err = l.update(ctx, project, ended, receipts, func(b *book) {
		forgotten = 0
		b.Groups = slices.DeleteFunc(b.Groups, func(x *group) bool {
			goes := profile == "" || x.Profile == profile
			if goes {
				forgotten += len(x.Seen)
			}
			return goes
		})
	})
	if err != nil {
		return 0, fmt.Errorf("forget what was learnt from the tasks of %q: %w", project, err)
	}
	return forgotten, nil
}

// bookDoc is the book of a project; a damaged one begins again.
var bookDoc = shelves.Doc[book]{ID: "ledger", Encode: func(b book) ([]byte, error) {
	return json.Marshal(b)
}, Decode: func(data []byte) (b book, _ error) {
	if json.Unmarshal(data, &b) != nil {
		return book{}, nil
	}
	b.Groups = slices.DeleteFunc(b.Groups, func(x *group) bool { return x == nil })
	return b, nil
}}

// update takes in what is new, changes the book, and keeps it if it differs.
func (l *Ledger) update(
	ctx context.Context, project string, ended []receipt.Ended, receipts Receipts, change func(*book),
) (kept book, err error) {
	err = bookDoc.Update(ctx, l.store, shelf(project), func(b book, _ bool) (*book, error) {
		kept = b
		fresh := b.fresh(ended)
		if len(fresh) == 0 && change == nil {
			return nil, nil
		}
		err := kept.take(ctx, fresh, receipts)
		if err == nil && change != nil {
			change(&kept)
		}
		return &kept, err
	})
	return kept, err
}

// fresh are the tasks that are known to have succeeded or failed and were not taken in yet.
func (b *book) fresh(ended []receipt.Ended) (fresh []receipt.Ended) {
	for _, e := range ended {
		if e.Success != nil && e.TaskID != "" && !slices.Contains(b.Taken, e.TaskID) {
			fresh = append(fresh, e)
		}
	}
	return fresh
}

func (b *book) take(ctx context.Context, fresh []receipt.Ended, receipts Receipts) error {
	if len(fresh) == 0 {
		return nil
	}
	ids := make([]string, len(fresh))
	for i, e := range fresh {
		ids[i] = e.TaskID
	}
	found, err := receipts(ctx, ids)
	if err != nil {
		return err
	}
	of := map[string][]*receipt.Receipt{}
	for _, r := range found {
		of[r.TaskID] = append(of[r.TaskID], r)
	}
	for _, e := range fresh {
		b.add(e.TaskID, observe(of[e.TaskID], *e.Success))
	}
	return nil
}
