package render

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// about scores a line by how often it holds the word, thrice for a definition.
func about(word string) func(string) float64 {
	return func(line string) float64 {
		n := float64(strings.Count(line, word))
		if strings.HasPrefix(strings.TrimSpace(line), "func ") {
			n *= 3
		}
		return n
	}
}

const chunk = `
// Toll computes what a ship owes.
//
// It is capped.
func Toll(tons int) int {
	nights := 10

	if tons > 99 {
		return capped
	}
	return tons * nights
}
`

func TestSnippetShowsTheMostRelevantLines(t *testing.T) {
	t.Parallel()
	lines := strings.Split(chunk, "\n")
	for name, c := range map[string]struct {
		word               string
		maxChars, maxBytes int
		want               string
		first              int
		truncated          bool
	}{
		"all that fits":                 {"Toll", 500, 500, strings.TrimSpace(chunk), 11, false},
		"a definition and what follows": {"func", 45, 500, "func Toll(tons int) int {\n\tnights := 10", 14, true},
		"a comment that speaks of it": {"Toll", 90, 500,
			"// Toll computes what a ship owes.\n//\n// It is capped.\nfunc Toll(tons int) int {", 11, true},
		"the definition alone":      {"Toll", 30, 500, "func Toll(tons int) int {", 14, true},
		"bytes limit too":           {"Toll", 500, 30, "func Toll(tons int) int {", 14, true},
		"a line inside":             {"capped.", 18, 500, "// It is capped.", 13, true},
		"lines before at the end":   {"* nights", 40, 500, "\treturn tons * nights\n}", 20, true},
		"the beginning if in doubt": {"nothing", 40, 500, "// Toll computes what a ship owes.\n//", 11, true},
		"a part of a line":          {"func", 12, 500, "func Toll(t…", 14, true},
		"hardly anything":           {"func", 2, 500, "fu", 14, true},
		"nothing fits":              {"func", 0, 0, "", 14, true},
	} {
		text, first, truncated := Snippet(lines, 10, about(c.word), Limits{Chars: c.maxChars, Bytes: c.maxBytes})
		if text != c.want || first != c.first || truncated != c.truncated {
			t.Errorf("%s: %q from line %d, truncated %v; want %q, %d, %v", name, text, first, truncated, c.want,
				c.first, c.truncated)
		}
	}
}

func TestSnippetOfBlankLinesIsEmpty(t *testing.T) {
	t.Parallel()
	for _, lines := range [][]string{nil, {""}, {"", " \t", ""}} {
		if text, first, truncated := Snippet(lines, 7, about("x"), Limits{100, 100, 0}); text != "" || truncated ||
			first != 7+len(lines) {
			t.Errorf("%q: %q from %d, truncated %v", lines, text, first, truncated)
		}
	}
}

func TestLongLineIsCutAroundItsBestPart(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("lorem(ipsum); ", 40) + "findTheToll(grüße, 日本) " + strings.Repeat("dolor, ", 300)
	for _, c := range []struct {
		word           string
		chars, bytes   int
		before, beyond bool
	}{
		{"findTheToll", 60, 1000, true, true}, {"findTheToll", 1000, 50, true, true}, {"lorem", 50, 1000, false, true},
		{"nowhere", 50, 1000, false, true},
	} {
		text, first, truncated := Snippet([]string{"\t" + line}, 3, about(c.word),
			Limits{Chars: c.chars, Bytes: c.bytes})
		if first != 3 || !truncated || c.word != "nowhere" && !strings.Contains(text, c.word) {
			t.Errorf("%+v: %q from %d, truncated %v", c, text, first, truncated)
		}
		if strings.HasPrefix(text, ellipsis) != c.before || strings.HasSuffix(text, ellipsis) != c.beyond {
			t.Errorf("%+v: marks of %q", c, text)
		}
		if !strings.Contains(line, strings.Trim(text, ellipsis)) || utf8.RuneCountInString(text) > c.chars ||
			len(text) > c.bytes {
			t.Errorf("%+v: %q is no part of the line within the limits", c, text)
		}
	}
	end := strings.Repeat("dolor, ", 30) + "the end is near"
	if text, _, _ := Snippet([]string{end}, 1, about("near"), Limits{40, 400, 0}); !strings.HasSuffix(text,
		"is near") || !strings.HasPrefix(text, ellipsis) {
		t.Errorf("the end of a line is cut to %q", text)
	}
}

// A hostile chunk, a million short lines or one of a million characters, takes linear time: a square one would not end.
func TestSnippetOfHostileChunk(t *testing.T) {
	t.Parallel()
	for _, lines := range [][]string{slices.Repeat([]string{"x"}, 1<<20), {strings.Repeat("x", 1<<20)}} {
		if text, _, truncated := Snippet(lines, 1, about("x"), Limits{1 << 19, 1 << 20, 0}); text == "" || !truncated {
			t.Errorf("%d bytes, truncated %v", len(text), truncated)
		}
	}
	for _, odd := range []string{
		"/*", "`", `"`, `\"`, "'''x", "{", "({[", "x = {", "{}", "a: |", "<!--", "#", "@a", "*/ /*", "// x",
	} {
		for _, lines := range [][]string{slices.Repeat([]string{odd}, 1<<18),
			slices.Repeat([]string{strings.Repeat(odd, 1<<11)}, 1<<7),
			slices.Repeat([]string{strings.Repeat(" ", 1<<11) + strings.Repeat(odd, 1<<10)}, 1<<7)} {
			if text, _, truncated := Snippet(append(lines, "peak"), 1, about("peak"),
				Limits{1 << 15, 1 << 15, 12}); !strings.HasSuffix(text, "peak") || !truncated {
				t.Errorf("%q: %d bytes, truncated %v", odd, len(text), truncated)
			}
		}
	}
}

func FuzzSnippetKeepsItsLimits(f *testing.F) {
	f.Add(chunk, "Toll", 50, 60)
	f.Add(strings.Repeat("日本語 toll ", 100), "toll", 30, 40)
	f.Add("\n\n a\n\n", "a", 1, 1)
	f.Add("/* a\n\n*/ {\n'''\n\"\"\" (\n- a: |\n  toll\n}", "toll", 9, 90)
	f.Fuzz(func(t *testing.T, source, word string, maxChars, maxBytes int) {
		if !utf8.ValidString(source) || len(source) > 1<<14 || len(word) < 1 {
			return
		}
		lines, focus := strings.Split(source, "\n"), about(word)
		text, first, truncated := Snippet(lines, 1, focus, Limits{maxChars, maxBytes, 0})
		if utf8.RuneCountInString(text) > max(maxChars, 0) || len(text) > max(maxBytes, 0) || !utf8.ValidString(text) {
			t.Fatalf("%q is over %d characters or %d bytes", text, maxChars, maxBytes)
		}
		if text == "" {
			return
		}
		shown := strings.Split(text, "\n")
		if blank(shown[0]) || blank(shown[len(shown)-1]) {
			t.Fatalf("%q begins or ends with a blank line", text)
		}
		best := 0.0
		for i, line := range shown {
			disk := lines[first-1+i]
			if line != disk && (len(shown) > 1 ||
				!strings.Contains(disk, strings.TrimSpace(strings.Trim(line, ellipsis)))) {
				t.Fatalf("line %d is %q, shown as %q", first+i, disk, line)
			}
			best = max(best, focus(disk))
		}
		for _, line := range lines {
			if !blank(line) && focus(line) > best {
				t.Fatalf("%q is shown, %q is better", text, line)
			}
		}
		if !truncated && text != strings.Join(lines[first-1:first-1+len(shown)], "\n") {
			t.Fatalf("%q is not said to be truncated", text)
		}
	})
}

func BenchmarkSnippet(b *testing.B) {
	lines, focus := strings.Split(strings.Repeat(chunk, 8), "\n"), about("nights")
	b.ReportAllocs()
	for b.Loop() {
		Snippet(lines, 1, focus, Limits{200, 2048, 0})
	}
}
