package memory

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/store"
	"github.com/contextd/contextd/internal/store/redis"
	"github.com/contextd/contextd/internal/store/sqlite"
)

// The promises of a Memory, over each of the two stores.
func TestMemoryOnSQLite(t *testing.T) {
	t.Parallel()
	suite(t, func(t testing.TB) func() store.Store {
		path := filepath.Join(t.TempDir(), "documents.db")
		return func() store.Store { return onSQLite(t, path) }
	})
}

func TestMemoryOnRedis(t *testing.T) {
	t.Parallel()
	server := rdbtest.Own(t, rdbtest.Plain)
	suite(t, func(t testing.TB) func() store.Store {
		prefix := server.Prefix + ":" + t.Name()
		return func() store.Store { return onRedis(t, server, prefix) }
	})
}

func onSQLite(t testing.TB, path string) store.Store {
	s, err := sqlite.Open(path, slog.New(slog.DiscardHandler))
	return opened(t, s, err)
}

func onRedis(t testing.TB, server *rdbtest.Server, prefix string) store.Store {
	s, err := redis.Open(redis.Options{URL: server.URL, Prefix: prefix, Deadline: time.Minute})
	return opened(t, s, err)
}

func opened(t testing.TB, s store.Store, err error) store.Store {
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// suite runs all tests over stores that place opens; each place is an empty one, and may be opened often.
func suite(t *testing.T, place func(t testing.TB) (open func() store.Store)) {
	for _, tests := range [][]test{itemTests, sharingTests, flashTests, boundTests} {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				b := newBed(t, place(t))
				tt.run(b)
			})
		}
	}
}

type test struct {
	name string
	run  func(b *bed)
}

// bed is one test's memory with its clock and files.
type bed struct {
	testing.TB
	*Memory
	open  func() store.Store
	clock *clock
	files files
}

func newBed(t testing.TB, open func() store.Store) *bed {
	b := &bed{TB: t, open: open, clock: &clock{now: start}, files: files{}}
	b.Memory = b.again(Options{})
	return b
}

// again is one more Memory over the same place, as of another process.
func (b *bed) again(o Options) *Memory { return b.over(b.open(), o) }

func (b *bed) over(st store.Store, o Options) *Memory {
	b.Helper()
	o.Now, o.Manifest = b.clock.get, b.files
	m, err := New(st, o)
	b.ok(err)
	return m
}

func (b *bed) ctx() context.Context { return b.Context() }

func (b *bed) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// fails wants an error of a kind.
func (b *bed) fails(err, want error) {
	b.Helper()
	if !errors.Is(err, want) {
		b.Fatalf("error %v, want %v", err, want)
	}
}

func (b *bed) equal(what string, got, want any) {
	b.Helper()
	if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w {
		b.Fatalf("%s:\n got %s\nwant %s", what, g, w)
	}
}

// save saves a draft that must be new or merged.
func (b *bed) save(who Who, kind, content string, change ...func(*Draft)) Item {
	b.Helper()
	d := Draft{Kind: kind, Content: content}
	for _, c := range change {
		c(&d)
	}
	s, err := b.Save(b.ctx(), who, d)
	b.ok(err)
	return s.Item
}

// texts are the contents of items, in their order.
func texts(items []Item) []string {
	all := []string{}
	for _, it := range items {
		all = append(all, it.Content)
	}
	return all
}

// list are the contents of what a filter lets pass.
func (b *bed) list(who Who, f Filter) []string {
	b.Helper()
	items, err := b.List(b.ctx(), who, f)
	b.ok(err)
	return texts(items)
}

// clock stands until it is set.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) get() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// files is a Manifest: "project:path" → hash. A project "down" cannot be asked.
type files map[string]string

func (f files) Hashes(_ context.Context, project string, paths []string) (map[string][]string, error) {
	if project == "down" {
		return nil, errors.New("the index does not answer")
	}
	found := map[string][]string{}
	for _, p := range paths {
		if h, ok := f[project+":"+p]; ok {
			found[p] = []string{h}
		}
	}
	return found, nil
}

// scoped sets a draft's scope.
func scoped(s Scope) func(*Draft) { return func(d *Draft) { d.Scope = string(s) } }

// given sets a draft's importance.
func given(v float64) func(*Draft) { return func(d *Draft) { d.Importance = &v } }

var knight, squire = Who{Agent: "knight-1", Project: "web"}, Who{Agent: "squire-1", Project: "web"}
