package redisearch

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/search"
)

var other = search.Model{Embedder: "other", Dims: dims, Analyzer: 1}

// slice puts documents into the next build and keeps them.
func slice(t testing.TB, x *Index, docs ...search.Document) search.Project {
	t.Helper()
	w := writerOf(t, x, search.Spec{Next: true, Model: other})
	for _, d := range docs {
		if err := w.Put(context.Background(), d); err != nil {
			t.Fatal(err)
		}
	}
	p, err := w.Commit(context.Background(), false)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestADamagedUnfinishedBuildIsRestartedAndTheServingOneStays(t *testing.T) {
	t.Parallel()
	for _, harm := range []string{"f gone", "f overwritten", "f damaged", "b gone", "b overwritten", "n overwritten", "vers gone", "next", "nextmode", "nextdims", "nextfiles"} {
		t.Run(harm, func(t *testing.T) {
			t.Parallel()
			x, s := newIndex(t, rdbtest.Search)
			ctx := context.Background()
			c := s.Client(t)
			put(t, x, search.Spec{}, source("a.go", "alpha"), source("b.go", "beta"))
			slice(t, x, source("a.go", "alpha"))
			rec, err := x.record(ctx, c, "p")
			if err != nil || rec.next.ver == "" || rec.next.ver == rec.ver {
				t.Fatalf("%+v, %v", rec, err)
			}
			begins := true
			kind, what, _ := strings.Cut(harm, " ")
			key := fmt.Sprintf("%s:%s:p:%s", s.Prefix, kind, rec.next.ver)
			switch {
			case kind == "vers":
				c.SRem(ctx, x.keys.vers("p"), rec.next.ver)
				begins = false
			case what == "":
				c.HSet(ctx, x.keys.record("p"), kind, "-")
			case what == "gone":
				c.Del(ctx, key)
			case what == "overwritten":
				c.Set(ctx, key, "mine", 0)
			default:
				c.HSet(ctx, key, "a.go", "\x09nonsense")
			}
			paths, _ := ask(t, x, query("alpha beta"))
			want(t, "the build that serves", paths, "a.go", "b.go")
			w := writerOf(t, x, search.Spec{Next: true, Model: other})
			if got := len(w.Entries()); (got == 0) != begins {
				t.Errorf("the next writer has %d entries", got)
			}
			for _, d := range []search.Document{source("a.go", "alpha"), source("b.go", "gamma")} {
				if err := w.Put(ctx, d); err != nil {
					t.Fatal(err)
				}
			}
			if p := commit(t, w); p.Generation != 2 || p.Model != other || p.Next.Exists() {
				t.Errorf("%+v", p)
			}
			w.Close()
			put(t, x, search.Spec{Model: other})
			paths, _ = ask(t, x, query("alpha gamma"))
			want(t, "after the switch", paths, "a.go", "b.go")
			for _, kind := range []string{"f", "b", "n"} {
				if keys, _ := c.Keys(ctx, s.Prefix+":"+kind+":*").Result(); len(keys) != 1 && what != "overwritten" && kind != "vers" {
					t.Errorf("left over: %q", keys)
				}
			}
		})
	}
}

func TestALargeBuildGetsItsGraphWhileItIsBuilt(t *testing.T) {
	t.Parallel()
	x, s := newIndex(t, rdbtest.Search)
	x.flatBelow, x.hnswAbove = 4, 8
	ctx := context.Background()
	check := func(what string, want ...string) {
		t.Helper()
		if got := indexKinds(t, s, s.Prefix); !slices.Equal(got, want) {
			t.Errorf("%s: search indexes %q, want %q", what, got, want)
		}
	}
	put(t, x, search.Spec{}, source("a.go", "one", "two"))
	slice(t, x, source("a.go", "one", "two"))
	check("a small next build", "flat")
	slice(t, x, source("b.go", "three", "four", "five"))
	check("a large next build", graphOnly, "flat")
	paths, _ := ask(t, x, query("three"))
	want(t, "meanwhile", paths)
	w := writerOf(t, x, search.Spec{Next: true, Model: other})
	if err := w.Delete(ctx, "b.go"); err != nil {
		t.Fatal(err)
	}
	commit(t, w)
	w.Close()
	check("a build that shrank before the switch", "flat")
	slice2 := writerOf(t, x, search.Spec{Next: true, Full: true, Model: model})
	for _, d := range []search.Document{source("a.go", "one", "two"), source("b.go", "three", "four", "five")} {
		if err := slice2.Put(ctx, d); err != nil {
			t.Fatal(err)
		}
	}
	commit(t, slice2)
	slice2.Close()
	check("after the switch", graphOnly, wordsOnly)
	paths, _ = ask(t, x, query("three"))
	want(t, "after the switch", paths, "b.go")
}

func TestANextWriterWithoutItsLocksSwitchesNothing(t *testing.T) {
	t.Parallel()
	x, s := newIndex(t, rdbtest.Search)
	ctx := context.Background()
	c := s.Client(t)
	old := put(t, x, search.Spec{}, source("a.go", "alpha"))
	slice(t, x, source("a.go", "alpha"))
	for _, key := range []string{x.keys.nextLock("p"), x.keys.lock("p")} {
		for _, complete := range []bool{false, true} {
			if key == x.keys.lock("p") && !complete {
				continue // what is saved of a next build needs its own lock alone
			}
			w := writerOf(t, x, search.Spec{Next: true, Model: other})
			if err := w.Put(ctx, source("b.go", "beta")); err != nil {
				t.Fatal(err)
			}
			if complete {
				if _, err := w.Serving(ctx); err != nil {
					t.Fatal(err)
				}
			}
			c.Set(ctx, key, otherOwner(false)+" token", 0)
			if _, err := w.Commit(ctx, complete); err == nil {
				t.Errorf("a commit without %q", key)
			}
			w.Close()
			c.Del(ctx, key)
			rec, err := x.record(ctx, c, "p")
			if err != nil || rec.Model != old.Model || rec.Next.Files != 1 {
				t.Errorf("%+v, %v", rec.Project, err)
			}
		}
	}
}

func TestAProjectGoesWithItsUnfinishedBuild(t *testing.T) {
	t.Parallel()
	x, s := newIndex(t, rdbtest.Search)
	ctx := context.Background()
	put(t, x, search.Spec{}, source("a.go", "alpha"))
	slice(t, x, source("a.go", "alpha"), source("b.go", "beta"))
	if err := x.Remove(ctx, "p", 0); err != nil {
		t.Fatal(err)
	}
	if keys, err := s.Client(t).Keys(ctx, s.Prefix+":*").Result(); err != nil || len(keys) > 0 {
		t.Errorf("left over: %q, %v", keys, err)
	}
}
