package analyze

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
)

const goSource = `package berth

// AssignBerth picks the shortest berth.
func AssignBerth(quay []Berth) *Berth {
	return first(quay)
}
`

// tf gives how often each field of a chunk holds a word.
func tf(c *code.AnalyzedChunk, word string) (out [code.NumFields]uint16) {
	for _, t := range c.Terms {
		if t.Term == lexical.Word(word) {
			return t.TF
		}
	}
	return out
}

func TestWordsAreCountedInTheirField(t *testing.T) {
	t.Parallel()
	f := File("harbour/quay/berth_plan.go", goSource)
	if f.Language != "go" || f.Lines != 6 || len(f.Chunks) != 1 {
		t.Fatalf("%q, %d lines, %d chunks", f.Language, f.Lines, len(f.Chunks))
	}
	c := &f.Chunks[0]
	for word, want := range map[string][code.NumFields]uint16{
		"first":       {code.Body: 1},
		"shortest":    {code.Comment: 1},
		"assignberth": {code.Body: 1, code.Comment: 1, code.Defs: 1},
		"harbour":     {code.Context: 1},
		"quai":        {code.Body: 2, code.Context: 1}, // stemmed
		"plan":        {code.Context: 1},
		"absent":      {},
	} {
		if got := tf(c, word); got != want {
			t.Errorf("%q: %v, want %v", word, got, want)
		}
	}
}

func TestNamesAreLookUpTermsOfDefinitionsAndTheFilesStem(t *testing.T) {
	t.Parallel()
	f := File("harbour/berth_plan.go", goSource)
	want := []code.Term{lexical.Name("assignberth"), lexical.FileName("berthplan")}
	if got := f.Chunks[0].Names; !slices.Equal(got, want) {
		t.Errorf("names %v, want %v", got, want)
	}
}

func TestNamesOfOneLetterAreLookedUpButAreNoWords(t *testing.T) {
	t.Parallel()
	f := File("harbour/q.js",
		"const g = { ships: 3 };\nfunction $(x) {\n  return g[x];\n}\nfunction _(x) {\n  return x;\n}\nclass Q {\n}\n")
	var names []code.Term
	for i := range f.Chunks {
		names = append(names, f.Chunks[i].Names...)
		if tf(&f.Chunks[i], "g") != [code.NumFields]uint16{} {
			t.Error("g is counted as a word")
		}
	}
	for _, want := range []code.Term{
		lexical.Name("g"), lexical.Name("$"), lexical.Name("_"), lexical.Name("q"), lexical.FileName("q"),
	} {
		if !slices.Contains(names, want) {
			t.Errorf("names %v lack %v", names, want)
		}
	}
	if slices.Contains(names, lexical.Name("x")) || slices.Contains(names, lexical.Name("")) {
		t.Errorf("names %v hold what is not defined", names)
	}
}

func TestTheLinesOfAnEmptyOrOddFileAreCounted(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 0, "a": 1, "a\n": 1, "a\nb": 2, "\n\n": 2} {
		if f := File("x.txt", text); f.Lines != want || (len(f.Chunks) == 0) != (want == 0) {
			t.Errorf("%q: %d lines in %d chunks, want %d lines", text, f.Lines, len(f.Chunks), want)
		}
	}
}

func TestOfAVeryLongLineOnlyTheBeginningCounts(t *testing.T) {
	t.Parallel()
	f := File("x.txt", "begin "+strings.Repeat("filler ", 2000)+"finis\n")
	var begin, finis bool
	for i := range f.Chunks {
		begin = begin || tf(&f.Chunks[i], "begin")[code.Body] > 0
		finis = finis || tf(&f.Chunks[i], "fini")[code.Body] > 0
	}
	if !begin || finis {
		t.Errorf("the begin is searched: %v, the end: %v", begin, finis)
	}
}

func FuzzFile(f *testing.F) {
	f.Add("a/b.go", goSource)
	f.Add("n.ipynb",
		"# %% notebook python↵# %% cell 1 [markdown]↵# # a↵# %% cell 2 [code]↵def f():\n# %% cell 9 [code]\ndef g():\n")
	f.Add("x.py", "def f():\n    \"\"\"doc\"\"\"\n")
	f.Fuzz(func(t *testing.T, path, text string) {
		text = strings.ToValidUTF8(text, "")
		a := File(path, text)
		line := 1
		for i := range a.Chunks {
			c := &a.Chunks[i]
			if c.Span.Start != line || c.Span.End < c.Span.Start {
				t.Fatalf("chunk %d spans %v after line %d", i, c.Span, line-1)
			}
			line = c.Span.End + 1
			var sum [code.NumFields]int
			for _, term := range c.Terms {
				for k, n := range term.TF {
					sum[k] += int(n)
				}
			}
			if sum != c.Lens {
				t.Fatalf("chunk %d: counts add up to %v, lengths are %v", i, sum, c.Lens)
			}
		}
		if line-1 != a.Lines {
			t.Fatalf("chunks end at line %d of %d", line-1, a.Lines)
		}
		if b := File(path, text); !reflect.DeepEqual(a, b) {
			t.Fatal("the same text was analyzed differently")
		}
	})
}
