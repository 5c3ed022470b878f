package rank

import (
	"regexp"
	"strings"
	"testing"
)

// What symbol reads, as an expression.
var (
	symbolForm     = regexp.MustCompile(`^[\pL_$@][\pL\pN_$]*(?:(?:::|->|\.|\\|#|/)[\pL_$][\pL\pN_$]*)*[!?=]?(?:\(\))?$`)
	qualifierSigns = regexp.MustCompile(`::|->|[.\\#/]`)
)

func checkSymbol(t *testing.T, text string) {
	t.Helper()
	got := symbol(text)
	if len(text) > 256 || !symbolForm.MatchString(text) {
		if got != nil {
			t.Fatalf("%q is read as %+v", text, *got)
		}
		return
	}
	parts := qualifierSigns.Split(strings.TrimRight(strings.TrimSuffix(text, "()"), "!?="), -1)
	want := Symbol{Name: strings.TrimLeft(parts[len(parts)-1], "$@")}
	if len(parts) > 1 {
		want.Qualifier = parts[len(parts)-2]
	}
	if got == nil || *got != want {
		t.Fatalf("%q is read as %+v, want %+v", text, got, want)
	}
}

var symbolTexts = []string{"", "x", "Server::run", "a.b.c", "A\\B", "a#b", "a/b", "p->q()", "save!", "x?()", "@ivar", "a.@b", "$a", "größe.Über2", "x٣", "2x", "a..b",
	"a:b", "a b", "a\n", "a()b", "a(", "Ⅷ", "aⅧ", "a\xff", "@", "::a", "a::", "a.b!=", "->", "日本語", "a!!", "e\u0301"}

func TestSymbolsAreNamesJoinedByQualifiers(t *testing.T) {
	t.Parallel()
	for _, text := range append(symbolTexts, strings.Repeat("a", 256), strings.Repeat("a", 257)) {
		checkSymbol(t, text)
	}
}

func FuzzSymbol(f *testing.F) {
	for _, text := range symbolTexts {
		f.Add(text)
	}
	f.Fuzz(checkSymbol)
}
