package redisearch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/owner"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/search/blob"
)

// marked counts the hashes of chunks, and those that still hold what it planted in them.
func marked(t *testing.T, s *rdbtest.Server, plant bool) (chunks, with int) {
	t.Helper()
	ctx := context.Background()
	c := s.Client(t)
	keys, err := c.Keys(ctx, s.Prefix+":c:*").Result()
	if err != nil {
		t.Fatal(err)
	}
	short := shortTerm(query("planted").Words[0])
	for _, k := range keys {
		if plant {
			c.HSet(ctx, k, "planted", 1, "w1", short[:])
		}
		if words, _ := c.HGet(ctx, k, "w1").Result(); words == string(short[:]) {
			with++
		}
	}
	return len(keys), with
}

func TestALineOnTopRewritesNoChunk(t *testing.T) {
	t.Parallel()
	x, s := newIndex(t, rdbtest.Search)
	texts := []string{"func first", "func second", "same", "same", "func last"}
	put(t, x, search.Spec{}, source("a.go", texts...))
	marked(t, s, true)
	doc := source("a.go", texts...)
	for i := range doc.File.Chunks {
		doc.File.Chunks[i].Span.Start++
		doc.File.Chunks[i].Span.End++
	}
	doc.File.Chunks[0].Span.Start = 1
	doc.Entry.Hash = code.HashOf([]byte("another"))
	if p := put(t, x, search.Spec{}, doc); p.Generation != 2 {
		t.Errorf("generation %d, want 2", p.Generation)
	}
	if n, with := marked(t, s, false); n != 5 || with != 5 {
		t.Errorf("%d of %d chunks were left alone, want 5 of 5", with, n)
	}
	_, n := ask(t, x, query("planted"))
	f, err := blob.DecodeFeatures(n.Files[0].Features)
	if err != nil || f.Chunks[4].Span.Start != 6 {
		t.Errorf("the features still have the old lines: %+v, %v", f, err)
	}
	// A chunk in the middle changes: it alone is written.
	texts[1] = "func other"
	put(t, x, search.Spec{}, source("a.go", texts...))
	if n, with := marked(t, s, false); n != 5 || with != 4 {
		t.Errorf("%d of %d chunks were left alone, want 4 of 5", with, n)
	}
}

func TestAFileWithManyChunksLeavesNoOrphans(t *testing.T) {
	t.Parallel()
	x, s := newIndex(t, rdbtest.Search)
	ctx := context.Background()
	c := s.Client(t)
	many := func(n int) (texts []string) {
		for i := range 100 {
			texts = append(texts, fmt.Sprintf("chunk %d of round %d", i, n))
		}
		return texts
	}
	put(t, x, search.Spec{}, source("big.go", many(0)...), source("b.go", "beta"))
	if n, _ := marked(t, s, false); n != 101 {
		t.Errorf("%d chunks, want 101", n)
	}
	// A writer that dies after chunks were written ahead: only these travel.
	w := writerOf(t, x, search.Spec{})
	if err := w.Put(ctx, source("big.go", many(1)...)); err != nil {
		t.Fatal(err)
	}
	w.batch.cmds = w.batch.cmds[:len(w.batch.cmds)-1]
	if err := w.batch.flush(); err != nil {
		t.Fatal(err)
	}
	if n, _ := marked(t, s, false); n <= 101 {
		t.Fatalf("%d chunks: nothing was written ahead", n)
	}
	paths, _ := ask(t, x, query("round 1"))
	want(t, "before the switch", paths, "big.go") // by its old chunks
	w.Close()
	put(t, x, search.Spec{})
	if n, _ := marked(t, s, false); n != 101 {
		t.Errorf("%d chunks after the next writer, want 101", n)
	}
	put(t, x, search.Spec{}, source("big.go", many(2)...))
	if n, _ := marked(t, s, false); n != 101 {
		t.Errorf("%d chunks after a change, want 101", n)
	}
	if left, _ := c.Keys(ctx, s.Prefix+":j:*").Result(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// otherOwner is a name like owner.Self() of a process that is dead, or of another host.
func otherOwner(dead bool) string {
	p := strings.Split(owner.Self(), "|")
	if dead {
		p[3] = "1" // an earlier process with this one's pid
	} else {
		p[0] = "otherhost"
	}
	return strings.Join(p, "|")
}

func TestTheLockOfADeadProcessIsTakenAtOnce(t *testing.T) {
	t.Parallel()
	x, s := newIndex(t, rdbtest.Search)
	ctx := context.Background()
	c := s.Client(t)
	spec := search.Spec{Project: "p", Root: "/srv/p", Model: model}
	if owner.Dead(otherOwner(true)) { // where that can be told
		c.Set(ctx, x.keys.lock("p"), otherOwner(true)+" 00", lockTime)
		w, err := x.Writer(ctx, spec)
		if err != nil {
			t.Fatalf("a dead process's lock: %v", err)
		}
		w.Close()
	}
	elsewhere := strings.Split(otherOwner(true), "|")
	elsewhere[4] = "1"
	for what, name := range map[string]string{"another host": otherOwner(false), "another pid namespace": strings.Join(elsewhere, "|")} {
		c.Set(ctx, x.keys.lock("p"), name+" 00", lockTime)
		var locked *search.LockedError
		if _, err := x.Writer(ctx, spec); !errors.As(err, &locked) || locked.Holder != owner.Describe(name) {
			t.Errorf("the lock of %s: %v", what, err)
		}
	}
}

func TestAWriterWithoutItsLockWritesNothing(t *testing.T) {
	t.Parallel()
	x, s := newIndex(t, rdbtest.Search)
	ctx := context.Background()
	c := s.Client(t)
	put(t, x, search.Spec{}, source("a.go", "alpha"))
	w := writerOf(t, x, search.Spec{})
	c.Set(ctx, x.keys.lock("p"), otherOwner(false)+" 00", lockTime)
	if err := w.Put(ctx, source("a.go", "beta")); err != nil {
		t.Fatal(err)
	}
	if err := w.Delete(ctx, "a.go"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(ctx, true); !errors.Is(err, search.ErrLost) {
		t.Errorf("commit: %v, want ErrLost", err)
	}
	if err := w.Put(ctx, source("a.go", "gamma")); !errors.Is(err, search.ErrLost) {
		t.Errorf("put after the loss: %v, want ErrLost", err)
	}
	w.Close()
	paths, n := ask(t, x, query("alpha"))
	want(t, "after a lost lock", paths, "a.go")
	if n.Stats.Files != 1 {
		t.Errorf("stats: %+v", n.Stats)
	}
	if v, _ := c.Get(ctx, x.keys.lock("p")).Result(); v != otherOwner(false)+" 00" {
		t.Errorf("the new holder's lock is %q", v)
	}
}

func TestACrashBeforeCommitCountsInTheNext(t *testing.T) {
	t.Parallel()
	x, s := newIndex(t, rdbtest.Search)
	put(t, x, search.Spec{}, source("a.go", "alpha"))
	w := writerOf(t, x, search.Spec{})
	if err := w.Put(context.Background(), source("a.go", "beta")); err != nil {
		t.Fatal(err)
	}
	if err := w.batch.flush(); err != nil {
		t.Fatal(err)
	}
	w.Close() // as a crash would: no commit
	paths, n := ask(t, x, query("beta"))
	want(t, "visible, since the file has switched", paths, "a.go")
	if n == nil || s == nil {
		t.Fatal("unreachable")
	}
	p := put(t, x, search.Spec{})
	if p.Generation != 2 {
		t.Errorf("generation %d after the next commit, want 2", p.Generation)
	}
	if p := put(t, x, search.Spec{}); p.Generation != 2 {
		t.Errorf("generation %d after one more, want 2", p.Generation)
	}
}

func TestABuildFromNothingLeavesNoOldKeys(t *testing.T) {
	t.Parallel()
	x, s := newIndex(t, rdbtest.Search)
	ctx := context.Background()
	c := s.Client(t)
	versions := func() (vers []string) {
		keys, _ := c.Keys(ctx, s.Prefix+":*").Result()
		for _, k := range keys {
			p := strings.Split(strings.TrimPrefix(k, s.Prefix+":"), ":")
			if len(p) > 2 && !slices.Contains(vers, p[2]) {
				vers = append(vers, p[2])
			}
		}
		return vers
	}
	put(t, x, search.Spec{}, source("a.go", "alpha"), source("b.go", "beta"))
	first := versions()
	w := writerOf(t, x, search.Spec{Full: true})
	if err := w.Put(ctx, source("a.go", "gamma")); err != nil {
		t.Fatal(err)
	}
	if err := w.batch.flush(); err != nil {
		t.Fatal(err)
	}
	paths, _ := ask(t, x, query("alpha gamma"))
	want(t, "while a build is under way", paths, "a.go")
	snap, err := x.Open(ctx, "p")
	if err != nil {
		t.Fatal(err)
	}
	commit(t, w)
	w.Close()
	second := versions()
	if len(first) != 1 || len(second) != 1 || first[0] == second[0] {
		t.Errorf("builds %v, then %v: want one, then another one", first, second)
	}
	if list, _ := c.Do(ctx, "FT._LIST").StringSlice(); len(filterPrefix(list, s.Prefix)) != 1 {
		t.Errorf("search indexes: %v", list)
	}
	// A reader of the old build goes on with the new one.
	n, err := snap.Nominate(ctx, query("gamma"))
	if err != nil || len(n.Files) != 1 {
		t.Errorf("a snapshot of a build that was replaced: %+v, %v", n, err)
	}
	// What a dead process left half-built is dropped by the next writer.
	w = writerOf(t, x, search.Spec{Full: true})
	if err := w.Put(ctx, source("c.go", "delta")); err != nil {
		t.Fatal(err)
	}
	if err := w.batch.flush(); err != nil {
		t.Fatal(err)
	}
	w.fresh = false // so that Close drops nothing
	w.Close()
	if v := versions(); len(v) != 2 {
		t.Fatalf("builds %v, want two", v)
	}
	put(t, x, search.Spec{})
	if v := versions(); len(v) != 1 || v[0] != second[0] {
		t.Errorf("builds %v, want %v", v, second)
	}
}

func filterPrefix(list []string, prefix string) (out []string) {
	for _, s := range list {
		if strings.HasPrefix(s, prefix+":") {
			out = append(out, s)
		}
	}
	return out
}

// indexKinds are the endings of the names of a server's search indexes below a prefix, in order; "flat" for none.
func indexKinds(t *testing.T, s *rdbtest.Server, prefix string) []string {
	t.Helper()
	list, err := s.Client(t).Do(context.Background(), "FT._LIST").StringSlice()
	if err != nil {
		t.Fatal(err)
	}
	kinds := []string{}
	for _, name := range filterPrefix(list, prefix) {
		kind := name[strings.LastIndexByte(name, ':'):]
		if !slices.Contains([]string{":hnsw", wordsOnly, graphOnly}, kind) {
			kind = "flat"
		}
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	return kinds
}

// largeKinds are the search indexes of a large build in each form.
var largeKinds = map[form][]string{wide: {":hnsw"}, compact: {graphOnly, wordsOnly}}

func TestTheIndexGrowsIntoAGraph(t *testing.T) {
	t.Parallel()
	for form, large := range largeKinds {
		x, s := newIndex(t, rdbtest.Search)
		x.flatBelow, x.hnswAbove, x.onlyWide = 4, 8, form == wide
		ctx := context.Background()
		check := func(what string, want ...string) {
			t.Helper()
			if got := indexKinds(t, s, s.Prefix); !slices.Equal(got, want) {
				t.Errorf("%s, %s: search indexes %q, want %q", form, what, got, want)
			}
		}
		put(t, x, search.Spec{}, source("a.go", "first1", "first2"))
		check("a small build", "flat")
		put(t, x, search.Spec{}, source("b.go", "b1", "b2", "b3", "b4", "b5", "b6"))
		check("8 chunks", "flat")
		snap, err := x.Open(ctx, "p")
		if err != nil {
			t.Fatal(err)
		}
		put(t, x, search.Spec{}, source("c.go", "target1"))
		check("9 chunks", large...)
		paths, n := ask(t, x, search.Query{Vector: vectorOf("target1", dims), Files: 1})
		want(t, "by vector", paths, "c.go")
		if n.VectorsBuilding {
			t.Error("the graph was not waited for, though another index served")
		}
		if n, err := snap.Nominate(ctx, query("first1")); err != nil || len(n.Files) != 1 {
			t.Errorf("a snapshot whose index was replaced: %+v, %v", n, err)
		}
		put(t, x, search.Spec{Full: true}, source("d.go", "d1", "d2", "d3", "d4"))
		check("a build of 4", large...)
		put(t, x, search.Spec{Full: true}, source("e.go", "e1"))
		check("a build of 1", "flat")
	}
}

func TestALongCommitReportsProgress(t *testing.T) {
	t.Parallel()
	x, _ := newIndex(t, rdbtest.Search)
	var docs []search.Document
	for i := range 50 {
		docs = append(docs, source(fmt.Sprintf("f%d.go", i), fmt.Sprintf("word%d", i)))
	}
	calls := 0
	put(t, x, search.Spec{Progress: func() { calls++ }}, docs...)
	if calls == 0 {
		t.Error("no progress was reported while the index was made")
	}
}
