package redisearch

import (
	"context"
	"fmt"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/search"
)

func TestAWriterOfNamedFilesReadsNoOtherEntries(t *testing.T) {
	t.Parallel()
	x, _ := newIndex(t, rdbtest.Search)
	var docs []search.Document
	for i := range 300 {
		docs = append(docs, source(fmt.Sprintf("d%d/f%d.go", i%3, i), fmt.Sprintf("alpha %d", i)))
	}
	put(t, x, search.Spec{}, docs...)
	for _, paths := range [][]code.Path{{"d0/f3.go"}, {"d0/f3.go", "d1/new.go"}, {"d1/f4.go", "d2/f5.go", "new/folder/new.go"}} {
		w := writerOf(t, x, search.Spec{Paths: paths})
		if len(w.manifest) > 10 {
			t.Errorf("%q: %d entries were read", paths, len(w.manifest))
		}
		w.Close()
	}
	for i, text := range []string{"beta", "beta gamma", "alpha 3"} {
		if p := put(t, x, search.Spec{Paths: []code.Path{"d0/f3.go"}}, source("d0/f3.go", text)); p.Generation != int64(i)+2 || p.Files != 300 || p.Chunks != 300 {
			t.Errorf("%q: the record is %+v", text, p)
		}
	}
	w := writerOf(t, x, search.Spec{Paths: []code.Path{"d1"}})
	if len(w.Entries()) != 100 {
		t.Errorf("%d entries below a folder, want 100", len(w.Entries()))
	}
}

func TestAWriterOfNamedFilesReadsAllWhereSomethingIsLost(t *testing.T) {
	t.Parallel()
	other := func(kind string) func(*testing.T, *Index, *rdbtest.Server, *redis.Client) {
		return func(t *testing.T, _ *Index, s *rdbtest.Server, c *redis.Client) {
			keys, _ := c.Keys(t.Context(), s.Prefix+":"+kind+":*").Result()
			if len(keys) != 1 || c.HDel(t.Context(), keys[0], "b.go").Val() != 1 {
				t.Fatalf("nothing to take away: %q", keys)
			}
		}
	}
	for what, c := range map[string]struct {
		harm    func(*testing.T, *Index, *rdbtest.Server, *redis.Client)
		rebuilt bool
		entries int
	}{
		"an entry":       {other("f"), true, 0},
		"a feature blob": {other("b"), true, 0},
		"a name":         {other("n"), true, 0},
		"a chunk": {func(t *testing.T, x *Index, s *rdbtest.Server, c *redis.Client) {
			keys, _ := c.Keys(t.Context(), s.Prefix+":c:*").Result()
			for _, k := range keys {
				if c.HGet(t.Context(), k, "p").Val() == "b.go" {
					c.Del(t.Context(), k)
				}
			}
		}, false, 200},
		"the search index": {func(t *testing.T, x *Index, _ *rdbtest.Server, c *redis.Client) {
			rec, err := x.record(t.Context(), c, "p")
			if err == nil {
				err = c.Do(t.Context(), "FT.DROPINDEX", rec.idx).Err()
			}
			if err != nil {
				t.Fatal(err)
			}
		}, false, 200},
		"the commit": {func(t *testing.T, x *Index, _ *rdbtest.Server, _ *redis.Client) {
			w := writerOf(t, x, search.Spec{Paths: []code.Path{"b.go"}})
			if err := w.Put(context.Background(), source("b.go", "beta", "gamma")); err != nil {
				t.Fatal(err)
			}
			if err := w.batch.flush(); err != nil {
				t.Fatal(err)
			}
			w.Close()
		}, false, 200},
		"the number of entries, as an older program leaves it": {func(t *testing.T, x *Index, _ *rdbtest.Server, c *redis.Client) {
			c.HDel(t.Context(), x.keys.record("p"), "rows")
		}, false, 200},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			x, s := newIndex(t, rdbtest.Search)
			docs := []search.Document{source("a.go", "alpha"), source("b.go", "beta")}
			for i := range 198 {
				docs = append(docs, source(fmt.Sprintf("f%d.go", i), fmt.Sprintf("word%d", i)))
			}
			put(t, x, search.Spec{}, docs...)
			spec := search.Spec{Paths: []code.Path{"a.go"}}
			if w := writerOf(t, x, spec); !w.named {
				t.Fatal("all was read where nothing is lost")
			} else {
				w.Close()
			}
			c.harm(t, x, s, s.Client(t))
			w := writerOf(t, x, spec)
			defer w.Close()
			if w.named || w.Project().Rebuilt != c.rebuilt || len(w.Entries()) != c.entries || w.FromNothing() != c.rebuilt {
				t.Errorf("named %v, rebuilt %v, %d entries, want %d", w.named, w.Project().Rebuilt, len(w.Entries()), c.entries)
			}
			if what == "a chunk" {
				i := -1
				for k, e := range w.Entries() {
					if e.Path == "b.go" && e.Hash == (code.Hash{}) {
						i = k
					}
				}
				if i < 0 {
					t.Error("the file of the lost chunk is not marked")
				}
			}
			if p := commit(t, w); !c.rebuilt && p.Files != 200 {
				t.Errorf("record: %+v", p)
			}
		})
	}
}
