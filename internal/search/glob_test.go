package search

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

func TestGlobsAreChecked(t *testing.T) {
	t.Parallel()
	for g, ok := range map[string]bool{"": true, "src/**/*.go": true, "{a,b}/*.{ts,tsx,js}": true, "**/{@x}": true, `a\{b`: true, "[a": false, "{a": false,
		strings.Repeat("x", 1000): true, strings.Repeat("x", 1001): false, strings.Repeat("{a,b}", 9): true, strings.Repeat("{a,a}", 22): false,
		"src/\xff*": false, "[\xf7]": false, "src/größe/\ufffd*": true,
		"{" + strings.Repeat("{a,b}", 12) + "}": false, strings.Repeat("**/", 300): true} {
		if err := CheckGlob(g); (err == nil) != ok || err != nil && len(err.Error()) > 1200 {
			t.Errorf("CheckGlob(%q) = %v", g, err)
		}
	}
}

func FuzzGlob(f *testing.F) {
	for _, g := range []string{"src/**/*.go", "{a,b}*", "[!a-z]?", `\*`, "**/{@x}", "{a,{b,c}}"} {
		f.Add(g, "src/a/b.go")
	}
	for _, path := range []string{"b.go", "a/b.go", "src/a/b.go", "src/xb.go", "b.go/c", "src/b.g"} {
		for _, g := range []string{"**/b.go", "**/a/b.go", "**/src/a/b.go", "src/**/b.go", "b.go", "**b.go", `**/b\.go`, "{**/b.go,x}", "src/**", "/b.go", "**/", "**//b.go"} {
			f.Add(g, path)
		}
	}
	f.Add("\xf7", "\xfb")
	f.Add("\ufffd", "\xfb")
	f.Fuzz(func(t *testing.T, g, path string) {
		if CheckGlob(g) != nil || len(path) > 4096 {
			return
		}
		want, err := doublestar.Match(g, path)
		if err != nil {
			t.Errorf("%q is taken and then refused: %v", g, err)
		}
		if clean := utf8.ValidString(path) && !strings.HasPrefix(path, "/") && !strings.HasSuffix(path, "/"); clean && NewGlobs([]string{g}).Match(path) != want {
			t.Errorf("%q matches %q: %v, want %v", g, path, !want, want)
		}
		// A path with its special bytes escaped is a pattern for itself.
		var b strings.Builder
		for i := range len(path) {
			if strings.IndexByte(`*?[]{},\!-^`, path[i]) >= 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(path[i])
		}
		if exact := b.String(); len(exact) <= maxGlob && utf8.ValidString(path) && !doublestar.MatchUnvalidated(exact, path) {
			t.Errorf("%q does not match %q", exact, path)
		}
	})
}

func TestAQuotedPathMatchesItselfAlone(t *testing.T) {
	t.Parallel()
	for _, p := range []string{"a/b.go", "app/[id]/page.tsx", "a*b?.go", "{x,y}.go", `odd\name.go`} {
		g := QuoteGlob(p)
		if err := CheckGlob(g); err != nil {
			t.Error(err)
		}
		globs := NewGlobs([]string{g})
		if !globs.Match(p) || globs.Match("dir/"+p) || globs.Match("app/i/page.tsx") || globs.Match("x.go") {
			t.Errorf("%q of %q does not match it alone", g, p)
		}
	}
}
