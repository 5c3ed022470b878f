package rank

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
)

// What symbol reads, as an expression.
var (
	symbolForm = regexp.MustCompile(
		`^[\pL_$@][\pL\pN_$]*(?:(?:::|->|\.|\\|#|/)[\pL_$][\pL\pN_$]*)*[!?=]?(?:\(\))?$`)
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
	if want.Name == "" { // of signs alone
		want.Name = strings.TrimLeft(parts[len(parts)-1], "@")
	}
	if len(parts) > 1 {
		want.Qualifier = parts[len(parts)-2]
	}
	if got == nil || *got != want {
		t.Fatalf("%q is read as %+v, want %+v", text, got, want)
	}
}

var symbolTexts = []string{"", "x", "Server::run", "a.b.c", "A\\B", "a#b", "a/b", "p->q()", "save!", "x?()", "@ivar",
	"a.@b", "$a", "größe.Über2", "x٣", "2x", "a..b",
	"a:b", "a b", "a\n", "a()b", "a(", "Ⅷ", "aⅧ", "a\xff", "@", "$", "@$", "a.$$", "_", "::a", "a::", "a.b!=", "->",
	"日本語", "a!!", "e\u0301"}

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

func TestANameOfOneLetterFindsItsDefinition(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"g", "Q", "$", "_", "é"} {
		q := Parse(name)
		if q.Symbol == nil || q.Symbol.Name != name || !slices.Contains(q.Names, lexical.Name(lexical.Key(name))) {
			t.Errorf("%q is read as %+v with look-up names %v", name, q.Symbol, q.Names)
			continue
		}
		got := score(t, name, define(file("a/quay.js", []string{"ship"}), 0, "x", code.KindFunc),
			define(file("b/quay.js", []string{"ship"}), 0, name, code.KindValue),
			define(file("c/quay.js", []string{"ship"}), 0, "__", code.KindFunc))
		if got[0].File != 1 || got[0].Relevance != 1 || got[1].Relevance != 0 || got[2].Relevance != 0 {
			t.Errorf("%q: %+v", name, got)
		}
	}
	for text, want := range map[string]string{"$x": "x", "@x": "x", "$$": "$$", "box.g": "g", "$g()": "g"} {
		if q := Parse(text); q.Symbol == nil || q.Symbol.Name != want {
			t.Errorf("%q is the name %+v, want %q", text, q.Symbol, want)
		}
	}
	if names := Parse("what is g").Names; slices.Contains(names, lexical.Name("g")) {
		t.Errorf("one letter of a sentence is looked up: %v", names)
	}
}
