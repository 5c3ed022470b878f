package retrieve_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/render"
	"github.com/contextd/contextd/internal/retrieve"
)

func TestFitKeepsTheTextWithinItsTokensBestFirst(t *testing.T) {
	t.Parallel()
	words := func(text string) int { return len(strings.Fields(text)) }
	last := -1
	for most := range 200 {
		r := &retrieve.Reply{Searched: retrieve.Searched{Files: 9, Chunks: 9}}
		for i := range 5 {
			r.Results = append(r.Results, retrieve.Result{Path: fmt.Sprintf("f%d.go", i), StartLine: 1, EndLine: 2,
				SnippetLine: 1, Relevance: .9, Symbol: "f", Snippet: strings.Repeat("word ", 20) + "\nend"})
		}
		r.Fit(most, words)
		var b strings.Builder
		if err := render.Text(&b, r.Answer()); err != nil {
			t.Fatal(err)
		}
		full := 0
		for i, x := range r.Results {
			if !x.Pointer {
				full++
			}
			if x.Pointer != (x.Snippet == "") || !x.Pointer && full != i+1 {
				t.Fatalf("%d: result %d is a pointer: %v, with the text %q", most, i, x.Pointer, x.Snippet)
			}
		}
		if got := words(b.String()); got != r.Tokens || got > most && len(r.Results) > 0 ||
			len(r.Results)+r.Omitted != 5 || full < last {
			t.Fatalf("%d: %d tokens, told %d, %d results, %d of them whole, %d omitted:\n%s", most, got, r.Tokens,
				len(r.Results), full, r.Omitted, b.String())
		}
		last = full
	}
	if last != 5 {
		t.Errorf("%d results are whole in the end", last)
	}
}
