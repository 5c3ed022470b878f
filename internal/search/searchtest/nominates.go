package searchtest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/search/blob"
)

var nominateTests = []test{
	{"the mode is full", modeFull},
	{"files are found by words in any field", byWord},
	{"files are found by defined names and file stems", byName},
	{"files are found by their paths", byWantedPath},
	{"named files are nominated apart, whatever they hold", named},
	{"paths are those of the manifest", listedPaths},
	{"the nearest file is found by its vector", byVector},
	{"cosines are those of the quantised vectors", cosines},
	{"candidates carry their entries and feature blobs", blobs},
	{"counts and document frequencies are those of the live chunks", statistics},
	{"languages and globs leave nothing out that they allow", filters},
	{"a filter never starves", starvation},
	{"the best files are kept when there are too many", bestFiles},
	{"words of any text are found", oddWords},
	{"more words than are looked up do no harm", manyWords},
	{"a vector that does not fit is said to be unusable", noVector},
	{"a zero vector asks for no vectors", zeroVector},
	{"a context that has ended gives an error or a partial reply", ended},
	{"a replaced file is found by its new words only", replaced},
}

func modeFull(t *testing.T, s *store) {
	m, err := s.Mode(s.ctx())
	s.ok("mode", err)
	if m != search.Full {
		t.Errorf("mode %q, want %q", m, search.Full)
	}
}

func byWord(t *testing.T, s *store) {
	s.put(harbour()...)
	s.finds("a word of Body", search.Query{Words: words("oil")}, "lamp/keeper.rs")
	s.finds("a word of Comment", search.Query{Words: words("unpaid")}, "tolls/toll_calculator.py")
	s.finds("a word of Defs", search.Query{Words: words("waitingShips")}, "berth/queue.go")
	s.finds("a common word", search.Query{Words: words("berth")}, "berth/assign.go", "docs/harbour.md")
	s.finds("any of two words", search.Query{Words: words("tonnage", "oil")}, "berth/assign.go", "tolls/toll_calculator.py", "lamp/keeper.rs")
	s.finds("an unknown word", search.Query{Words: words("zeppelin")})
	s.finds("an unknown word beside a known one", search.Query{Words: words("zeppelin", "oil")}, "lamp/keeper.rs")
	s.finds("part of a word", search.Query{Words: words("ber")})
	s.finds("nothing", search.Query{})
}

func byName(t *testing.T, s *store) {
	s.put(harbour()...)
	s.finds("a defined name", search.Query{Names: []code.Term{lexical.Name("AssignBerth")}}, "berth/assign.go")
	s.finds("a file's stem", search.Query{Names: []code.Term{fileName("keeper")}}, "lamp/keeper.rs")
	s.finds("a stem is no word", search.Query{Words: words("keeper")})
	s.finds("a word is no name", search.Query{Names: []code.Term{lexical.Name("tonnage"), fileName("berth")}})
	s.finds("names and words", search.Query{Names: []code.Term{lexical.Name("Keeper")}, Words: words("unpaid")}, "lamp/keeper.rs", "tolls/toll_calculator.py")
}

func listedPaths(t *testing.T, s *store) {
	s.put(harbour()...)
	s.change(spec(), nil, "lamp/keeper.rs")
	snap := s.snapshot(project)
	got, err := snap.Paths(s.ctx())
	s.ok("list the paths", err)
	var want []code.Path
	for _, e := range s.entries(snap) {
		want = append(want, e.Path)
	}
	if slices.Sort(got); !slices.Equal(got, want) || len(got) != len(harbour())-1 {
		t.Errorf("paths %q, entries of %q", got, want)
	}
}

func byWantedPath(t *testing.T, s *store) {
	s.put(harbour()...)
	asked := []code.Path{"tolls/toll_calculator.py", "gone.go", "lamp/keeper.rs"}
	s.finds("by path", search.Query{Paths: asked}, "tolls/toll_calculator.py", "lamp/keeper.rs")
	s.finds("in a language", search.Query{Paths: asked, Langs: []string{"rust"}}, "lamp/keeper.rs")
	s.finds("below a folder", search.Query{Paths: asked, Globs: []string{"tolls/**"}}, "tolls/toll_calculator.py")
	if got := paths(s.nominate(search.Query{Words: words("berth"), Paths: asked, Files: 2})); len(got) != 2 || !slices.Contains(got, "tolls/toll_calculator.py") {
		t.Errorf("two files, in turn with those that hold a word: %q", got)
	}
}

func named(t *testing.T, s *store) {
	s.put(harbour()...)
	w := s.writer(spec())
	s.ok("touch", w.Touch(s.ctx(), skipped("berth/gen.go", code.Generated, "")))
	s.commit(w, true)
	s.ok("close", w.Close())
	q := search.Query{Words: words("oil"), Count: words("berth", "zeppelin"), Vector: vectorOf("x"), Named: []string{"**/queue.go", "**/keeper.rs", "berth/*.go", "**/gone.go"}}
	got := s.nominate(q)
	if found := paths(got); !slices.Contains(found, "lamp/keeper.rs") {
		t.Errorf("beside named files a word finds %q", found)
	}
	wantNamed := func(got *search.Nominees, want ...code.Path) {
		t.Helper()
		var found []code.Path
		for _, c := range got.Named {
			found = append(found, c.Entry.Path)
		}
		if !slices.Equal(found, want) {
			t.Errorf("named %q, want %q", found, want)
		}
	}
	wantNamed(got, "berth/assign.go", "berth/queue.go", "lamp/keeper.rs")
	if want := statsOf(harbour(), append(words("oil"), q.Count...)); !slices.Equal(got.Stats.DF, want.DF) {
		t.Errorf("counted %v, want %v", got.Stats.DF, want.DF)
	}
	all := s.nominate(search.Query{Vector: q.Vector})
	for _, c := range got.Named {
		i := slices.IndexFunc(all.Files, func(d search.Candidate) bool { return d.Entry == c.Entry })
		if i < 0 || all.Files[i].Features != c.Features || !slices.EqualFunc(all.Files[i].Cosines, c.Cosines, near) {
			t.Errorf("%q differs from what the vector nominates", c.Entry.Path)
		}
	}
	q.Files = 2
	wantNamed(s.nominate(q), "berth/assign.go", "berth/queue.go")
	q.Globs, q.Langs = []string{"docs/**"}, []string{"rust"}
	wantNamed(s.nominate(q), "lamp/keeper.rs")
	q.Named = []string{"a/["}
	if _, err := s.snapshot(project).Nominate(s.ctx(), q); err == nil {
		t.Error("a named pattern that is none gives no error")
	}
}

func blobs(t *testing.T, s *store) {
	docs := harbour()
	s.put(docs...)
	n := s.nominate(search.Query{Words: words("berth", "ship", "rate", "lamp")})
	if len(n.Files) != len(docs) {
		t.Fatalf("%d files, want all %d", len(n.Files), len(docs))
	}
	for _, c := range n.Files {
		d := docs[slices.IndexFunc(docs, func(d search.Document) bool { return d.Entry.Path == c.Entry.Path })]
		if c.Entry != d.Entry {
			t.Errorf("entry %+v, want %+v", c.Entry, d.Entry)
		}
		if c.Features != string(blob.EncodeFeatures(d.File)) {
			t.Errorf("%q has other features than were put", c.Entry.Path)
		}
	}
}

func statistics(t *testing.T, s *store) {
	docs := harbour()
	query := search.Query{Words: words("berth", "ship", "tonnage", "zeppelin", "lamp", "rate", "the", "extra")}
	check := func(what string) {
		t.Helper()
		got, want := s.nominate(query).Stats, statsOf(docs, query.Words)
		if got.Files != want.Files || got.Chunks != want.Chunks || got.Lens != want.Lens || !slices.Equal(got.DF, want.DF) {
			t.Errorf("%s: stats %+v, want %+v", what, got, want)
		}
	}
	s.put(docs...)
	check("at first")
	s.change(spec(), nil, "berth/queue.go")
	docs = slices.Delete(docs, 1, 2)
	check("after a deletion")
	docs[0] = Doc("berth/assign.go", "go", "@AssignBerth ship berth tonnage", "extra lamp lamp", "extra #berth")
	s.put(docs[0])
	check("after a replacement")
	twin := Doc("copy/assign.go", "go", "@AssignBerth ship berth tonnage", "same", "same", "same")
	docs = append(docs, twin)
	s.put(twin)
	check("with equal chunks in one file and two")
	query.Langs, query.Globs = []string{"rust"}, []string{"lamp/**"}
	check("whatever a filter leaves out")
}

// statsOf counts what Stats should say.
func statsOf(docs []search.Document, words []code.Term) search.Stats {
	st := search.Stats{DF: make([]int, len(words))}
	for _, d := range docs {
		st.Files++
		st.Chunks += len(d.File.Chunks)
		for k, n := range d.File.Lens() {
			st.Lens[k] += int64(n)
		}
		for i, w := range words {
			for _, c := range d.File.Chunks {
				if slices.ContainsFunc(c.Terms, func(tf code.TermFreq) bool { return tf.Term.ID == w.ID }) {
					st.DF[i]++
				}
			}
		}
	}
	return st
}

func oddWords(t *testing.T, s *store) {
	odd := []string{"or", "and", "not", "the", "a", "2024", "7", "naïve", "日本語", "ß", "-", "|", "@field:x", "{x}", "*", `"`, `\`, "(", "%", "nan",
		"inf", "null", strings.Repeat("x", 300), "__init__", "a.b", "\x80"}
	var docs []search.Document
	for i, w := range odd {
		d := Doc(numbered(i)+".txt", "text", "filler")
		d.File.Chunks[0].Terms = append(d.File.Chunks[0].Terms, code.TermFreq{Term: lexical.Word(w), TF: [code.NumFields]uint16{1}})
		d.File.Chunks[0].Names = append(d.File.Chunks[0].Names, lexical.Name(w))
		docs = append(docs, d)
	}
	s.put(docs...)
	for i, w := range odd {
		s.finds(fmt.Sprintf("word %q", w), search.Query{Words: words(w)}, numbered(i)+".txt")
		s.finds(fmt.Sprintf("name %q", w), search.Query{Names: []code.Term{lexical.Name(w)}}, numbered(i)+".txt")
	}
}

func manyWords(t *testing.T, s *store) {
	s.put(harbour()...)
	q := search.Query{Words: words("oil"), Names: []code.Term{lexical.Name("AssignBerth")}}
	for i := range 300 {
		q.Words = append(q.Words, lexical.Word("w"+numbered(i)))
		q.Names = append(q.Names, lexical.Name("n"+numbered(i)))
	}
	s.finds("300 words", q, "lamp/keeper.rs", "berth/assign.go")
	if df := s.nominate(q).Stats.DF; len(df) != len(q.Words) || df[0] != 1 || slices.Max(df[1:]) != 0 {
		t.Errorf("document frequencies %v, want 1 and then 300 times 0", df)
	}
}

func ended(t *testing.T, s *store) {
	s.put(harbour()...)
	snap := s.snapshot(project)
	ctx, cancel := context.WithCancel(s.ctx())
	cancel()
	if n, err := snap.Nominate(ctx, search.Query{Words: words("oil"), Vector: vectorOf("x")}); err == nil && !n.Partial {
		t.Error("the reply is neither an error nor partial")
	}
	s.ask(snap, search.Query{Words: words("oil")})
}

func replaced(t *testing.T, s *store) {
	s.put(harbour()...)
	s.put(Doc("lamp/keeper.rs", "rust", "@Keeper lamp light", "electric"))
	s.finds("an old word", search.Query{Words: words("oil")})
	s.finds("an old name", search.Query{Names: []code.Term{lexical.Name("light_lamp")}})
	s.finds("a new word", search.Query{Words: words("electric")}, "lamp/keeper.rs")
	s.finds("a word that stayed", search.Query{Words: words("light")}, "lamp/keeper.rs")
	s.finds("a name that stayed", search.Query{Names: []code.Term{lexical.Name("Keeper")}}, "lamp/keeper.rs")
	s.change(spec(), nil, "lamp/keeper.rs")
	s.finds("after its deletion", search.Query{Words: words("electric", "light"), Names: []code.Term{lexical.Name("Keeper")}})
	s.put(Doc("moved/keeper.rs", "rust", "@Keeper lamp light", "electric"))
	s.finds("at its new place", search.Query{Words: words("electric")}, "moved/keeper.rs")
}
