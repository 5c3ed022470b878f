package chunker_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/contextd/contextd/internal/chunker"
	"github.com/contextd/contextd/internal/code"
)

// check fails unless chunks keep every promise that Split makes about src.
func check(t testing.TB, src string, chunks []code.Chunk) {
	t.Helper()
	var joined strings.Builder
	line := 1
	for i, c := range chunks {
		joined.WriteString(c.Text)
		lines := strings.Count(c.Text, "\n")
		if !strings.HasSuffix(c.Text, "\n") {
			lines++
			if i != len(chunks)-1 {
				t.Fatalf("chunk %d of %d ends inside a line", i, len(chunks))
			}
		}
		if want := (code.Span{Start: line, End: line + lines - 1}); c.Span != want {
			t.Fatalf("chunk %d covers %v, want %v", i, c.Span, want)
		}
		line += lines
		if len(c.Text) > chunker.MaxBytes && lines > 1 {
			t.Fatalf("chunk %d has %d bytes in %d lines", i, len(c.Text), lines)
		}
		if utf8.ValidString(src) && !utf8.ValidString(c.Text) {
			t.Fatalf("chunk %d splits a rune", i)
		}
		at := 0
		for _, r := range c.Comments {
			if r[0] < at || r[1] <= r[0] || r[1] > len(c.Text) {
				t.Fatalf("chunk %d: comments %v in %d bytes", i, c.Comments, len(c.Text))
			}
			at = r[1]
		}
		at = c.Span.Start
		for _, s := range c.Symbols {
			if s.Name == "" || s.Kind == "" || s.Indent < 0 {
				t.Fatalf("chunk %d: symbol %+v", i, s)
			}
			if s.Line < at || s.Line > c.Span.End || s.End < s.Line {
				t.Fatalf("chunk %d, lines %v: symbol %+v after line %d", i, c.Span, s, at)
			}
			at = s.Line
		}
		for _, name := range c.Scope {
			if name == "" {
				t.Fatalf("chunk %d: scope %q", i, c.Scope)
			}
		}
	}
	if joined.String() != src {
		t.Fatalf("the chunks do not join to the source")
	}
}
