//go:build unix

package securitytest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryTestNamedInTheDocumentExists: docs/SECURITY.md promises nothing that no test holds.
func TestEveryTestNamedInTheDocumentExists(t *testing.T) {
	t.Parallel()
	top := filepath.Join("..", "..")
	doc, err := os.ReadFile(filepath.Join(top, "docs", "SECURITY.md"))
	must(t, err)
	defined := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	must(t, filepath.WalkDir(filepath.Join(top, "internal"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		src, err := os.ReadFile(path)
		for _, m := range function.FindAllStringSubmatch(string(src), -1) {
			defined[m[1]] = true
		}
		return err
	}))
	named := map[string]bool{}
	for _, m := range regexp.MustCompile("`((?:Test|Fuzz)\\w+)`").FindAllStringSubmatch(string(doc), -1) {
		named[m[1]] = true
		if !defined[m[1]] {
			t.Errorf("docs/SECURITY.md names %s, which does not exist", m[1])
		}
	}
	if len(named) < 50 {
		t.Errorf("only %d tests are named", len(named))
	}
}
