package importtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestBadBytesAreRepairedInOnePlace: what a byte that is no UTF-8 becomes is decided by package safetext alone. The
// others here make words to search by, which nobody sees.
func TestBadBytesAreRepairedInOnePlace(t *testing.T) {
	t.Parallel()
	may := []string{"safetext", "rank", "intent"}
	repair := regexp.MustCompile(`\b(strings|bytes)\.ToValidUTF8\(`)
	top, files := filepath.Join("..", ".."), 0
	for _, part := range []string{"cmd", "internal"} {
		err := filepath.WalkDir(filepath.Join(top, part), func(file string, d fs.DirEntry, err error) error {
			rel, _ := filepath.Rel(filepath.Join(top, "internal"), filepath.Dir(file))
			if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") ||
				slices.Contains(may, filepath.ToSlash(rel)) {
				return err
			}
			files++
			src, err := os.ReadFile(file)
			if repair.Match(src) {
				t.Errorf("%s repairs text itself: see package safetext", file)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 100 {
		t.Fatalf("saw %d files only", files)
	}
}
