package chunker_test

import (
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/chunker"
)

// hostile are pieces that, repeated, tempt a scanner to look again and again for an end that is not there.
var hostile = []string{
	"x", "{", "}", "(", "[", "((\n", "))\n", "}}\n", `"`, "'", "`", `"""`, "'''", "/", "/*", "*/", "//", "#", "-", "--",
	"{-", "<", "<<", "<<A\n", "<<<A\n",
	"[[", "[=[", "--[[", "${", "#{", `\(`, "`${", `"#{`, `"$(`, `$"{`, `r#"`, `#"`, `R"x(`, "'a", `\`, `"\"` + "\n",
	"~r(", "%w(", "$a$ ", "=begin\n", "?>", "<?",
	"<a", "f(a", "int f(\n", "int f\n", "a b(c) ", "class a\n", "fn a(b)\n", "def a\n", "def a(\n", " def a\n",
	"func (a\n", "@a() ", "@a\n", "#[a]\n", "[a]\n",
	"#define a \\\n", "#if a\n{\n#else\n", "template<\n", "A::", "a.b.", "X ", "X\n", "impl a for ", "pub ",
	"const a = (", "const a =\n", "a = function(", "a: (",
	"struct a ", "typedef struct {", "} a;\n", "create table a(\n", "# a\n", "a\n===\n", "```\n", "a:\n", "- a\n",
	"\"a\": {\n", "FROM a\n", `<h1 id="`, "f :: a ->\n  ",
	"a |", "instance a => ", "\t", "\n", "é", "\x80", "class A {\n", "fun <T> a.b<", "(a) => ", "test \"a\n", "a() {\n",
	"A(b) {\n", "operator()(", "end\n",
}

// TestLinear holds that the work for hostile text grows with its length, not with its square: four times the text may
// take at most six times the steps. It counts the bytes that are looked at again and never measures time.
func TestLinear(t *testing.T) {
	t.Parallel()
	const small = 5000
	for _, name := range mustHave {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, piece := range hostile {
				of := func(n int) int {
					return chunker.Steps(name, strings.Repeat(piece, n/len(piece))+"\n*/ -} ) ] } ' \" ` ;\n")
				}
				if a, b := of(small), of(4*small); b > 6*a+20*small {
					t.Errorf("%q: %d steps for %d bytes, %d for %d", piece, a, small, b, 4*small)
				}
			}
		})
	}
}

// TestHostile holds that masses of one thing are cut like anything else.
func TestHostile(t *testing.T) {
	t.Parallel()
	const size = 500_000
	var stairs strings.Builder
	for i := 0; stairs.Len() < size/4; i++ {
		stairs.WriteString(strings.Repeat(" ", i%2000))
		stairs.WriteString("def a() {\n")
	}
	texts := []string{stairs.String(), strings.Repeat("x", size), strings.Repeat("{", size)}
	for _, piece := range []string{`"`, "`", "'", "(", "\n", "a(\n", "é"} {
		texts = append(texts, strings.Repeat(piece, size/10/len(piece)))
	}
	for _, name := range mustHave {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, src := range texts {
				check(t, src, chunker.Split("a", name, src))
			}
		})
	}
}
