package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryFaultOfTheListHasItsTests holds docs/FAULTS.md: each row names tests, and each of these exists.
func TestEveryFaultOfTheListHasItsTests(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "FAULTS.md"))
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile("`([a-z0-9/]+)\\.(Test[A-Za-z0-9]+)`")
	sources := map[string]string{}
	rows := 0
	for line := range strings.Lines(string(doc)) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| fault |") {
			continue
		}
		rows++
		found := name.FindAllStringSubmatch(line, -1)
		if len(found) == 0 {
			t.Errorf("no test for %s", line)
		}
		for _, f := range found {
			if _, ok := sources[f[1]]; !ok {
				sources[f[1]] = testsOf(t, f[1])
			}
			if !strings.Contains(sources[f[1]], "\nfunc "+f[2]+"(") {
				t.Errorf("internal/%s has no %s", f[1], f[2])
			}
		}
	}
	if rows < 30 {
		t.Errorf("only %d faults are listed", rows)
	}
}

// testsOf is the text of a package's tests.
func testsOf(t *testing.T, pkg string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(pkg), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	return all.String()
}
