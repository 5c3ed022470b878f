package chunker_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/chunker"
	"github.com/contextd/contextd/internal/code"
)

// body is n bytes in indented lines of 50 bytes.
func body(n int) string { return strings.Repeat("    "+strings.Repeat("x", 45)+"\n", n/50) }

// firsts are the first lines of chunks after the first.
func firsts(chunks []code.Chunk) (lines []string) {
	for _, c := range chunks[1:] {
		line, _, _ := strings.Cut(c.Text, "\n")
		lines = append(lines, line)
	}
	return lines
}

// TestCut holds which break is taken.
func TestCut(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, src string
		want      []string // first lines of the chunks after the first
	}{
		{"a file under the limit is one chunk", "def a():\n" + body(600) + "\ndef b():\n" + body(600), nil},
		{"a definition is where the next chunk starts", "def a():\n" + body(900) + "\ndef b():\n" + body(900),
			[]string{"def b():"}},
		{"comments and decorators go with it", "def a():\n" + body(900) +
			"\n# about b\n# more\n@cached(\n    1,\n)\ndef b():\n" + body(900), []string{"# about b"}},
		{"a comment apart does not", "def a():\n" + body(900) + "# apart\n\ndef b():\n" + body(900),
			[]string{"def b():"}},
		{"the later of two equals", "def a():\n" + body(500) + "\ndef b():\n" + body(500) + "\ndef c():\n" + body(900),
			[]string{"def c():"}},
		{"the outer before the later inner", "class A:\n" + body(500) + "def b():\n" + body(300) + "    def c():\n" +
			body(1100), []string{"def b():"}},
		{"a blank line at the left margin before a blank line", "x(\n" + body(500) + "\ny(\n" + body(400) + "\n" +
			body(900), []string{"y("}},
		{"a definition before a blank line", "def a():\n" + body(400) + "def b():\n" + body(300) + "\nx(\n" + body(800),
			[]string{"def b():"}},
		{"not before the least size", "def a():\n" + body(200) + "def b():\n" + body(1600),
			[]string{"    " + strings.Repeat("x", 45)}},
		{"no tiny rest", "def a():\n" + body(1450) + "\ndef b():\n    pass\n    pass\n    pass\n    pass\n",
			[]string{"    " + strings.Repeat("x", 45)}},
		{"a long line stands alone", "a = 1\n" + strings.Repeat("y", 2000) + "\nb = 2\n",
			[]string{strings.Repeat("y", 2000), "b = 2"}},
		{"no break at all: at the limit", body(3000), []string{"    " + strings.Repeat("x", 45)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			chunks := chunker.Split("a.py", "python", test.src)
			check(t, test.src, chunks)
			if got := firsts(chunks); !slices.Equal(got, test.want) {
				t.Errorf("chunks start at %q, want %q", got, test.want)
			}
		})
	}
}

// TestEdges holds the smallest texts.
func TestEdges(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		src    string
		chunks int
	}{
		{"", 0}, {"\n", 1}, {"\n\n\n", 1}, {"x", 1}, {"x\n", 1}, {"\ufeffx", 1}, {"\x00", 1}, {"\xff\xfe\n", 1},
		{"日本語\n", 1},
		{strings.Repeat("\n", 4000), 3}, {strings.Repeat("日", 1000), 1}, {strings.Repeat("日", 1000) + "\n" + "x", 2},
	} {
		for _, language := range []string{"go", "text", "nothing known"} {
			chunks := chunker.Split("a", language, test.src)
			check(t, test.src, chunks)
			if len(chunks) != test.chunks || test.chunks == 0 && chunks != nil {
				t.Errorf("%q as %q gives %d chunks, want %d", test.src[:min(20, len(test.src))], language, len(chunks),
					test.chunks)
			}
		}
	}
}

// TestAcrossChunks holds that comments and scopes go on in the next chunk.
func TestAcrossChunks(t *testing.T) {
	t.Parallel()
	src := "class Outer {\n  void first() {\n    /*" + strings.Repeat("\n     words of a long comment, line after line",
		120) + "\n     */\n" +
		strings.Repeat("    call(1);\n", 150) + "  }\n}\n"
	chunks := chunker.Split("Outer.java", "java", src)
	check(t, src, chunks)
	if len(chunks) < 4 {
		t.Fatalf("%d chunks, want at least 4", len(chunks))
	}
	second := chunks[1]
	if len(second.Comments) != 1 || second.Comments[0] != [2]int{0, len(second.Text)} {
		t.Errorf("the second chunk has comments %v of %d bytes, want all of it", second.Comments, len(second.Text))
	}
	last := chunks[len(chunks)-1]
	if len(last.Comments) > 0 {
		t.Errorf("the last chunk has comments %v, want none", last.Comments)
	}
	for _, c := range chunks[1:] {
		if got := fmt.Sprint(c.Scope); got != "[Outer first]" {
			t.Errorf("lines %v are in %s, want [Outer first]", c.Span, got)
		}
	}
}

// TestComments holds which bytes are comment.
func TestComments(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ language, src, want string }{
		{"go", "a // b\n\"// c\" /* d\ne */ '\"' // f", "// b|/* d\ne */|// f"},
		{"go", "`// a` // b", "// b"},
		{"python", "'''a'''\nx = \"# b\" # c\nr'\\' # d'", "'''a'''|# c"},
		{"javascript", "x = /\\/\\/['\"]/ // a\ny = a / b // c\n`${ '//' /* d */ }`", "// a|// c|/* d */"},
		{"rust", "'a' 'b: \"// c\" /* d /* e */ f */ r#\"\" // g\"# // h", "/* d /* e */ f */|// h"},
		{"c", "1'0 // a\n'\\'' // b", "// a|// b"},
		{"cpp", "1'0'0 // a\nR\"x(// b)x\" // c", "// a|// c"},
		{"csharp", "@\"\\\" // a\n$\"{(1 /* b */)}\" // c", "// a|/* b */|// c"},
		{"bash", "echo a#b \"# c\" ${#d} # e\ncat <<X # f\n# g\nX\n# h", "# e|# f|# h"},
		{"lua", "--[==[ a ]] ]==] x -- b\n[[-- c]] --d", "--[==[ a ]] ]==]|-- b|--d"},
		{"haskell", "f' = '\"' -- a\nx --> y {- b {- c -} -} -- d", "-- a|{- b {- c -} -}|-- d"},
		{"elixir", "x = \"\"\"\na\n\"\"\"\n?\" # b\n~r/#/ # c\n\"#{\"#\"}\" # d", "\"\"\"\na\n\"\"\"|# b|# c|# d"},
		{"ruby", "=begin\na\n=end\nx = /#/ # b\n%w[# c] # d\n\"#{'#'}\" # e", "=begin\na\n=end|# b|# d|# e"},
		{"php", "# html\n<?php # a\n#[B] // c\n'#' ?> // d <?php /* e */", "# a|// c|/* e */"},
		{"kotlin", "\"${ \"//\" } \" // a\n\"\"\"// b\"\"\" /* c /* d */ */", "// a|/* c /* d */ */"},
		{"swift", "#\"// a\"# // b\n\"\\( \"//\" )\" // c", "// b|// c"},
		{"sql", "'it''s -- a' -- b\n$$ -- c $$ /* d */", "-- b|/* d */"},
		{"html", "a <!-- b --> c", "<!-- b -->"},
		{"yaml", "a: b#c # d\nit's: # e", "# d|# e"},
		{"zig", "'\"' // a\n\\\\ // b\n// c", "// a|// c"},
		{"text", "// a # b", ""},
	} {
		t.Run(test.language, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, c := range chunker.Split("a", test.language, test.src) {
				for _, r := range c.Comments {
					got = append(got, c.Text[r[0]:r[1]])
				}
			}
			if joined := strings.Join(got, "|"); joined != test.want {
				t.Errorf("%q has comments %q, want %q", test.src, joined, test.want)
			}
		})
	}
}
