package memory

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/contextd/contextd/internal/store"
	"github.com/contextd/contextd/internal/store/shelves"
)

// Options of a Memory.
type Options struct {
	Now      func() time.Time // nil: the clock
	Manifest Manifest         // nil: citations are not checked
	Similar  Similar          // nil: recall goes by words alone
	// live items of one agent, project or of all; beyond, the least important are archived; 0 means 10,000
	MaxItems int
	MaxBytes int // of their texts together, the same; 0 means 32 MiB
	// items put away of one agent, project or of all; beyond, the oldest are dropped; 0 means 20,000
	MaxArchived int
	// that an agent's own HOT items may take after a flash save, about; beyond, the least valuable become WARM; 0 means
	// 2000
	HotTokens   int
	HotItems    int          // how many of them may be HOT then; 0 means 40
	Checkpoints int          // kept of one agent; 0 means 20
	CacheBytes  int          // of texts kept in memory, about; 0 means 128 MiB
	Log         *slog.Logger // nil: none
}

// WithDefaults fills what is zero.
func (o Options) WithDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.MaxItems = cmp.Or(o.MaxItems, 10_000)
	o.MaxBytes = cmp.Or(o.MaxBytes, 32<<20)
	o.MaxArchived = cmp.Or(o.MaxArchived, 20_000)
	o.HotTokens = cmp.Or(o.HotTokens, 2000)
	o.HotItems = cmp.Or(o.HotItems, 40)
	o.Checkpoints = cmp.Or(o.Checkpoints, 20)
	o.CacheBytes = cmp.Or(o.CacheBytes, 128<<20)
	return o
}

// Validate names the first option that cannot be.
func (o Options) Validate() error {
	for _, f := range []struct {
		name        string
		value, most int
	}{
		{"max_items", o.MaxItems, 100_000}, {"max_bytes", o.MaxBytes, 1 << 30},
		{"max_archived", o.MaxArchived, 1_000_000},
		{"hot_tokens", o.HotTokens, 1 << 24}, {"hot_items", o.HotItems, 100_000}, {"checkpoints", o.Checkpoints, 1000},
		{"cache_bytes", o.CacheBytes, 1 << 40},
	} {
		if f.value < 1 || f.value > f.most {
			return fmt.Errorf("memory: %s must be between 1 and %d (got %d)", f.name, f.most, f.value)
		}
	}
	return nil
}

// Memory remembers for all agents. Safe for concurrent use; several processes may work on one store.
type Memory struct {
	st store.Store
	o  Options

	items    *shelves.Cache[*snapshot] // of all scopes, live and put away
	injected *shelves.Cache[*injected]
}

// New returns a Memory over a store, which stays the caller's to close.
func New(st store.Store, o Options) (*Memory, error) {
	o = o.WithDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	m := &Memory{st: st, o: o, injected: shelves.NewCache(st, maxAgents, nil, readInjected)}
	m.items = shelves.NewCache(st, o.CacheBytes, func(s *snapshot) int { return s.bytes }, m.readItems)
	return m, nil
}

// now is the time as it is stored: UTC, without the reading of the monotonic clock.
func (m *Memory) now() time.Time { return m.o.Now().UTC().Round(0) }

// Agents lists the agents that have items of scope task, live ones, sorted.
func (m *Memory) Agents(ctx context.Context) ([]string, error) {
	return m.st.Owners(ctx, buckets[ScopeTask])
}
