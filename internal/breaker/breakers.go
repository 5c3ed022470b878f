package breaker

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/contextd/contextd/internal/store"
	"github.com/contextd/contextd/internal/store/shelves"
)

const (
	believed  = 5 * time.Second       // how long a state is believed that was read
	readLimit = 50 * time.Millisecond // what reading one may cost a context
	maxKnown  = 1000                  // projects
)

func shelf(project string) store.Shelf { return store.Shelf{Bucket: "breaker", Owner: project} }

// document is the state of a project. One that cannot be read counts as nothing known; where nothing was slow there is
// none.
var document = func() shelves.Doc[State] {
	d := shelves.JSONOrZero[State]("state")
	marshal := d.Encode
	d.Encode = func(s State) ([]byte, error) {
		if s == (State{}) {
			return nil, nil
		}
		return marshal(s)
	}
	return d
}()

// Load is the state of a project's retrieval; the zero one where there is none.
func Load(ctx context.Context, s store.Store, project string) (st State, err error) {
	if st, _, err = document.Get(ctx, s, shelf(project)); err != nil {
		return State{}, fmt.Errorf("read whether retrieval of %q is off: %w", project, err)
	}
	return st, nil
}

// Projects are the states of all projects whose retrieval was slow lately.
func Projects(ctx context.Context, s store.Store) (map[string]State, error) {
	owners, err := s.Owners(ctx, shelf("").Bucket)
	if err != nil {
		return nil, fmt.Errorf("list where retrieval is slow: %w", err)
	}
	out := map[string]State{}
	for _, project := range owners {
		if out[project], err = Load(ctx, s, project); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Breakers are those of all projects. Safe for concurrent use.
type Breakers struct {
	rule  Rule
	store store.Store // nil: what one process saw

	mu    sync.Mutex
	known map[string]known // by project
}

type known struct {
	State
	read time.Time
}

// New makes the breakers by a rule over s.
func New(rule Rule, s store.Store) *Breakers {
	return &Breakers{rule: rule, store: s, known: map[string]known{}}
}

// Limit is what finding code may cost a context; 0: anything.
func (b *Breakers) Limit() time.Duration { return b.rule.Limit }

// Off is the state of a project's retrieval, and whether it is off now. Where the state cannot be read, what this
// process saw holds.
func (b *Breakers) Off(ctx context.Context, project string, now time.Time) (State, bool) {
	if b.rule.Limit <= 0 {
		return State{}, false
	}
	b.mu.Lock()
	k := b.known[project]
	b.mu.Unlock()
	if b.store != nil && (k.read.IsZero() || now.Sub(k.read) >= believed) {
		ctx, cancel := context.WithTimeout(ctx, readLimit)
		s, err := Load(ctx, b.store, project)
		cancel()
		if err == nil {
			k.State = s
		}
		k.read = now
		b.keep(project, k)
	}
	return k.State, k.Off(now)
}

// Note takes in what a context's search cost, and reports whether that turned retrieval off. The error says that no
// other process learns of it.
func (b *Breakers) Note(
	ctx context.Context, project string, began time.Time, took time.Duration,
) (off bool, err error) {
	b.mu.Lock()
	k := b.known[project]
	next := b.rule.After(k.State, began, took)
	changed, off := next != k.State, next.Pauses > k.Pauses
	k.State = next
	b.mu.Unlock()
	if !changed {
		return false, nil
	}
	b.keep(project, k)
	if b.store == nil {
		return off, nil
	}
	if err = document.Put(ctx, b.store, shelf(project), next); err != nil {
		err = fmt.Errorf("keep whether retrieval of %q is off: %w", project, err)
	}
	return off, err
}

func (b *Breakers) keep(project string, k known) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, have := b.known[project]; !have && len(b.known) >= maxKnown {
		for other := range b.known { // any: it is read again when it is asked for
			delete(b.known, other)
			break
		}
	}
	b.known[project] = k
}
