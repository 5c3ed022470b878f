package shelves

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/store"
	"github.com/contextd/contextd/internal/store/redis"
	"github.com/contextd/contextd/internal/store/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var web = store.Shelf{Bucket: "counts", Owner: "web"}

// both runs a test on either backing, with a function that opens one more handle on the same documents.
func both(t *testing.T, test func(t *testing.T, open func() store.Store)) {
	run := func(name string, prepare func(t *testing.T) func() (store.Store, error)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			open := prepare(t)
			test(t, func() store.Store {
				s, err := open()
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = s.Close() })
				return s
			})
		})
	}
	run("sqlite", func(t *testing.T) func() (store.Store, error) {
		path := filepath.Join(t.TempDir(), "documents.db")
		return func() (store.Store, error) { return sqlite.Open(path, slog.New(slog.DiscardHandler)) }
	})
	run("redis", func(t *testing.T) func() (store.Store, error) {
		server := rdbtest.Start(t, rdbtest.Plain)
		return func() (store.Store, error) {
			return redis.Open(redis.Options{URL: server.URL, Prefix: server.Prefix, Deadline: time.Minute})
		}
	})
}

// counts is a shelf of numbers as a value.
type counts struct {
	n    map[string]int
	revs map[string]int64
}

func readCounts(_ context.Context, _ store.Shelf, docs []store.Doc, _ int64, _ counts) (counts, error) {
	c := counts{map[string]int{}, map[string]int64{}}
	for _, d := range docs {
		n, err := strconv.Atoi(string(d.Data))
		if err != nil {
			return c, err
		}
		c.n[d.ID], c.revs[d.ID] = n, d.Rev
	}
	return c, nil
}

// plus adds 1 to a number and to the sum, on which each change depends.
func (c counts) plus(id string) Change[counts] {
	next := counts{maps.Clone(c.n), maps.Clone(c.revs)}
	var ch Change[counts]
	for _, id := range []string{id, "sum"} {
		w := store.Write{ID: id, Data: fmt.Append(nil, c.n[id]+1), If: store.Absent}
		if rev := c.revs[id]; rev != 0 {
			w.If = rev
		}
		next.n[id]++
		ch.Writes = append(ch.Writes, w)
	}
	ch.After = func(rev int64) counts {
		next.revs[id], next.revs["sum"] = rev, rev
		return next
	}
	return ch
}

func cacheOf(st store.Store) *Cache[counts] { return NewCache(st, 10, nil, readCounts) }

func TestTwoWritersLoseNothing(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, open func() store.Store) {
		const each = 20
		var wg sync.WaitGroup
		doc, list := JSON[int]("n"), store.Shelf{Bucket: "counts", Owner: "doc"}
		for range 2 {
			st := open()
			c := cacheOf(st)
			for _, id := range []string{"a", "b"} {
				wg.Go(func() {
					for range each {
						v, err := c.Update(t.Context(), web, func(v counts) (Change[counts], error) {
							return v.plus(id), nil
						})
						if err != nil || v.n[id] == 0 {
							t.Errorf("%v, %v", v, err)
						}
						if err := doc.Update(t.Context(), st, list, func(n int, _ bool) (*int, error) {
							n++
							return &n, nil
						}); err != nil {
							t.Error(err)
						}
					}
				})
			}
		}
		wg.Wait()
		st := open()
		got, err := cacheOf(st).Get(t.Context(), web)
		if want := map[string]int{
			"a":   2 * each,
			"b":   2 * each,
			"sum": 4 * each,
		}; err != nil || !maps.Equal(got.n, want) {
			t.Errorf("%v, %v, want %v", got.n, err, want)
		}
		if n, _, err := doc.Get(t.Context(), st, list); err != nil || n != 4*each {
			t.Errorf("the document says %d, %v, want %d", n, err, 4*each)
		}
	})
}

// watched counts what a store is asked for, and fails each Apply with an error if there is one.
type watched struct {
	store.Store
	all, applied atomic.Int64
	fail         error
}

func (w *watched) All(ctx context.Context, s store.Shelf) ([]store.Doc, int64, error) {
	w.all.Add(1)
	return w.Store.All(ctx, s)
}

func (w *watched) Apply(ctx context.Context, s store.Shelf, writes ...store.Write) (int64, error) {
	w.applied.Add(1)
	if w.fail != nil {
		return 0, w.fail
	}
	return w.Store.Apply(ctx, s, writes...)
}

func TestAShelfIsReadAgainOnlyWhenItChanged(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, open func() store.Store) {
		mine, other := &watched{Store: open()}, open()
		c := cacheOf(mine)
		count := func(c *Cache[counts]) {
			t.Helper()
			if _, err := c.Update(t.Context(), web, func(v counts) (Change[counts], error) {
				return v.plus("a"), nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		get := func(want int, reads int64) {
			t.Helper()
			v, err := c.Get(t.Context(), web)
			if got := mine.all.Swap(0); err != nil || v.n["a"] != want || got != reads {
				t.Errorf("%v, %v after %d reads, want %d after %d", v.n, err, got, want, reads)
			}
		}
		get(0, 1)
		count(c)
		get(1, 0)
		count(cacheOf(other))
		get(2, 1)
		get(2, 0)
	})
}

func TestTheCacheLetsGoWhatWasUsedLongestAgo(t *testing.T) {
	t.Parallel()
	st := &watched{Store: memory{}}
	c := NewCache(st, 5, func(counts) int { return 2 }, readCounts)
	get := func(owner string, reads int64) {
		t.Helper()
		if _, err := c.Get(t.Context(), store.Shelf{Bucket: "counts", Owner: owner}); err != nil ||
			st.all.Swap(0) != reads {
			t.Errorf("%s: %v, want %d reads", owner, err, reads)
		}
	}
	get("a", 1)
	get("b", 1)
	get("a", 0)
	get("c", 1)
	get("a", 0)
	get("c", 0)
	get("b", 1)
	if c.Size() != 4 {
		t.Errorf("it holds %d, want 4", c.Size())
	}
	for i := range maxHeld + 10 {
		get(fmt.Sprint(i), 1)
	}
	if n := len(c.held); n > maxHeld+1 {
		t.Errorf("%d shelves are remembered", n)
	}
}

// memory is a store of nothing.
type memory struct{ store.Store }

func (memory) Rev(context.Context, store.Shelf) (int64, error) { return 0, nil }
func (memory) All(context.Context, store.Shelf) ([]store.Doc, int64, error) {
	return nil, 0, nil
}
func (memory) Get(_ context.Context, s store.Shelf, id string) (store.Doc, error) {
	return store.Doc{}, store.NotFound(s, id)
}

func TestTriesRunOutWithOneErrorText(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := &watched{Store: memory{}, fail: store.Conflict(web, "n")}
		one := func(n int, _ bool) (*int, error) { return &n, nil }
		for name, change := range map[string]func() error{
			"document": func() error { return JSON[int]("n").Update(t.Context(), st, web, one) },
			"cache": func() error {
				_, err := cacheOf(st).Update(t.Context(), web, func(v counts) (Change[counts], error) {
					return v.plus("a"), nil
				})
				return err
			},
		} {
			err := change()
			want := `change counts "web", 100 times: write "n" of counts "web": changed by somebody else meanwhile`
			if n := st.applied.Swap(0); n != maxTries || !errors.Is(err, store.ErrConflict) || err.Error() != want {
				t.Errorf("%s: %v after %d tries, want %s", name, err, n, want)
			}
		}
	})
}

func TestOnlyAConflictOfTheStoreIsTriedAgain(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is full")
	for name, tt := range map[string]struct{ apply, change, want error }{
		"of the store":  {broken, nil, broken},
		"of the change": {nil, fmt.Errorf("another one: %w", store.ErrConflict), store.ErrConflict},
	} {
		st, asked := &watched{Store: memory{}, fail: tt.apply}, 0
		_, err := Update(t.Context(), st, web, func(int) ([]store.Write, error) {
			asked++
			return []store.Write{{ID: "n"}}, tt.change
		})
		if !errors.Is(err, tt.want) || asked != 1 {
			t.Errorf("%s: %v after %d tries", name, err, asked)
		}
	}
}

func TestAChangeThatIsCalledOffEndsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		st := &watched{Store: memory{}, fail: store.Conflict(web, "n")}
		c := cacheOf(st)
		first := make(chan error)
		go func() {
			_, err := c.Update(ctx, web, func(v counts) (Change[counts], error) {
				if st.applied.Load() == 3 {
					cancel()
				}
				return v.plus("a"), nil
			})
			first <- err
		}()
		if err := <-first; !errors.Is(err, context.Canceled) || st.applied.Load() != 4 {
			t.Errorf("while it pauses: %v after %d tries", err, st.applied.Load())
		}
		waiting, cancel2 := context.WithCancel(t.Context())
		_, err := c.Update(t.Context(), web, func(counts) (Change[counts], error) {
			go func() {
				_, err := c.Update(waiting, web, func(v counts) (Change[counts], error) { return v.plus("a"), nil })
				first <- err
			}()
			synctest.Wait()
			cancel2()
			if err := <-first; !errors.Is(err, context.Canceled) {
				t.Errorf("while it waits for its turn: %v", err)
			}
			return Change[counts]{}, nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestADamagedDocumentCountsAsItsCodecSays(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, open func() store.Store) {
		st := open()
		if _, err := st.Apply(t.Context(), web, store.Write{ID: "list", Data: []byte(`["a",`)}); err != nil {
			t.Fatal(err)
		}
		add := func(list []string, _ bool) (*[]string, error) { list = append(list, "b"); return &list, nil }
		var syntax *json.SyntaxError
		if err := JSON[[]string]("list").Update(t.Context(), st, web, add); !errors.As(err, &syntax) {
			t.Errorf("as an error: %v", err)
		}
		lenient := JSONOrZero[[]string]("list")
		if err := lenient.Update(t.Context(), st, web, add); err != nil {
			t.Errorf("as none: %v", err)
		}
		if list, rev, err := lenient.Get(t.Context(), st, web); err != nil || rev == 0 ||
			!slices.Equal(list, []string{"b"}) {
			t.Errorf("afterwards %v at %d, %v", list, rev, err)
		}
		if _, err := cacheOf(st).Get(t.Context(), web); err == nil {
			t.Error("a cache whose codec refuses it gives no error")
		}
	})
}
