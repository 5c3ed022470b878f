//go:build unix

package securitytest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/analyze"
	"github.com/contextd/contextd/internal/asked"
	"github.com/contextd/contextd/internal/charset"
	"github.com/contextd/contextd/internal/chunker"
	"github.com/contextd/contextd/internal/compile"
	"github.com/contextd/contextd/internal/confedit"
	"github.com/contextd/contextd/internal/costtest"
	"github.com/contextd/contextd/internal/dedup"
	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/intent"
	"github.com/contextd/contextd/internal/lexical"
	"github.com/contextd/contextd/internal/notebook"
	"github.com/contextd/contextd/internal/race"
	"github.com/contextd/contextd/internal/rank"
	"github.com/contextd/contextd/internal/render"
	"github.com/contextd/contextd/internal/safetext"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/secret"
	tok "github.com/contextd/contextd/internal/tokens"
	"github.com/contextd/contextd/internal/usage"
)

// scanners are the functions that read foreign text, in any of its parts.
func scanners(t *testing.T) map[string]func(text string) {
	counter, err := tok.For("")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]func(string){
		"secret.Redact":     func(s string) { secret.Redact(s) },
		"secret.RedactJSON": func(s string) { _, _ = secret.RedactJSONWithin(context.Background(), []byte(s)) },
		"sandbox.Content":   func(s string) { sandbox.File{Path: "a.js"}.Content([]byte(s)) },
		"charset.Decode":    func(s string) { charset.Decode([]byte(s + "\xff")) },
		"notebook.Script":   func(s string) { notebook.Script(`{"cells":[{"source":["` + s + `"]}, ` + s) },
		"notebook cells":    func(s string) { sandbox.File{Path: "a.ipynb"}.Content([]byte(`{"cells":[` + s + `]}`)) },
		"lexical.Segments":  func(s string) { lexical.Segments(s, func(string) {}) },
		"analyze.File":      func(s string) { analyze.File("a.go", s) },
		"asked.Places":      func(s string) { asked.Places(s) },
		"intent.Paths":      func(s string) { intent.Paths(s) },
		"intent.Classify":   func(s string) { intent.Classify(s) },
		"safetext.Line":     func(s string) { safetext.Line(s) },
		"render.Fence":      func(s string) { render.Fence(s, "go") },
		"render.Snippet": func(s string) {
			render.Snippet(strings.Split(s, "\n"), 1, func(string) float64 { return 0 }, render.Limits{Chars: 500})
		},
		"confedit.SetJSON": func(s string) { _, _ = confedit.SetJSON([]byte("{"+s+"}"), []string{"a", "b"}, 1) },
		"confedit.SetJSON string": func(s string) {
			_, _ = confedit.SetJSON([]byte(`{"a": {}, "x": "`+s+`"}`), []string{"a", "b"}, 1)
		},
		"confedit.SetJSON array": func(s string) { _, _ = confedit.SetJSON([]byte("["+s+"1]"), []string{"a", "b"}, 1) },
		"confedit.SetTOML": func(s string) {
			_, _ = confedit.SetTOML([]byte(s), []string{"a", "b"}, confedit.Object{{Key: "c", Value: "d"}})
		},
		"confedit.SetTOML string": func(s string) {
			_, _ = confedit.SetTOML([]byte("x = +s+"), []string{"a", "b"}, confedit.Object{{Key: "c", Value: "d"}})
		},
		"confedit.SetBlock": func(s string) { _, _ = confedit.SetBlock([]byte(s), "x") },
		"confedit.SetBlock marks": func(s string) {
			_, _ = confedit.SetBlock([]byte(confedit.Begin+s+confedit.Begin+"\n"), s)
		},
		"compile.Pieces":   func(s string) { compile.Pieces([]compile.Piece{{Source: s, Text: s}}) },
		"tokens.Count":     func(s string) { counter.Count(s) },
		"tokens.Compress":  func(s string) { tok.Compress(s, tok.FormOf("fact"), tok.WordsOf(s), .5) },
		"history.IntentOf": func(s string) { history.IntentOf(s) },
		"usage.WordsOf":    func(s string) { usage.WordsOf(s) },
		"rank.Parse":       func(s string) { rank.Parse(s) },
		"dedup.Drop": func(s string) {
			dedup.FindRedundant([]string{s}, []dedup.Message{{Content: s}}, dedup.Options{}.WithDefaults(), nil)
		},
		"lexical.Words": func(s string) {
			for from := 0; ; {
				start, end := lexical.NextIdent(s, from)
				if start == len(s) {
					return
				}
				lexical.Words(s[start:end], func(string) {})
				from = end
			}
		},
	}
	for _, name := range []string{
		"go", "python", "javascript", "typescript", "java", "c", "cpp", "csharp", "ruby", "rust", "php", "shell",
		"markdown", "yaml", "sql", "lua", "haskell", "html", "css", "kotlin", "swift", "scala", "elixir",
		"perl", "unknown",
	} {
		all["chunker.Split "+name] = func(s string) { chunker.Split("a/b", name, s) }
	}
	return all
}

// TestScannersCostInProportionToHostileText: four times the text takes less than eight times as long, but for what
// takes less than 20 ms.
func TestScannersCostInProportionToHostileText(t *testing.T) {
	units := []string{"a", " ", "\n", "a ", "a\n", ".", "a.", "/", "a/", "\\", "\\u0041", "%25", "\"", "'", "`",
		"```\n", "(", "{", "[", "<", "${", "#{", "/*", "*/", "<!--", "<<EOF\n", "r#\"",
		"\"\"\"", "--[[", "{-", "(*", "@", "#", "# a\n", "\t", "    a:\n", "if a:\n ", "func a(", "class A {",
		"def a\n", "a=", "a:1:", "=3D", "&#61;", "\x1b[1m", "\u200b", "日", "é", "e\u0301", "SG" + ".", "glp" + "at-",
		"-----BEGIN ", "a.go:1-", "a_", "aB", "1", "1.", "::", "~/", "../", "C:\\", "file:///", "…"}
	if race.Enabled { // which makes all slower alike: some of each are enough
		few := units[:0:0]
		for i := 0; i < len(units); i += 6 {
			few = append(few, units[i])
		}
		units = few
	}
	const small = 4 << 10
	for name, scan := range scanners(t) {
		for _, unit := range units {
			text := func(n int) string { return strings.Repeat(unit, n/len(unit)) }
			costtest.Linear(t, fmt.Sprintf("%s of %q", name, unit), 8, 20*time.Millisecond, func() {
				scan(text(4 * small))
			}, func() { scan(text(16 * small)) })
		}
	}
}
