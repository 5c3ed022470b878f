package searchtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

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
