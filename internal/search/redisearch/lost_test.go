package redisearch

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/search"
)

// many are n documents of one chunk each.
func many(n int) (docs []search.Document) {
	for i := range n {
		docs = append(docs, source(fmt.Sprintf("f%03d.go", i), fmt.Sprintf("common rare%d", i)))
	}
	return docs
}

func TestOneLostChunkOfManyIsNoticedAndItsFileWrittenAgain(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(c *redis.Client, key string) error{
		"evicted":     func(c *redis.Client, key string) error { return c.Del(t.Context(), key).Err() },
		"overwritten": func(c *redis.Client, key string) error { return c.Set(t.Context(), key, "x", 0).Err() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x, s := newIndex(t, rdbtest.Search)
			docs := many(250)
			put(t, x, search.Spec{}, docs...)
			if err := x.Check(t.Context(), "p"); err != nil {
				t.Fatalf("whole: %v", err)
			}
			c := s.Client(t)
			rec, err := x.record(t.Context(), c, "p")
			if err != nil {
				t.Fatal(err)
			}
			all, err := x.entries(t.Context(), c, "p", rec.ver)
			if err != nil {
				t.Fatal(err)
			}
			if err := lose(c, x.keys.chunks("p", rec.ver)+all["f123.go"].ids[0].String()); err != nil {
				t.Fatal(err)
			}
			if err := x.Check(t.Context(), "p"); !errors.Is(err, search.ErrNoProject) {
				t.Errorf("one of 250 chunks lost: %v", err)
			}
			w := writerOf(t, x, search.Spec{})
			if w.Project().Rebuilt {
				t.Error("the whole index is made again")
			}
			var again []code.Path
			for _, e := range w.Entries() {
				if e.Hash == (code.Hash{}) {
					again = append(again, e.Path)
				}
			}
			if len(again) != 1 || again[0] != "f123.go" {
				t.Errorf("to be written again: %v", again)
			}
			if err := w.Put(t.Context(), docs[123]); err != nil {
				t.Fatal(err)
			}
			if p := commit(t, w); p.Files != 250 || p.Chunks != 250 {
				t.Errorf("record: %+v", p)
			}
			w.Close()
			if err := x.Check(t.Context(), "p"); err != nil {
				t.Errorf("after a writer: %v", err)
			}
			if paths, _ := ask(t, x, query("rare123")); !slices.Contains(paths, "f123.go") {
				t.Errorf("written again, and not found: %v", paths)
			}
		})
	}
}

// A search index that lacks chunks whose hashes are there cannot be mended chunk by chunk.
func TestSearchIndexThatLacksStoredChunksIsRebuilt(t *testing.T) {
	t.Parallel()
	x, _ := newIndex(t, rdbtest.Search)
	put(t, x, search.Spec{}, many(120)...)
	w := writerOf(t, x, search.Spec{})
	if err := w.markLost(t.Context(), 1); !errors.Is(err, errDamaged) {
		t.Errorf("nothing is gone, one chunk is missing: %v", err)
	}
}

func TestNothingIsLostWhileAWriterIsAtWork(t *testing.T) {
	t.Parallel()
	x, _ := newIndex(t, rdbtest.Search)
	put(t, x, search.Spec{}, source("a.go", "alpha", "beta", "gamma"), source("b.go", "delta"))
	w := writerOf(t, x, search.Spec{})
	if err := w.Put(t.Context(), source("a.go", "alpha")); err != nil {
		t.Fatal(err)
	}
	if err := w.batch.flush(); err != nil {
		t.Fatal(err)
	}
	if err := x.Check(t.Context(), "p"); err != nil {
		t.Errorf("two chunks fell away, the commit is to come: %v", err)
	}
	commit(t, w)
	w.Close()
	if err := x.Check(t.Context(), "p"); err != nil {
		t.Errorf("after the commit: %v", err)
	}
}
