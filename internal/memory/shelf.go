package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/recall"
	"github.com/contextd/contextd/internal/store"
)

// The buckets of the store; see the package comment.
var (
	buckets  = map[Scope]string{ScopeTask: "memory", ScopeProject: "memoryproject", ScopeGlobal: "memoryglobal"}
	archives = map[Scope]string{ScopeTask: "archive", ScopeProject: "archiveproject", ScopeGlobal: "archiveglobal"}
)

const (
	bucketCheckpoint      = "checkpoint"
	bucketInjected        = "injected"
	bucketInjectedProject = "injectedproject"
	everybody             = "all"  // owner of the global shelves
	headID                = "head" // of the document that each change of a shelf of items writes; items begin with mem_
	format                = 1      // of the shelves and checkpoints; one with a higher number is not read
)

// head is that document.
type head struct {
	Version int `json:"version"`
}

// place is where the items of one scope lie, live and put away.
type place struct{ live, archive store.Shelf }

// shelfOwner is whose the items of a scope are.
func shelfOwner(s Scope, who Who) string {
	switch s {
	case ScopeTask:
		return who.Agent
	case ScopeProject:
		return who.Project
	}
	return everybody
}

// placeOf is the place of a scope for who asks.
func placeOf(s Scope, who Who) place {
	owner := shelfOwner(s, who)
	return place{store.Shelf{Bucket: buckets[s], Owner: owner}, store.Shelf{Bucket: archives[s], Owner: owner}}
}

// places are all whose items who asks may see, of some scopes; none means all.
func places(who Who, scopes ...Scope) []place {
	var all []place
	for _, s := range Scopes() {
		if (s != ScopeProject || who.Project != "") && (len(scopes) == 0 || slices.Contains(scopes, s)) {
			all = append(all, placeOf(s, who))
		}
	}
	return all
}

// entry is an item as it lies in the store.
type entry struct {
	Item
	rev  int64 // never the same twice in one shelf: the same id and rev are the same item
	text textual
}

// textual is what is computed from an item's text when it is first needed.
type textual struct {
	hashOnce, wordsOnce sync.Once
	statedOnce          sync.Once
	stated              string
	sum                 string
	words               *recall.Text
}

// digest is the hash of an item, in hexadecimal.
func (e *entry) digest() string {
	e.text.hashOnce.Do(func() { e.text.sum = fmt.Sprintf("%x", e.hash()) })
	return e.text.sum
}

// words are those of an item's text, kind, tags and cited paths.
func (e *entry) words() *recall.Text {
	e.text.wordsOnce.Do(func() {
		more := append([]string{string(e.Kind)}, e.Tags...)
		for _, c := range e.Citations {
			more = append(more, c.Path)
		}
		e.text.words = recall.Read(e.Content, more...)
	})
	return e.text.words
}

// snapshot is a shelf as of a revision. It never changes.
type snapshot struct {
	rev   int64
	head  int64    // revision of the head document; store.Absent where there is none
	items []*entry // by id
	text  int      // bytes of the items' texts
	bytes int      // of memory, about
}

// find is the entry with an id, nil where there is none.
func (s *snapshot) find(id string) *entry {
	i, ok := slices.BinarySearchFunc(s.items, id, func(e *entry, id string) int { return cmp.Compare(e.ID, id) })
	if !ok {
		return nil
	}
	return s.items[i]
}

// with is the snapshot after edits that became revision rev.
func (s *snapshot) with(edits []edit, rev int64) *snapshot {
	edits = slices.SortedFunc(slices.Values(edits), func(a, b edit) int { return cmp.Compare(a.item.ID, b.item.ID) })
	n := &snapshot{rev: rev, head: rev, items: make([]*entry, 0, len(s.items)+len(edits))}
	i := 0
	for _, e := range edits {
		for ; i < len(s.items) && s.items[i].ID < e.item.ID; i++ {
			n.items = append(n.items, s.items[i])
		}
		if i < len(s.items) && s.items[i].ID == e.item.ID {
			i++
		}
		if !e.remove {
			n.items = append(n.items, &entry{Item: e.item, rev: rev})
		}
	}
	n.items = append(n.items, s.items[i:]...)
	if len(n.items) == 0 {
		n.head = store.Absent
	}
	n.weigh()
	return n
}

// emptiedBy reports whether no item is left after edits.
func (s *snapshot) emptiedBy(edits []edit) bool {
	gone := 0
	for _, e := range edits {
		if !e.remove {
			return false
		}
		if s.find(e.item.ID) != nil {
			gone++
		}
	}
	return gone == len(s.items)
}

// weigh counts what the items take.
func (s *snapshot) weigh() {
	s.text = 0
	for _, e := range s.items {
		s.text += len(e.Content)
	}
	s.bytes = 1024 + 512*len(s.items) + s.text
}

// read is a shelf as it is now.
func (m *Memory) read(ctx context.Context, sh store.Shelf) (*snapshot, error) {
	return m.items.Get(ctx, sh)
}

// readItems parses a shelf; what old has at the same revision is taken from there.
func (m *Memory) readItems(
	ctx context.Context, sh store.Shelf, docs []store.Doc, rev int64, old *snapshot,
) (*snapshot, error) {
	s := &snapshot{rev: rev, head: store.Absent, items: make([]*entry, 0, len(docs))}
	for _, d := range docs {
		if d.ID == headID {
			var h head
			if err := json.Unmarshal(d.Data, &h); err != nil {
				return nil, fmt.Errorf("read the head of %s: %w", sh, err)
			}
			if h.Version > format {
				return nil, fmt.Errorf("read %s: version %d, this program knows %d: %w", sh, h.Version,
					format, ErrNewer)
			}
			s.head = d.Rev
			continue
		}
		if old != nil {
			if e := old.find(d.ID); e != nil && e.rev == d.Rev {
				s.items = append(s.items, e)
				continue
			}
		}
		it, err := decode(d.Data)
		if err != nil { // one damaged document must not hide the others; it stays where it is
			m.o.Log.WarnContext(ctx, "memory item unreadable", "shelf", sh.String(), "id", d.ID, obs.KeyError, err)
			continue
		}
		it.ID = d.ID
		s.items = append(s.items, &entry{Item: it, rev: d.Rev})
	}
	s.weigh()
	return s, nil
}
