package render

import (
	"regexp"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/code"
)

// sequences are what a terminal obeys of what this package writes.
var sequences = regexp.MustCompile(`\x1b\[(1|1;33|0)m|\x1b\]8;;[!-~]*?\x1b\\`)

// every marks each place of a word.
func every(word string) func(string) [][2]int {
	return func(text string) (marks [][2]int) {
		for _, m := range regexp.MustCompile(word).FindAllStringIndex(text, -1) {
			marks = append(marks, [2]int(m))
		}
		return marks
	}
}

func TestTerminalMarksWordsAndLinksPaths(t *testing.T) {
	t.Parallel()
	span := code.Span{Start: 3, End: 3}
	a := Answer{Terminal: &Terminal{Root: "/srv/my web", Marks: every("toll")}, Results: []Result{
		{Path: "a b/t;%1.go", Span: span, Shown: span, Relevance: 1, Language: "go", Snippet: "func toll() // toll"},
		{Path: "b.go", Span: span, Relevance: .1, Possible: true, Snippet: "the tolls"},
	}}
	want := "\n1. \x1b]8;;file:///srv/my%20web/a%20b/t%3B%251.go\x1b\\\x1b[1ma b/t;%1.go\x1b[0m\x1b]8;;\x1b\\:3-3 (Relevance: 1.00)\n" +
		"```go\nfunc \x1b[1;33mtoll\x1b[0m() // \x1b[1;33mtoll\x1b[0m\n```\n" +
		"\n2. \x1b]8;;file:///srv/my%20web/b.go\x1b\\\x1b[1mb.go\x1b[0m\x1b]8;;\x1b\\:3-3 (Relevance: 0.10, possible)\nthe \x1b[1;33mtoll\x1b[0ms\n"
	if got := print(t, a); !strings.HasSuffix(got, want) {
		t.Errorf("printed\n%q\nwant at the end\n%q", got, want)
	}
	if got := (&Terminal{Root: "C:/work"}).path("a.go"); !strings.HasPrefix(got, "\x1b]8;;file:///C:/work/a.go\x1b\\") {
		t.Errorf("a path on Windows is %q", got)
	}
}

// Whatever paths and snippets hold, a terminal is told nothing but marks and links, and without these the answer is the
// plain one.
func TestHostileAnswerCommandsNoTerminal(t *testing.T) {
	t.Parallel()
	var a Answer
	for _, h := range []string{
		"a\x1b]8;;http://x\x1b\\b", "toll\x1b[2J", "\u202etoll", "x\x07toll\r\n```\n", "\xff\x9btoll", "../%2f?#toll",
	} {
		a.Results = append(a.Results, Result{Path: h, Span: code.Span{Start: 1, End: 9},
			Shown: code.Span{Start: 1, End: 2}, Language: h, Snippet: h + "\n```\n" + h, Possible: len(h)%2 == 0})
	}
	plain := print(t, a)
	a.Terminal = &Terminal{Root: "/srv/\x1b[2Jweb", Marks: every("toll|x1b")}
	if got := sequences.ReplaceAllString(print(t, a), ""); got != plain {
		t.Errorf("without marks and links it is\n%q\nwant\n%q", got, plain)
	}
}
