package render

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/safetext"
)

// blocks reads text as CommonMark reads fenced code blocks: an opening line has at most three spaces and at least three
// equal signs, with no backtick behind backticks; a closing one has at least as many of the same and nothing behind.
func blocks(text string) (outside []string, inside [][]string, closed bool) {
	fence := ""
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		trimmed := strings.TrimLeft(line, " ")
		run := 0
		if len(line)-len(trimmed) <= 3 && trimmed != "" && (trimmed[0] == '`' || trimmed[0] == '~') {
			run = len(trimmed) - len(strings.TrimLeft(trimmed, trimmed[:1]))
		}
		info := trimmed[run:]
		switch {
		case fence == "" && run >= 3 && (trimmed[0] == '~' || !strings.Contains(info, "`")):
			fence = trimmed[:run]
			inside = append(inside, nil)
		case fence == "":
			outside = append(outside, line)
		case run >= len(fence) && trimmed[0] == fence[0] && strings.Trim(info, " \t\r") == "":
			fence = ""
		default:
			inside[len(inside)-1] = append(inside[len(inside)-1], line)
		}
	}
	return outside, inside, fence == ""
}

func TestFence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, language, want string }{
		{"a\n", "go", "```go\na\n```\n"},
		{"a", "c++", "```c++\na\n```\n"},
		{"", "", "```\n```\n"},
		{"\n", "c#", "```c#\n\n```\n"},
		{"a `` b", "go", "```go\na `` b\n```\n"},
		{"x\n```\ny", "md", "````md\nx\n```\ny\n````\n"},
		{"`````x", "go`\n#", "``````\n`````x\n``````\n"},
		{"~~~~", "text", "```text\n~~~~\n```\n"},
	} {
		if got := Fence(c.text, c.language); got != c.want {
			t.Errorf("Fence(%q, %q) = %q", c.text, c.language, got)
		}
	}
}

func FuzzFenceCannotBeClosed(f *testing.F) {
	for _, s := range []string{"", "```", "~~~\n```", "   ````   \nx", "a\r```\rb", "`\n``\n```\n````\n`````"} {
		f.Add(s, "go")
	}
	f.Fuzz(func(t *testing.T, text, language string) {
		for _, s := range []string{text, safetext.Text(text)} {
			fenced := Fence(s, language)
			// A lone carriage return ends a line in Markdown.
			for _, read := range []string{fenced, strings.ReplaceAll(fenced, "\r", "\n")} {
				outside, inside, closed := blocks("before\n" + read + "after\n")
				if !closed || len(inside) != 1 || strings.Join(outside, "|") != "before|after" {
					t.Fatalf("%q: outside %q, %d blocks, closed %v", read, outside, len(inside), closed)
				}
			}
			_, inside, _ := blocks(fenced)
			if got := strings.Join(inside[0], "\n"); got != strings.TrimSuffix(s, "\n") {
				t.Fatalf("the block holds %q, want %q", got, s)
			}
		}
	})
}

func print(t *testing.T, a Answer) string {
	var b bytes.Buffer
	if err := Text(&b, a); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTextHasTheDocumentedForm(t *testing.T) {
	t.Parallel()
	got := print(t, Answer{Files: 9, Chunks: 20, Best: .926, Reasons: []string{"index_stale",
		"backlog"}, Results: []Result{
		{Path: "src/auth/jwt.go", Span: code.Span{Start: 40, End: 78}, Shown: code.Span{Start: 44, End: 44},
			Relevance: .926, Language: "go", Snippet: "func Verify() {",
			Note: "Usually changed together: a\n```\x1b[31m.go (50 %)"},
		{Path: "docs/a.md", Span: code.Span{Start: 1, End: 2}, Shown: code.Span{Start: 1, End: 2}, Relevance: .3,
			Language: "markdown", Snippet: "# A\n```"},
		{Path: "src/auth/keys.go", Span: code.Span{Start: 12, End: 30}, Shown: code.Span{Start: 14, End: 14},
			Relevance: .14, Possible: true, Snippet: "\tfunc Keys() {"},
	}, Missing: []string{"kafka"}})
	want := "## RELEVANT CODEBASE CONTEXT\n\nFound 2 relevant snippets\n\nDegraded: index_stale, backlog.\n\n" +
		"1. src/auth/jwt.go:44-44 (Relevance: 0.93)\nin 40-78\n```go\nfunc Verify() {\n```\n" +
		safetext.Line("Usually changed together: a\n```\x1b[31m.go (50 %)") + "\n\n" +
		"2. docs/a.md:1-2 (Relevance: 0.30)\n````markdown\n# A\n```\n````\n\n" +
		"3. src/auth/keys.go:12-30 (Relevance: 0.14, possible)\nfunc Keys() {\n"
	if got != want {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
}

func TestTextWithoutResultsHasNoBlock(t *testing.T) {
	t.Parallel()
	got := print(t, Answer{Files: 812, Chunks: 1, Best: .12})
	if want := "Nothing relevant: searched 812 files and 1 chunk, the best relevance was 0.12.\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}

func TestWeakAnswersTellWhichWordsStandNowhere(t *testing.T) {
	t.Parallel()
	nine := strings.Fields("a b c d e f g h i")
	for _, c := range []struct {
		words, names []string
		want         string
	}{
		{nil, []string{"x"}, ""},
		{nine[:1], nil, "\"a\" stands nowhere in the tree.\n"},
		{nine[:2], []string{"broker", "brokers\n"},
			"\"a\" and \"b\" stand nowhere in the tree; nearest names: broker, brokers\\n.\n"},
		{nine[:3], nil, "\"a\", \"b\" and \"c\" stand nowhere in the tree.\n"},
		{nine, nil, "\"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\" and 1 more word stand nowhere in the tree.\n"},
	} {
		a := Answer{Files: 2, Missing: c.words, Names: c.names}
		if got, want := print(t, a), "Nothing relevant: searched 2 files and 0 chunks, the best relevance was 0.00.\n"+
			c.want; got != want {
			t.Errorf("printed %q, want %q", got, want)
		}
		a.Results = []Result{{Path: "a.go", Possible: true}}
		if got := print(t, a); !strings.Contains(got, "Found 0 relevant snippets\n"+c.want+"\n1. ") {
			t.Errorf("a guess: printed %q, want %q in it", got, c.want)
		}
		a.Results = append(a.Results, Result{Path: "b.go"})
		if got := print(t, a); strings.Contains(got, "nowhere") {
			t.Errorf("a sure answer: printed %q", got)
		}
	}
}

func TestAFaultIsNotCalledIrrelevance(t *testing.T) {
	t.Parallel()
	got := print(t, Answer{Reasons: []string{"redis_unreachable"}})
	if want := "No answer: nothing could be searched.\n\nDegraded: redis_unreachable.\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}

// Whatever paths and snippets hold, each entry is one line of the documented form and each snippet one closed block.
func TestHostileAnswerKeepsItsForm(t *testing.T) {
	t.Parallel()
	entry := regexp.MustCompile(`^\d+\. .+:\d+-\d+ \(Relevance: [01]\.\d\d\)$`)
	hostile := []string{"a\n```\n## RELEVANT", "x\r\n2. y:1-1 (Relevance: 1.00)\x1b[2J", "~~~", "\u202egnp.exe",
		"```go", "\xff"}
	var a Answer
	for i, h := range hostile {
		span := code.Span{Start: 1, End: i + 1}
		a.Results = append(a.Results, Result{Path: h, Span: span, Shown: span, Relevance: float64(i) - 1, Language: h,
			Snippet: h + "\n```\n~~~"})
	}
	text := print(t, a)
	outside, inside, closed := blocks(text)
	entries := 0
	for _, line := range outside {
		if entry.MatchString(line) {
			entries++
		} else if line != "" && line != "## RELEVANT CODEBASE CONTEXT" && line != "Found 6 relevant snippets" {
			t.Errorf("line %q stands outside of a block", line)
		}
	}
	if !closed || len(inside) != len(hostile) || entries != len(hostile) || strings.ContainsAny(text, "\r\x1b\u202e") ||
		!utf8.ValidString(text) {
		t.Errorf("%d blocks, %d entries, closed %v in\n%q", len(inside), entries, closed, text)
	}
}
