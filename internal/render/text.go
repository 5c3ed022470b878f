package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// Result is one entry of an answer.
type Result struct {
	Path      code.Path
	Span      code.Span // of the chunk
	Relevance float64   // 0 to 1
	Possible  bool      // a guess: Snippet is one line, shown without a block
	Language  string
	Snippet   string
	Note      string // a line below the snippet; "" for none
}

// Place is where something stands that is not shown.
type Place struct {
	Path   code.Path
	Span   code.Span
	Symbol string // what is defined there; "" for nothing
}

// Answer is what Text prints.
type Answer struct {
	Results       []Result
	Nearest       []Place  // what came nearest; only where there are no results
	Files, Chunks int      // what was searched
	Best          float64  // the greatest relevance found
	Reasons       []string // why the answer is of less than full strength; none if it is not
}

// Text prints an answer for people and prompts. With results:
//
//	## RELEVANT CODEBASE CONTEXT
//
//	Found 1 relevant snippet
//
//	1. src/auth/jwt.go:40-78 (Relevance: 0.93)
//	```go
//	func Verify(token string) error {
//	```
//
// A guess is marked "(Relevance: 0.14, possible)" and has its line in place of a block. Without results: one line that begins "Nothing
// relevant" and tells what was searched and the best relevance, and what came nearest, a line each; or "No answer" where a fault left
// nothing to search. There is no block then.
// A degraded answer says so, with its reasons, on a line of its own. Paths, notes and snippets are neutralised, so that each
// entry keeps to its line and each snippet to its block. An error is w's.
func Text(w io.Writer, a Answer) error {
	var b strings.Builder
	switch n := len(a.Results); {
	case n == 0 && a.Files == 0 && len(a.Reasons) > 0:
		b.WriteString("No answer: nothing could be searched.\n")
	case n == 0:
		fmt.Fprintf(&b, "Nothing relevant: searched %s and %s, the best relevance was %.2f.\n",
			plural(a.Files, "file"), plural(a.Chunks, "chunk"), share(a.Best))
	default:
		fmt.Fprintf(&b, "## RELEVANT CODEBASE CONTEXT\n\nFound %s\n", plural(n, "relevant snippet"))
	}
	if len(a.Reasons) > 0 {
		fmt.Fprintf(&b, "\nDegraded: %s.\n", NeutralLine(strings.Join(a.Reasons, ", ")))
	}
	for i, r := range a.Results {
		mark := ""
		if r.Possible {
			mark = ", possible"
		}
		fmt.Fprintf(&b, "\n%d. %s:%d-%d (Relevance: %.2f%s)\n", i+1, NeutralLine(r.Path), r.Span.Start, r.Span.End, share(r.Relevance), mark)
		if r.Possible {
			b.WriteString(NeutralLine(strings.TrimSpace(r.Snippet)) + "\n")
		} else {
			b.WriteString(Fence(Neutral(r.Snippet), r.Language))
		}
		if r.Note != "" {
			b.WriteString(NeutralLine(r.Note) + "\n")
		}
	}
	if len(a.Nearest) > 0 && len(a.Results) == 0 {
		b.WriteString("\nNearest, probably not:\n")
		for _, p := range a.Nearest {
			fmt.Fprintf(&b, "- %s:%d-%d", NeutralLine(p.Path), p.Span.Start, p.Span.End)
			if p.Symbol != "" {
				b.WriteString(" " + NeutralLine(p.Symbol))
			}
			b.WriteString("\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// share keeps a relevance printable whatever it is.
func share(x float64) float64 {
	if !(x >= 0) {
		return 0
	}
	return min(x, 1)
}
