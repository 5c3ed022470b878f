package searchtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
	"github.com/contextd/contextd/internal/search"
)

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
