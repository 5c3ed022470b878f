package searchtest

import (
	"context"
	"fmt"
	"math"
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

var namesTests = []test{
	{"the mode is names", func(t *testing.T, s *store) {
		m, err := s.Mode(s.ctx())
		s.ok("mode", err)
		if m != search.Names {
			t.Errorf("mode %q, want %q", m, search.Names)
		}
	}},
	{"files are found by the words of their first 100 characters, whatever was merged", func(t *testing.T, s *store) {
		head := Doc("head.go", "go", "zeppelin over the harbour", "lighthouse far below")
		s.put(append(harbour(), head)...)
		for i := range 12 { // enough commits for a merge
			s.put(Doc(fmt.Sprintf("other%d.go", i), "go", "filler"))
			s.finds("by a word of the beginning", search.Query{Words: words("zeppelin")}, "head.go")
		}
		s.finds("by a word of the second chunk", search.Query{Words: words("lighthouse")})
		s.put(Doc("head.go", "go", "airship over the harbour"))
		s.finds("by a word that went", search.Query{Words: words("zeppelin")})
		s.finds("by a word that came", search.Query{Words: words("airship")}, "head.go")
	}},
	{"files are found by their stems and by words of their paths", func(t *testing.T, s *store) {
		s.put(append(harbour(), Doc("wide.go", "go", strings.Repeat("filler ", 40)+"zeppelin"))...)
		s.finds("by stem", search.Query{Names: []code.Term{fileName("toll_calculator")}}, "tolls/toll_calculator.py")
		got := paths(s.nominate(search.Query{Words: words("keeper")}))
		if !slices.Contains(got, "lamp/keeper.rs") {
			t.Errorf("a word of the path nominates %q", got)
		}
		s.finds("by a word deep inside", search.Query{Words: words("zeppelin")})
		s.finds("in a language", search.Query{Words: words("keeper", "toll"), Langs: []string{"rust"}}, "lamp/keeper.rs")
		if n := s.nominate(search.Query{Words: words("keeper"), Vector: vectorOf("x")}); len(n.Files) != 1 || !n.NoVector {
			t.Errorf("with a vector there are %d files and NoVector is %v", len(n.Files), n.NoVector)
		}
		n := s.nominate(search.Query{Words: words("keeper"), Count: words("toll", "zeppelin"), Named: []string{"**/wide.go"}})
		if len(n.Files) != 1 || len(n.Named) != 1 || n.Named[0].Entry.Path != "wide.go" || !slices.Equal(n.Stats.DF, []int{1, 1, 0}) {
			t.Errorf("%d files, named %+v, counted %v", len(n.Files), n.Named, n.Stats.DF)
		}
	}},
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

func byVector(t *testing.T, s *store) {
	s.put(harbour()...)
	for _, d := range harbour() {
		for i := range d.Vectors {
			s.finds("its own vector", search.Query{Vector: d.Vectors[i], Files: 1}, d.Entry.Path)
		}
	}
	if got := len(s.nominate(search.Query{Vector: vectorOf("x")}).Files); got != len(harbour()) {
		t.Errorf("a vector nominates %d of %d files of a small project", got, len(harbour()))
	}
}

func near(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-4 }

func cosines(t *testing.T, s *store) {
	docs := harbour()
	clear(docs[2].Vectors[1]) // a chunk without a known word
	s.put(docs...)
	query := vectorOf("what is near")
	n := s.nominate(search.Query{Vector: query, Words: words("rate")})
	for _, c := range n.Files {
		d := docs[slices.IndexFunc(docs, func(d search.Document) bool { return d.Entry.Path == c.Entry.Path })]
		if len(c.Cosines) != len(d.Vectors) {
			t.Errorf("%q has %d cosines for %d chunks", c.Entry.Path, len(c.Cosines), len(d.Vectors))
			continue
		}
		for i, v := range d.Vectors {
			scale, q := search.Quantize(v)
			if want := search.Cosine(q, scale, query); !near(c.Cosines[i], want) {
				t.Errorf("%q, chunk %d: cosine %g, want %g", c.Entry.Path, i, c.Cosines[i], want)
			}
		}
	}
	for _, c := range s.nominate(search.Query{Words: words("rate")}).Files {
		if c.Cosines != nil {
			t.Errorf("without a vector %q has cosines %v", c.Entry.Path, c.Cosines)
		}
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

func filters(t *testing.T, s *store) {
	var docs []search.Document
	for p, lang := range map[code.Path]string{"src/a.go": "go", "src/b.go": "go", "src/deep/er/c.go": "go", "src/a.py": "python", "top.go": "go",
		"lib/[x].go": "go", "lib/x.go": "go", "src2/a.go": "go", "src/日本.go": "go", "src/C.cs": "c#", "a b/c d.cpp": "c++", ".hidden/h.go": "go"} {
		docs = append(docs, Doc(p, lang, "berth "+stem(p)))
	}
	s.put(docs...)
	for _, c := range []struct {
		langs, globs, want string
	}{
		{"python", "", "src/a.py"},
		{"python c# c++", "", "src/a.py src/C.cs a_b/c_d.cpp"},
		{"Python", "", ""},
		{"cobol", "", ""},
		{"", "src/*.go", "src/a.go src/b.go src/日本.go"},
		{"", "src/**", "src/a.go src/b.go src/deep/er/c.go src/a.py src/日本.go src/C.cs"},
		{"", "src/**/c.go", "src/deep/er/c.go"},
		{"", "**/a.go", "src/a.go src2/a.go"},
		{"", "*.go", "top.go"},
		{"", "top.go", "top.go"},
		{"", "src", ""},
		{"", "lib/[x].go", "lib/x.go"},
		{"", `lib/\[x\].go`, "lib/[x].go"},
		{"", "{src,lib}/x.go {top,*}.go", "lib/x.go top.go"},
		{"", "src?/a.go", "src2/a.go"},
		{"", "src/日?.go", "src/日本.go"},
		{"", "a_b/**", "a_b/c_d.cpp"},
		{"", ".hidden/**", ".hidden/h.go"},
		{"go", "src/a.*", "src/a.go"},
		{"python", "lib/**", ""},
		{"", "/**", ""},
		{"", "/**/*", ""},
		{"", "/src/**", ""},
	} {
		q := search.Query{Words: words("berth"), Vector: vectorOf("y"), Langs: strings.Fields(c.langs)}
		for _, g := range strings.Fields(c.globs) {
			q.Globs = append(q.Globs, strings.ReplaceAll(g, "_", " "))
		}
		want := strings.Fields(c.want)
		for i := range want {
			want[i] = strings.ReplaceAll(want[i], "_", " ")
		}
		s.finds(fmt.Sprintf("langs %q, globs %q", q.Langs, q.Globs), q, want...)
	}
}

func starvation(t *testing.T, s *store) {
	query := vectorOf("target")
	var docs []search.Document
	for i := range 260 {
		d := Doc("many/"+numbered(i)+".go", "go", "berth berth berth @common")
		d.Vectors[0] = query // all nearer than the one that is wanted
		docs = append(docs, d)
	}
	docs = append(docs, Doc("few/one.py", "python", "berth @common and much else that makes it long"))
	s.put(docs...)
	q := search.Query{Words: words("berth"), Names: []code.Term{lexical.Name("common")}, Langs: []string{"python"}}
	s.finds("a rare language", q, "few/one.py")
	q.Langs, q.Globs = nil, []string{"few/*"}
	s.finds("a rare folder", q, "few/one.py")
	q.Globs = []string{"**/*.py"}
	s.finds("a rare ending", q, "few/one.py")
	q.Words, q.Names, q.Vector = nil, nil, query
	s.finds("a rare ending by vector", q, "few/one.py")
	q.Globs, q.Langs = nil, []string{"python"}
	s.finds("a rare language by vector", q, "few/one.py")
}

func bestFiles(t *testing.T, s *store) {
	var docs []search.Document
	for i := range 150 {
		docs = append(docs, Doc(numbered(i)+".go", "go", "berth "+numbered(i)+" and other words to make it longer"))
	}
	docs = append(docs, Doc("best.go", "go", "berth berth berth"))
	s.put(docs...)
	if n := len(s.nominate(search.Query{Words: words("berth")}).Files); n != 100 {
		t.Errorf("%d files without a limit, want 100", n)
	}
	s.finds("the best by words", search.Query{Words: words("berth"), Files: 1}, "best.go")
	s.finds("a rare word beside a common one", search.Query{Words: words("berth", numbered(77)), Files: 1}, numbered(77)+".go")
	if got := paths(s.nominate(search.Query{Words: words("berth"), Names: []code.Term{fileName(numbered(9))}, Vector: docs[50].Vectors[0], Files: 3})); !slices.Equal(got, []string{"best.go", numbered(9) + ".go", numbered(50) + ".go"}) {
		t.Errorf("the best of each leg are %q", got)
	}
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

func noVector(t *testing.T, s *store) {
	s.put(harbour()...)
	check := func(what string, v []float32, want bool) {
		t.Helper()
		n := s.nominate(search.Query{Words: words("oil"), Vector: v})
		if n.NoVector != want || len(paths(n)) == 0 {
			t.Errorf("%s: NoVector %v, want %v, with %d files", what, n.NoVector, want, len(n.Files))
		}
	}
	check("a fitting vector", vectorOf("x"), false)
	check("no vector", nil, false)
	check("a longer vector", append(vectorOf("x"), 0), true)
	check("a shorter vector", vectorOf("x")[1:], true)

	sp := spec()
	sp.Model = search.Model{Embedder: "none", Analyzer: 1}
	d := Doc("x.go", "go", "oil")
	d.Vectors = nil
	s.change(sp, []search.Document{d})
	check("a project without vectors", vectorOf("x"), true)
	check("no vector in a project without", nil, false)
}

func zeroVector(t *testing.T, s *store) {
	s.put(harbour()...)
	s.finds("a zero vector", search.Query{Words: words("oil"), Vector: make([]float32, dims)}, "lamp/keeper.rs")
	if n := s.nominate(search.Query{Vector: make([]float32, dims)}); n.NoVector || len(n.Files) != 0 {
		t.Errorf("a zero vector alone gives %+v", n)
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
