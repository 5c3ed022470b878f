package search_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
	"github.com/contextd/contextd/internal/search"
)

// shelf is a name index to be matched with.
type shelf struct {
	paths []code.Path
	terms [][]code.TermID
}

func shelve(paths ...code.Path) (s shelf) {
	for _, p := range paths {
		s.paths, s.terms = append(s.paths, p), append(s.terms, search.NameTerms(&code.File{Path: p}))
	}
	return s
}

func (s shelf) match(q search.Query, keep func(code.Path) bool, n int) (found []code.Path, df []int) {
	m := search.NewNameMatch(q)
	for i, ids := range s.terms {
		for _, id := range ids {
			m.Add(int32(i), id)
		}
	}
	at := func(i int32) code.Path { return s.paths[i] }
	files, df := m.Best(len(s.paths), at, func(i int32) bool { return keep(at(i)) }, n)
	for _, i := range files {
		found = append(found, at(i))
	}
	return found, df
}

func everything(code.Path) bool { return true }

func asking(text ...string) (q search.Query) {
	for _, t := range text {
		lexical.Words(t, func(w string) { q.Words = append(q.Words, lexical.Word(w)) })
		q.Names = append(q.Names, lexical.FileName(lexical.Join(t)))
	}
	return q
}

func TestFilesAreFoundByWhatTheirPathsSay(t *testing.T) {
	t.Parallel()
	s := shelve("tolls/toll_calculator.py", "tolls/rates.py", "web/src/tollBooth.ts", "web/index.ts", "lamp/keeper/mod.rs", "Ünïcode/日本.txt", "x", "")
	for _, tt := range []struct {
		q    search.Query
		want []code.Path
		df   []int
	}{
		{asking("toll_calculator"), []code.Path{"tolls/toll_calculator.py", "tolls/rates.py", "web/src/tollBooth.ts"}, []int{3, 1, 1}},
		{asking("keeper"), []code.Path{"lamp/keeper/mod.rs"}, []int{1}},
		{asking("web"), []code.Path{"web/index.ts", "web/src/tollBooth.ts"}, []int{2}}, // the stem of an index file is its folder
		{asking("zeppelin"), nil, []int{0}},
		{search.Query{}, nil, []int{}},
	} {
		if got, df := s.match(tt.q, everything, 10); !slices.Equal(got, tt.want) || !slices.Equal(df, tt.df) {
			t.Errorf("%v: %q, %v; want %q, %v", tt.q.Words, got, df, tt.want, tt.df)
		}
	}
}

func TestAFilesNameAndItsFirst100CharactersAreItsTerms(t *testing.T) {
	t.Parallel()
	file := func(text string) *code.File {
		return &code.File{Path: "tolls/TollCalculator.py", Chunks: []code.AnalyzedChunk{{Chunk: code.Chunk{Text: text}}}}
	}
	name := []code.TermID{lexical.FileName(lexical.Join("TollCalculator")).ID}
	words := func(idents ...string) []code.TermID {
		ids := slices.Clone(name)
		for _, ident := range idents {
			lexical.Words(ident, func(w string) {
				if id := lexical.Word(w).ID; !slices.Contains(ids, id) {
					ids = append(ids, id)
				}
			})
		}
		return ids
	}
	for text, want := range map[string][]code.TermID{
		"":                                      words("TollCalculator", "tolls"),
		"# what ships owe, in toll":             words("TollCalculator", "tolls", "what", "ships", "owe", "in"),
		strings.Repeat("- ", 48) + "last word":  words("TollCalculator", "tolls", "last"), // ends with the 100th character
		strings.Repeat("ä ", 47) + "ä endless":  words("TollCalculator", "tolls", "ä"),    // is cut
		strings.Repeat("- ", 50) + "too late":   words("TollCalculator", "tolls"),
		"\xff\x00" + strings.Repeat("x", 1<<16): words("TollCalculator", "tolls"),
	} {
		if got := search.NameTerms(file(text)); !slices.Equal(got, want) {
			t.Errorf("%.20q: %v, want %v", text, got, want)
		}
	}
}

func TestNamesAreMatchedTheSameInWhateverOrderTheyCome(t *testing.T) {
	t.Parallel()
	var paths []code.Path
	for i := range 1000 {
		paths = append(paths, fmt.Sprintf("berth%d/quay%d/ship%d.go", i%3, i%7, i))
	}
	q := asking("ship5", "berth1", "quay")
	even := func(p code.Path) bool { return len(p)%2 == 0 }
	whole, wantDF := shelve(paths...).match(q, even, len(paths))
	for range 5 {
		rand.Shuffle(len(paths), func(i, k int) { paths[i], paths[k] = paths[k], paths[i] })
		for _, n := range []int{0, 1, 20, 100, 2000} {
			got, df := shelve(paths...).match(q, even, n)
			if want := whole[:min(n, len(whole))]; !slices.Equal(got, want) || !slices.Equal(df, wantDF) {
				t.Fatalf("n=%d: %q, %v\n%q, %v", n, got, df, want, wantDF)
			}
		}
	}
}

func TestTermsBeyondTheMaximumAreIgnored(t *testing.T) {
	t.Parallel()
	var q search.Query
	for i := range 200 {
		q.Words, q.Names = append(q.Words, lexical.Word(fmt.Sprint("word", string(rune('a'+i%26)), string(rune('a'+i/26))))), append(q.Names, lexical.FileName(fmt.Sprint("n", i)))
	}
	found, df := shelve("wordda.go", "n5.go", "wordag.go", "n150.go").match(q, everything, 9)
	if !slices.Equal(found, []code.Path{"n5.go", "wordda.go"}) || len(df) != 200 || df[3] != 1 {
		t.Errorf("%q, %v", found, df)
	}
}

// BenchmarkNameMatch matches a question of six words with a name index of which each file holds some of them.
func BenchmarkNameMatch(b *testing.B) {
	for _, files := range []int{1000, 100_000} {
		b.Run(fmt.Sprintf("files=%d", files), func(b *testing.B) {
			var s shelf
			for i := range files {
				s.paths = append(s.paths, fmt.Sprintf("services/billing%d/internal/ledger/entryWriter%d_test.go", i%37, i))
				s.terms = append(s.terms, search.NameTerms(&code.File{Path: s.paths[i], Chunks: []code.AnalyzedChunk{{Chunk: code.Chunk{
					Text: "// Package ledger writes entries, double and in order, and tells their sums to all who ask for them.\n"}}}}))
			}
			q := asking("where", "is", "the", "ledger", "entryWriter17", "written")
			b.ReportAllocs()
			for b.Loop() {
				if found, _ := s.match(q, everything, 100); len(found) != 100 {
					b.Fatal(found)
				}
			}
		})
	}
}
