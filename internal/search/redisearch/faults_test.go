package redisearch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/search"
)

func TestADroppedIndexIsMadeAgainFromItsHashes(t *testing.T) {
	t.Parallel()
	x, s := newIndex(t, rdbtest.Search)
	ctx := context.Background()
	c := s.Client(t)
	put(t, x, search.Spec{}, source("a.go", "alpha"), source("b.go", "beta"))
	marked(t, s, true)
	rec, err := x.record(ctx, c, "p")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Do(ctx, "FT.DROPINDEX", rec.idx).Err(); err != nil {
		t.Fatal(err)
	}
	snap, err := x.Open(ctx, "p")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := snap.Nominate(ctx, query("alpha")); !errors.Is(err, search.ErrNoProject) {
		t.Errorf("without its index: %v, want ErrNoProject", err)
	}
	w := writerOf(t, x, search.Spec{})
	if w.Project().Rebuilt || len(w.Entries()) != 2 {
		t.Errorf("the writer starts again: %+v", w.Project())
	}
	w.Close()
	paths, _ := ask(t, x, query("planted"))
	want(t, "after a writer", paths, "a.go", "b.go")
}

func TestLostHashesMeanABuildFromNothing(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"f", "b", "c", "n"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			x, s := newIndex(t, rdbtest.Search)
			ctx := context.Background()
			c := s.Client(t)
			put(t, x, search.Spec{}, source("a.go", "alpha"), source("b.go", "beta"))
			keys, _ := c.Keys(ctx, s.Prefix+":"+kind+":*").Result()
			if len(keys) == 0 {
				t.Fatal("no keys")
			}
			c.Del(ctx, keys[0])
			w := writerOf(t, x, search.Spec{})
			if !w.Project().Rebuilt || len(w.Entries()) != 0 {
				t.Errorf("the writer goes on from damaged state: %+v with %d entries", w.Project(), len(w.Entries()))
			}
			for _, d := range []search.Document{source("a.go", "alpha"), source("b.go", "beta")} {
				if err := w.Put(ctx, d); err != nil {
					t.Fatal(err)
				}
			}
			if p := commit(t, w); p.Generation != 2 || p.Files != 2 {
				t.Errorf("record: %+v", p)
			}
			w.Close()
			paths, _ := ask(t, x, query("alpha beta"))
			want(t, "rebuilt", paths, "a.go", "b.go")
		})
	}
}

func TestDamagedValuesAreErrorsAndThenRebuilt(t *testing.T) {
	t.Parallel()
	x, s := newIndex(t, rdbtest.Search)
	ctx := context.Background()
	c := s.Client(t)
	put(t, x, search.Spec{}, source("a.go", "alpha"))
	rec, _ := x.record(ctx, c, "p")
	c.HSet(ctx, x.keys.blobs("p", rec.ver), "a.go", "\xff\xff")
	snap, err := x.Open(ctx, "p")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := snap.Nominate(ctx, query("alpha")); err == nil {
		t.Error("a damaged blob is no error")
	}
	c.HSet(ctx, x.keys.files("p", rec.ver), "a.go", "\x09nonsense")
	if _, err := snap.Entries(ctx); err == nil {
		t.Error("a damaged entry is no error")
	}
	if _, _, err := snap.Entry(ctx, "a.go"); err == nil {
		t.Error("a damaged entry is no error")
	}
	if w := writerOf(t, x, search.Spec{}); !w.Project().Rebuilt {
		t.Error("a writer goes on from a damaged entry")
	} else {
		w.Close()
	}
	for field, value := range map[string]string{"gen": "many", "files": "-1", "ver": "a:b", "fmt": "99", "len2": ""} {
		old, _ := c.HGet(ctx, x.keys.record("p"), field).Result()
		c.HSet(ctx, x.keys.record("p"), field, value)
		if _, err := x.Open(ctx, "p"); !errors.Is(err, search.ErrNoProject) {
			t.Errorf("record with %s=%q: %v", field, value, err)
		}
		if list, err := x.Projects(ctx); err != nil || len(list) != 0 {
			t.Errorf("projects with %s=%q: %v, %v", field, value, list, err)
		}
		c.HSet(ctx, x.keys.record("p"), field, old)
	}
}

func TestAnIndexOfAnOlderFormatIsRebuilt(t *testing.T) {
	t.Parallel()
	x, s := newIndex(t, rdbtest.Search)
	c := s.Client(t)
	put(t, x, search.Spec{}, source("a.go", "alpha"), source("b.go", "beta"))
	c.HSet(t.Context(), x.keys.record("p"), "fmt", "1")
	if _, err := x.Open(t.Context(), "p"); !errors.Is(err, search.ErrNoProject) {
		t.Errorf("Open gives %v", err)
	}
	put(t, x, search.Spec{}, source("c.go", "alpha"))
	paths, _ := ask(t, x, query("alpha"))
	want(t, "rebuilt", paths, "c.go")
	for _, kind := range []string{"f", "b"} { // nothing of the old build stays
		if keys, err := c.Keys(t.Context(), s.Prefix+":"+kind+":*").Result(); err != nil || len(keys) != 1 {
			t.Errorf("keys %q: %v", keys, err)
		}
	}
}

func TestAServerWithoutScoresIsAskedForRareWords(t *testing.T) {
	t.Parallel()
	x, _ := newIndex(t, rdbtest.Search)
	var docs []search.Document
	for i := range 300 {
		docs = append(docs, source(fmt.Sprintf("f%d.go", i), fmt.Sprintf("common rare%d", i)))
	}
	put(t, x, search.Spec{}, docs...)
	x.noScore = true
	q := query("common rare123")
	q.Names = nil
	paths, n := ask(t, x, q)
	if len(paths) != 1 || paths[0] != "f123.go" || n.Partial {
		t.Errorf("paths %v, partial %v", paths, n.Partial)
	}
}

func TestAPatternThatMatchesManyFilesIsFilteredHere(t *testing.T) {
	t.Parallel()
	x, _ := newIndex(t, rdbtest.Search)
	var docs []search.Document
	for i := range 700 {
		docs = append(docs, source(fmt.Sprintf("d%d/f%d.%s", i%2, i, []string{"go", "py"}[i/350]), fmt.Sprintf("common word%d", i)))
	}
	put(t, x, search.Spec{}, docs...)
	for glob, ending := range map[string]string{"**/*.py": ".py", "d1/*.go": ".go", "d?/*.py": ".py"} {
		q := query("common")
		q.Globs, q.Vector = []string{glob}, vectorOf("common word9", dims)
		paths, n := ask(t, x, q)
		if len(paths) != 100 || n.Partial {
			t.Errorf("%q: %d files, partial %v", glob, len(paths), n.Partial)
		}
		for _, p := range paths {
			if !strings.HasSuffix(p, ending) {
				t.Errorf("%q nominates %q", glob, p)
			}
		}
	}
	ctx := context.Background()
	snap, _ := x.Open(ctx, "p")
	if _, err := snap.Nominate(ctx, search.Query{Words: query("x").Words, Globs: []string{"[a"}}); err == nil {
		t.Error("a pattern that does not close is no error")
	}
}

func TestABuildIsMadeForTheModeOfItsServer(t *testing.T) {
	t.Parallel()
	s := rdbtest.Start(t, rdbtest.Search)
	names, full := openIndex(t, s, "names"), openIndex(t, s, "auto")
	docs := []search.Document{source("auth/token.go", "alpha"), source("b.go", "beta")}
	put(t, names, search.Spec{}, docs...)
	paths, n := ask(t, full, query("token"))
	want(t, "a build of names, read in full mode", paths, "auth/token.go")
	if len(n.Files[0].Features) == 0 {
		t.Error("no features in names mode")
	}
	if n, _ := marked(t, s, false); n != 0 {
		t.Errorf("%d chunks in names mode", n)
	}
	w := writerOf(t, full, search.Spec{})
	if len(w.Entries()) != 0 {
		t.Error("a full writer goes on from a build of names")
	}
	w.Close()
	put(t, full, search.Spec{}, docs...)
	paths, _ = ask(t, full, query("alpha"))
	want(t, "in full mode", paths, "auth/token.go")
	paths, _ = ask(t, names, query("alpha token"))
	want(t, "a full build, read by names", paths, "auth/token.go")
	q := query("token b")
	q.Langs, q.Globs = []string{"go"}, []string{"*.go"}
	paths, _ = ask(t, names, q)
	want(t, "names with a filter", paths, "b.go")
}

// whole asks until the server says no longer that it is still reading the index in, as it does after a restart.
func whole(t *testing.T, x *Index, q search.Query) []string {
	t.Helper()
	for range 1000 {
		paths, n := ask(t, x, q)
		if !n.Building {
			return paths
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal("the index is never whole again")
	return nil
}

func TestAHangingServerCostsTheDeadlineAndNoMore(t *testing.T) {
	t.Parallel()
	s := rdbtest.Own(t, rdbtest.Search)
	x := openIndex(t, s, "auto")
	put(t, x, search.Spec{}, source("a.go", "alpha"))
	snap, err := x.Open(context.Background(), "p")
	if err != nil {
		t.Fatal(err)
	}
	s.Pause(t)
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if _, err := snap.Nominate(ctx, query("alpha")); rdb.Classify(err) != rdb.Deadline {
		t.Errorf("a hanging server: %v", err)
	}
	s.Resume(t)
	s.Kill(t)
	if _, err := x.Open(context.Background(), "p"); rdb.Classify(err) != rdb.Unreachable {
		t.Errorf("a dead server: %v", err)
	}
	if _, err := x.Projects(context.Background()); rdb.Classify(err) != rdb.Unreachable {
		t.Errorf("a dead server: %v", err)
	}
	s.Restart(t)
	want(t, "after a restart", whole(t, x, query("alpha")), "a.go")
	put(t, x, search.Spec{}, source("a.go", "beta"))
	// FLUSHALL by another tenant: all is gone, and said so.
	s.Client(t).FlushAll(context.Background())
	if _, err := x.Open(context.Background(), "p"); !errors.Is(err, search.ErrNoProject) {
		t.Errorf("after FLUSHALL: %v", err)
	}
	if p := put(t, x, search.Spec{}, source("a.go", "beta")); p.Generation != 1 {
		t.Errorf("record after FLUSHALL: %+v", p)
	}
}

func TestARestartDuringAWriteIsSurvivedOrReported(t *testing.T) {
	t.Parallel()
	s := rdbtest.Own(t, rdbtest.Search)
	x := openIndex(t, s, "auto")
	w := writerOf(t, x, search.Spec{})
	if err := w.Put(context.Background(), source("a.go", "alpha")); err != nil {
		t.Fatal(err)
	}
	if err := w.batch.flush(); err != nil {
		t.Fatal(err)
	}
	s.Kill(t)
	s.Restart(t)
	// The lock lives on in the append-only file; the scripts do not.
	if err := w.Put(context.Background(), source("b.go", "beta")); err != nil {
		t.Fatal(err)
	}
	_, err := w.Commit(context.Background(), true)
	w.Close()
	if errors.Is(err, errDamaged) { // what was confirmed had not reached the disk
		put(t, x, search.Spec{}, source("a.go", "alpha"), source("b.go", "beta"))
	} else if err != nil {
		t.Fatal(err)
	}
	want(t, "after a restart", whole(t, x, query("alpha beta")), "a.go", "b.go")
}

func TestACommitTellsOfChunksThatTheServerLost(t *testing.T) {
	t.Parallel()
	x, s := newIndex(t, rdbtest.Search)
	w := writerOf(t, x, search.Spec{})
	if err := w.Put(t.Context(), source("a.go", "alpha")); err != nil {
		t.Fatal(err)
	}
	if err := w.batch.flush(); err != nil {
		t.Fatal(err)
	}
	lost, err := s.Client(t).Keys(t.Context(), x.keys.chunks("p", w.rec.ver)+"*").Result()
	if err != nil || len(lost) != 1 || s.Client(t).Del(t.Context(), lost...).Err() != nil {
		t.Fatalf("chunks %q, %v; want one", lost, err)
	}
	if _, err := w.Commit(t.Context(), true); !errors.Is(err, errDamaged) {
		t.Errorf("commit without its chunk: %v, want %v", err, errDamaged)
	}
	w.Close()
	put(t, x, search.Spec{}, source("a.go", "alpha"))
	want(t, "afterwards", whole(t, x, query("alpha")), "a.go")
}

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{}, {URL: "redis://127.0.0.1:1/3"}, {URL: "http://x"}, {URL: "redis://127.0.0.1:1", Prefix: "a b"},
		{URL: "redis://127.0.0.1:1", Prefix: "{x}"}, {URL: "redis://127.0.0.1:1", Mode: "magic"}, {URL: "redis://127.0.0.1:1", Deadline: -1}} {
		if x, err := Open(o); err == nil {
			t.Errorf("%+v is taken", o)
			x.Close()
		}
	}
}

func TestAnUnreadableRecordIsReplacedWhole(t *testing.T) {
	t.Parallel()
	x, s := newIndex(t, rdbtest.Search)
	ctx := context.Background()
	c := s.Client(t)
	old := put(t, x, search.Spec{}, source("a.go", "alpha"))
	c.HSet(ctx, x.keys.record("p"), "gen", "many", "at", "never")
	if err := x.Confirm(ctx, "p", time.Now()); err != nil {
		t.Error(err)
	}
	p := put(t, x, search.Spec{}, source("a.go", "alpha"))
	if p.Generation != 1 || p.Files != 1 || p.Epoch == old.Epoch {
		t.Errorf("record: %+v", p)
	}
	paths, _ := ask(t, x, query("alpha"))
	want(t, "rebuilt", paths, "a.go")
	if vers, _ := c.SMembers(ctx, x.keys.vers("p")).Result(); len(vers) != 1 {
		t.Errorf("builds: %v", vers)
	}
}

func TestALockThatCouldNotBeGivenBackIsTakenAgainAtOnce(t *testing.T) {
	t.Parallel()
	s := rdbtest.Own(t, rdbtest.Search)
	x := openIndex(t, s, "auto")
	put(t, x, search.Spec{}, source("a.go", "alpha"))
	w := writerOf(t, x, search.Spec{})
	other := openIndex(t, s, "auto")
	var locked *search.LockedError
	if _, err := other.Writer(context.Background(), search.Spec{Project: "p", Root: "/srv/p", Model: model}); !errors.As(err, &locked) {
		t.Fatalf("a second writer of this process: %v", err)
	}
	s.Kill(t)
	w.Close()
	s.Restart(t)
	if n := s.Client(t).Exists(context.Background(), x.keys.lock("p")).Val(); n != 1 {
		t.Fatal("the lock is gone: nothing is tested")
	}
	w = writerOf(t, x, search.Spec{})
	w.Close()
}

func TestOverwrittenKeysMeanABuildFromNothing(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"f", "b", "n", "project", "c"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			x, s := newIndex(t, rdbtest.Search)
			ctx := context.Background()
			c := s.Client(t)
			put(t, x, search.Spec{}, source("a.go", "alpha"), source("b.go", "beta"))
			keys, _ := c.Keys(ctx, s.Prefix+":"+kind+":*").Result()
			if len(keys) == 0 {
				t.Fatal("no keys")
			}
			c.Set(ctx, keys[0], "mine", 0)
			if list, err := x.Projects(ctx); err != nil || (len(list) == 1) == (kind == "project") {
				t.Errorf("projects: %v, %v", list, err)
			}
			if snap, err := x.Open(ctx, "p"); kind == "project" {
				if !errors.Is(err, search.ErrNoProject) {
					t.Errorf("open: %v", err)
				}
			} else if err != nil {
				t.Error(err)
			} else if err := snap.(*snapshot).Check(ctx); kind != "n" && !errors.Is(err, search.ErrNoProject) {
				t.Errorf("check: %v", err)
			}
			put(t, x, search.Spec{}, source("a.go", "gamma"), source("b.go", "beta"))
			paths, _ := ask(t, x, query("gamma beta"))
			want(t, "rebuilt", paths, "a.go", "b.go")
			snap, err := x.Open(ctx, "p")
			if err != nil {
				t.Fatal(err)
			}
			if err := snap.(*snapshot).Check(ctx); err != nil {
				t.Error(err)
			}
		})
	}
}
