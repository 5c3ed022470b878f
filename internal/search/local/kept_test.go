package local

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/search/searchtest"
)

func TestWhatACommitKeepsIsWhatItWrote(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ix, err := Open(Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	check := func(what string) {
		t.Helper()
		folder := ix.folder("p")
		h, err := readHead(folder)
		if err != nil {
			t.Fatal(err)
		}
		kept := ix.cache.state(folder, h.raw)
		if kept == nil {
			t.Fatalf("%s: nothing was kept", what)
		}
		defer ix.cache.releaseState(kept)
		read, err := ix.read(folder, currentName)
		if err != nil {
			t.Fatal(err)
		}
		defer ix.cache.releaseState(read)
		other := open(t, dir)
		defer other.Close()
		anew, err := other.read(folder, currentName)
		if err != nil {
			t.Fatal(err)
		}
		defer other.cache.releaseState(anew)
		if err := kept.ready(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		for part, of := range map[string]func(*state) any{
			"head": func(st *state) any { return *st.head }, "entries": func(st *state) any { return st.entries }, "places": func(st *state) any { return st.locs },
			"base": func(st *state) any { return st.table.base }, "changed": func(st *state) any { return slices.Clip(st.over) },
			"segments": func(st *state) any { return st.segs }, "chunks": func(st *state) any { return st.rowOf }, "numbers": func(st *state) any { return st.first },
			"norms": func(st *state) any { return st.norms }, "stats": func(st *state) any { return st.stats },
		} {
			if a, b := of(kept), of(read); !reflect.DeepEqual(a, b) {
				t.Errorf("%s: %s: kept %+v, read %+v", what, part, a, b)
			}
			if a, b := of(kept), of(anew); part != "segments" && !reflect.DeepEqual(a, b) {
				t.Errorf("%s: %s: kept %+v, read by another process %+v", what, part, a, b)
			}
		}
	}
	ix.foldFrom = 6
	advance(t, ix, before())
	check("the first commit")
	advance(t, ix, after())
	check("a change")
	for i := range 30 { // segments are merged on the way
		docs := after()
		docs[i%len(docs)] = searchtest.Doc(docs[i%len(docs)].Entry.Path, "go", fmt.Sprintf("@name%d text", i))
		advance(t, ix, docs)
		check(fmt.Sprintf("change %d", i))
	}
	sp := testSpec()
	sp.Model.Analyzer, sp.Next = 2, true
	w, err := ix.Writer(t.Context(), sp)
	if err != nil {
		t.Fatal(err)
	}
	var p search.Project
	for _, d := range before() {
		if err = w.Put(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	if p, err = w.Commit(t.Context(), true); err != nil || p.Model != sp.Model {
		t.Fatalf("%+v, %v", p, err)
	}
	check("a next version that took over")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
