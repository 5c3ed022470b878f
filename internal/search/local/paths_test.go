package local

import (
	"errors"
	"reflect"
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
	"github.com/contextd/contextd/internal/search"
)

func TestFilesByTheirPathsAreThoseOfASearchAndPrepareNone(t *testing.T) {
	t.Parallel()
	ix, err := Open(Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	advance(t, ix, before())
	var paths []code.Path
	for _, d := range before() {
		paths = append(paths, d.Entry.Path)
	}
	snap, err := ix.Open(t.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	ask := func(q search.Query) map[code.Path]search.Candidate {
		t.Helper()
		found, err := snap.Nominate(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		files := map[code.Path]search.Candidate{}
		for _, c := range found.Files {
			files[c.Entry.Path] = c
		}
		return files
	}
	st := snap.(*snapshot).st
	alone := ask(search.Query{Paths: append(paths, "gone.go")})
	if st.rowOf != nil {
		t.Error("the whole index was prepared for a search")
	}
	if whole := ask(search.Query{Paths: paths, Words: []code.Term{lexical.Word("common")}}); st.rowOf == nil || !reflect.DeepEqual(alone, whole) {
		t.Errorf("alone %+v, in a search %+v", alone, whole)
	}
	for i := range st.locs { // as no commit writes them
		st.locs[i] = loc{seg: st.locs[i].seg, ord: 1 << 20}
	}
	if _, err := snap.Nominate(t.Context(), search.Query{Paths: paths}); !errors.Is(err, errDamaged) {
		t.Errorf("a place outside its segment: %v", err)
	}
}
