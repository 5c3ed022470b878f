package sandbox

import (
	"errors"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/code"
)

// A notebook is as large as its cells: a picture in an output does not count, and is not read for secrets either.
func TestANotebookIsAsLargeAsItsCells(t *testing.T) {
	t.Parallel()
	of := func(source, output string) string {
		return "{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"outputs\": [{\"data\": {\"image/png\": \"" + output + "\"}}],\n   \"source\": [\n    \"" + source + "\"\n   ]\n  }\n ]\n}\n"
	}
	root := t.TempDir()
	write(t, root, map[string]string{
		"picture.ipynb": of("def paint(): pass", strings.Repeat("A", 5000)),
		"long.ipynb":    of(strings.Repeat("x", 1500), ""),
		"huge.ipynb":    of("def paint(): pass", strings.Repeat("A", 25_000)),
		"broken.ipynb":  "{\"cells\": [" + strings.Repeat(" ", 2000),
		"picture.json":  of("def paint(): pass", strings.Repeat("A", 5000)),
	})
	r := open(t, root, Options{MaxFileBytes: 1000})
	for name, want := range map[string]code.Reason{"picture.ipynb": "", "long.ipynb": code.TooLarge, "huge.ipynb": code.TooLarge, "broken.ipynb": code.TooLarge, "picture.json": code.TooLarge} {
		if got := r.Why(t.Context(), name).Reason; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		data, f, err := r.Read(name)
		if re := (*ReadError)(nil); want != "" && (!errors.As(err, &re) || re.Reason != want) {
			t.Errorf("%s: read: %v, want %q", name, err, want)
		} else if want != "" {
			continue
		}
		text, _ := f.Content(data)
		if lines := strings.Split(text, "\n"); len(lines) != 12 || lines[6] != "def paint(): pass" || strings.Contains(text, "AAA") {
			t.Errorf("%s: %q", name, text)
		}
	}
}
