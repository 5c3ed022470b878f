package importtest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEveryRowOfTheSeedsHasItsTests holds docs/SEEDS.md: it has a row for each row of the source designs, each row
// names what shows it, and all of that exists.
func TestEveryRowOfTheSeedsHasItsTests(t *testing.T) {
	t.Parallel()
	top := filepath.Join("..", "..")
	doc, err := os.ReadFile(filepath.Join(top, "docs", "SEEDS.md"))
	if err != nil {
		t.Fatal(err)
	}
	var want, rows []string
	for _, design := range []struct {
		letter string
		rows   int
	}{{"U", 17}, {"P", 10}, {"C", 7}, {"S", 9}, {"M", 8}} {
		for i := range design.rows {
			want = append(want, fmt.Sprintf("%s%d", design.letter, i+1))
		}
	}
	row := regexp.MustCompile(`^\| ([UPCSM]\d+) \| .+ \| (.+) \|\s*$`)
	named := regexp.MustCompile("`([^`]+)`")
	texts := map[string]string{}
	for line := range strings.Lines(string(doc)) {
		m := row.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		rows = append(rows, m[1])
		found := named.FindAllStringSubmatch(m[2], -1)
		if len(found) == 0 {
			t.Errorf("%s: no test is named", m[1])
		}
		for _, n := range found {
			if err := exists(top, n[1], texts); err != nil {
				t.Errorf("%s: %v", m[1], err)
			}
		}
	}
	if !slices.Equal(rows, want) {
		t.Errorf("rows %q, want %q", rows, want)
	}
}

// exists checks one name: package.TestName, package "promise of a suite", or cmd/…/script.txt. texts remembers the sources of packages.
func exists(top, name string, texts map[string]string) error {
	if strings.HasPrefix(name, "cmd/") {
		_, err := os.Stat(filepath.Join(top, filepath.Dir(name), "testdata", "script", filepath.Base(name)))
		return err
	}
	pkg, test, isTest := strings.Cut(name, ".")
	suite, promise, isPromise := strings.Cut(name, " ")
	switch {
	case isPromise && strings.HasPrefix(promise, `"`):
		pkg = suite
	case isTest:
		promise = "\nfunc " + test + "("
	default:
		return fmt.Errorf("%q names nothing", name)
	}
	text, ok := texts[pkg]
	if !ok {
		files, err := filepath.Glob(filepath.Join(top, "internal", filepath.FromSlash(pkg), "*.go"))
		if err != nil {
			return err
		}
		var all strings.Builder
		for _, f := range files {
			if !strings.HasSuffix(f, "_test.go") && !strings.HasSuffix(pkg, "test") {
				// a package for tests has them in its ordinary files
				continue
			}
			src, err := os.ReadFile(f)
			if err != nil {
				return err
			}
			all.Write(src)
		}
		text = all.String()
		texts[pkg] = text
	}
	if !strings.Contains(text, promise) {
		return fmt.Errorf("internal/%s has no %s", pkg, strings.TrimSpace(promise))
	}
	return nil
}

func TestNamesOfTestsThatDoNotExistAreFound(t *testing.T) {
	t.Parallel()
	top := filepath.Join("..", "..")
	for name, want := range map[string]bool{
		"importtest.TestImportsFollowTheTable":    true,
		"importtest.TestImports":                  false, // a longer name is another one
		"nosuch.TestImportsFollowTheTable":        false,
		`queue/queuetest "counts tell what waits`: true,
		`queue/queuetest "no such promise"`:       false,
		"cmd/retriever/query.txt":                 true,
		"cmd/retriever/none.txt":                  false,
		"words":                                   false,
	} {
		if err := exists(top, name, map[string]string{}); (err == nil) != want {
			t.Errorf("%q: %v", name, err)
		}
	}
}
