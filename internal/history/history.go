package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/store"
	"github.com/contextd/contextd/internal/store/shelves"
)

// MaxTasks is how many tasks of a project stay in the store.
const MaxTasks = 100

// Errors of callers, wrapped.
var (
	ErrDuplicate = errors.New("recorded already, with other content")           // a task of this id
	ErrFull      = errors.New("too many tasks are blocked: unblock some first") // MaxBlockers
)

const bucket = "history"

// Ids of documents: what it is, then the id of the task.
const (
	taskDoc    = "task:"
	blockerDoc = "blocker:"
	stateDoc   = "state" // unknown fields of an imported state
)

// History is the working memory of all projects; nothing that it records holds a secret that package secret knows. Safe
// for concurrent use, by several processes too.
type History struct {
	dir string
	now func() time.Time

	projects *shelves.Cache[view]
}

// view is a state with the revisions of its documents, by document id.
type view struct {
	State
	revs map[string]int64
}

const maxKnown = 64 // states kept, up to 500 KB each

// New makes a History over s with its audit logs in dir, which it makes when it is needed. now tells the time.
func New(s store.Store, dir string, now func() time.Time) *History {
	return &History{dir: dir, now: now, projects: shelves.NewCache(s, maxKnown, nil, read)}
}

func shelf(project string) store.Shelf { return store.Shelf{Bucket: bucket, Owner: project} }

// Load returns the working memory of a project; an empty one where nothing was recorded.
func (h *History) Load(ctx context.Context, project string) (State, error) {
	v, err := h.projects.Get(ctx, shelf(project))
	if err != nil {
		return State{}, fmt.Errorf("load the history of %q: %w", project, err)
	}
	return v.State, nil
}

// read makes the state of a project of its documents. One that cannot be read is skipped, which the state says.
func read(_ context.Context, sh store.Shelf, docs []store.Doc, _ int64, _ view) (view, error) {
	s, revs := State{Project: sh.Owner}, make(map[string]int64, len(docs))
	for _, d := range docs {
		revs[d.ID] = d.Rev
		if err := s.add(d); err != nil {
			s.Skipped = append(s.Skipped, fmt.Sprintf("%q: %v", d.ID, err))
		}
	}
	slices.SortFunc(s.Tasks, func(a, b Task) int { return cmp.Or(cmp.Compare(a.seq, b.seq), cmp.Compare(a.ID, b.ID)) })
	slices.SortFunc(s.Blockers, func(a, b Blocker) int {
		return cmp.Or(a.BlockedAt.Compare(b.BlockedAt), cmp.Compare(a.ID, b.ID))
	})
	if n := len(s.Tasks); n > 0 {
		s.last = s.Tasks[n-1].seq
	}
	return view{s, revs}, nil
}

func (s *State) add(d store.Doc) error {
	switch {
	case strings.HasPrefix(d.ID, taskDoc):
		t, err := decode(d.Data)
		if err == nil {
			s.Tasks = append(s.Tasks, t)
		}
		return err
	case strings.HasPrefix(d.ID, blockerDoc):
		var b Blocker
		err := b.UnmarshalJSON(d.Data)
		if err == nil {
			s.Blockers = append(s.Blockers, b)
		}
		return err
	case d.ID == stateDoc:
		rest, ok := parseJSON[fields](d.Data)
		if !ok {
			return errors.New("want a JSON object")
		}
		s.rest = rest
	}
	return nil // of a newer version
}

// change runs f with the state of a project, alone on this machine, and applies what it returns; again if another
// machine was faster. The events are in the audit log before that, once.
func (h *History) change(
	ctx context.Context, project, what string, f func(s State, revs map[string]int64) ([]store.Write, []Event, error),
) error {
	err := h.tryChange(ctx, project, f)
	if err != nil {
		return fmt.Errorf("%s of %q: %w", what, project, err)
	}
	return nil
}

func (h *History) tryChange(
	ctx context.Context, project string, f func(s State, revs map[string]int64) ([]store.Write, []Event, error),
) error {
	if err := store.CheckShelf(shelf(project)); err != nil {
		return err
	}
	unlock, err := h.lock(ctx, project)
	if err != nil {
		return err
	}
	defer unlock()
	said := false
	_, err = h.projects.Update(ctx, shelf(project), func(v view) (c shelves.Change[view], err error) {
		writes, events, err := f(v.State, v.revs)
		if err != nil || len(writes) == 0 {
			return c, err
		}
		if err := redactWrites(ctx, writes); err != nil {
			return c, err
		}
		if !said {
			if err := h.audit(ctx, project, events); err != nil {
				return c, fmt.Errorf("write to the audit log: %w", err)
			}
			said = true
		}
		c.Writes = writes
		return c, nil
	})
	return err
}
