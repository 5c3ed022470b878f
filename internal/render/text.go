package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/safetext"
)

// Result is one entry of an answer.
type Result struct {
	Root      string // named in the heading where several were asked; else ""
	Path      code.Path
	Span      code.Span // of the chunk
	Shown     code.Span // of Snippet
	Relevance float64   // 0 to 1
	Possible  bool      // a guess: Snippet is one line, shown without a block
	Language  string
	Snippet   string
	Pointer   bool   // the answer had no room for the snippet: a line with Symbol, without a block
	Symbol    string // of a Pointer: what is defined there; "" for nothing
	Note      string // a line below the snippet; "" for none
}

// Place is where something stands that is not shown.
type Place struct {
	Root   string // as of a Result
	Path   code.Path
	Span   code.Span
	Symbol string // what is defined there; "" for nothing
}

// Answer is what Text prints.
type Answer struct {
	Results       []Result
	Nearest       []Place   // what came nearest; only where there are no results
	Files, Chunks int       // what was searched
	Best          float64   // the greatest relevance found
	Reasons       []string  // why the answer is of less than full strength; none if it is not
	Missing       []string  // words of the question that stand nowhere
	Names         []string  // names that are spelt nearly like them
	Paths, Langs  []string  // filters that no file matches
	MaxTokens     int       // what the text was fitted into, where it was shortened for that; else 0
	Omitted       int       // results that were left out for it
	Terminal      *Terminal // how a terminal shows it; nil: it is plain text
}

// Text prints an answer for people and prompts. With results:
//
//	## RELEVANT CODEBASE CONTEXT
//
//	Found 1 relevant snippet
//
//	1. src/auth/jwt.go:40-52 (Relevance: 0.93)
//	in 40-78
//	```go
//	func Verify(token string) error {
//	```
//
// The lines are those that are shown; below them stand the lines of the whole chunk where these are more. A guess is
// marked "(Relevance: 0.14, possible)", with the lines of its chunk, has one line of it in place of a block, and is not
// counted above. Without results: one line that begins "Nothing relevant" and tells what was searched and the best
// relevance, and what came nearest, a line each; or "No answer" where a fault left nothing to search. There is no block
// then. Where nothing but guesses was found, the words that stand nowhere are told. A degraded answer says so, with its
// reasons, on a line of its own. Paths, notes and snippets are neutralised, so that each entry keeps to its line and
// each snippet to its block. An error is w's.
func Text(w io.Writer, a Answer) error {
	var b strings.Builder
	sure := 0
	for _, r := range a.Results {
		if !r.Possible {
			sure++
		}
	}
	switch n := len(a.Results); {
	case n == 0 && a.Omitted > 0:
		b.WriteString("No room for a result.\n")
	case n == 0 && a.Files == 0 && len(a.Reasons) > 0:
		b.WriteString("No answer: nothing could be searched.\n")
	case n == 0:
		fmt.Fprintf(&b, "Nothing relevant: searched %s and %s, the best relevance was %.2f.\n",
			Plural(a.Files, "file"), Plural(a.Chunks, "chunk"), clampRelevance(a.Best))
	default:
		fmt.Fprintf(&b, "## RELEVANT CODEBASE CONTEXT\n\nFound %s\n", Plural(sure, "relevant snippet"))
	}
	b.WriteString(Unmatched(a.Paths, a.Langs))
	if sure == 0 {
		b.WriteString(Missing(a.Missing, a.Names))
	}
	if len(a.Reasons) > 0 {
		fmt.Fprintf(&b, "\nDegraded: %s.\n", safetext.Line(strings.Join(a.Reasons, ", ")))
	}
	if a.MaxTokens > 0 {
		fmt.Fprintf(&b, "\nFitted into %d tokens: %d without text, %d left out.\n", a.MaxTokens,
			pointers(a.Results), a.Omitted)
	}
	for i, r := range a.Results {
		fmt.Fprintf(&b, "\n%d. %s", i+1, a.Terminal.path(r.Path))
		if r.Pointer {
			b.WriteString(strings.TrimRight(fmt.Sprintf(":%d-%d (Relevance: %.2f, pointer)%s %s", r.Span.Start,
				r.Span.End, clampRelevance(r.Relevance), rootSuffix(r.Root), safetext.Line(r.Symbol)), " ") + "\n")
			continue
		}
		if r.Possible {
			fmt.Fprintf(&b, ":%d-%d (Relevance: %.2f, possible)%s\n", r.Span.Start, r.Span.End,
				clampRelevance(r.Relevance), rootSuffix(r.Root))
			b.WriteString(a.Terminal.text(safetext.Line(strings.TrimSpace(r.Snippet))) + "\n")
		} else {
			fmt.Fprintf(&b, ":%d-%d (Relevance: %.2f)%s\n", r.Shown.Start, r.Shown.End, clampRelevance(r.Relevance),
				rootSuffix(r.Root))
			if r.Shown != r.Span {
				fmt.Fprintf(&b, "in %d-%d\n", r.Span.Start, r.Span.End)
			}
			b.WriteString(Fence(a.Terminal.text(safetext.Text(r.Snippet)), r.Language))
		}
		if r.Note != "" {
			b.WriteString(safetext.Line(r.Note) + "\n")
		}
	}
	if len(a.Nearest) > 0 && len(a.Results) == 0 {
		b.WriteString("\nNearest, probably not:\n")
		for _, p := range a.Nearest {
			fmt.Fprintf(&b, "- %s:%d-%d", safetext.Line(p.Path), p.Span.Start, p.Span.End)
			if p.Symbol != "" {
				b.WriteString(" " + safetext.Line(p.Symbol))
			}
			b.WriteString(rootSuffix(p.Root))
			b.WriteString("\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// rootSuffix returns the name of a place's root to print after it; "" if only one root was asked.
func rootSuffix(root string) string {
	if root == "" {
		return ""
	}
	return " of " + safetext.Line(root)
}

// pointers counts the results without a text.
func pointers(results []Result) (n int) {
	for _, r := range results {
		if r.Pointer {
			n++
		}
	}
	return n
}

// mostMissing bounds the words that are told to stand nowhere.
const mostMissing = 8

// Missing is the line that tells which words stand nowhere, and names that are spelt nearly like them; "" where there
// are none.
func Missing(words, names []string) string {
	if len(words) == 0 {
		return ""
	}
	var each []string
	for _, w := range words[:min(len(words), mostMissing)] {
		each = append(each, `"`+safetext.Line(w)+`"`)
	}
	if rest := len(words) - mostMissing; rest > 0 {
		each = append(each, Plural(rest, "more word"))
	}
	line, verb := each[0], " stands"
	if last := len(each) - 1; last > 0 {
		line, verb = strings.Join(each[:last], ", ")+" and "+each[last], " stand"
	}
	line += verb + " nowhere in the tree"
	if len(names) > 0 {
		line += "; nearest names: " + safetext.Line(strings.Join(names, ", "))
	}
	return line + ".\n"
}

// Unmatched is the line that tells which filters no file matches; "" where there are none.
func Unmatched(paths, langs []string) string {
	var each []string
	for _, kind := range []struct {
		noun  string
		items []string
	}{{"path", paths}, {"language", langs}} {
		for _, x := range kind.items[:min(len(kind.items), mostMissing)] {
			each = append(each, kind.noun+` "`+safetext.Line(x)+`"`)
		}
		if rest := len(kind.items) - mostMissing; rest > 0 {
			each = append(each, Plural(rest, "more "+kind.noun))
		}
	}
	if len(each) == 0 {
		return ""
	}
	joint := " and "
	if len(paths) == 0 || len(langs) == 0 {
		joint = " or "
	}
	line := each[0]
	if last := len(each) - 1; last > 0 {
		line = strings.Join(each[:last], ", ") + joint + each[last]
	}
	return "No file of the index matches " + line + ".\n"
}

// Plural is a number with its noun.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// clampRelevance makes any relevance printable.
func clampRelevance(x float64) float64 {
	if !(x >= 0) {
		return 0
	}
	return min(x, 1)
}
