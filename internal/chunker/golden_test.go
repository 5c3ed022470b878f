package chunker_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/contextd/contextd/internal/chunker"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lang"
)

var update = flag.Bool("update", false, "write the golden files")

// sample is a golden archive: one source file, then "want".
type sample struct {
	file, path, language, src, want string
	archive                         *txtar.Archive
}

func corpus(t testing.TB) []sample {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var out []sample
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Files) == 0 {
			t.Fatalf("%s is empty", file)
		}
		s := sample{file: file, path: a.Files[0].Name, src: string(a.Files[0].Data), archive: a}
		s.language = lang.Of(s.path, s.src)
		if len(a.Files) > 1 {
			s.want = string(a.Files[1].Data)
		}
		out = append(out, s)
	}
	return out
}

// show writes chunks as a golden file holds them.
func show(chunks []code.Chunk) string {
	var b strings.Builder
	for _, c := range chunks {
		fmt.Fprintf(&b, "chunk %d-%d", c.Span.Start, c.Span.End)
		if len(c.Scope) > 0 {
			fmt.Fprintf(&b, " in %s", strings.Join(c.Scope, " > "))
		}
		if len(c.Comments) > 0 {
			n := 0
			for _, r := range c.Comments {
				n += r[1] - r[0]
			}
			fmt.Fprintf(&b, ", %d bytes of comment", n)
		}
		b.WriteByte('\n')
		for _, s := range c.Symbols {
			fmt.Fprintf(&b, "  %s %q %d-%d", s.Kind, s.Name, s.Line, s.End)
			if s.Indent > 0 {
				fmt.Fprintf(&b, " indent %d", s.Indent)
			}
			if s.Parent != "" {
				fmt.Fprintf(&b, " of %s", s.Parent)
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// mustHave are the languages whose definitions are promised.
var mustHave = strings.Fields("go python javascript typescript rust java kotlin c cpp csharp ruby php swift scala elixir haskell lua zig gleam bash " +
	"markdown yaml json toml sql html dockerfile makefile text")

// TestGolden holds the chunks and symbols of one file in each language.
func TestGolden(t *testing.T) {
	t.Parallel()
	samples := corpus(t)
	for _, name := range mustHave {
		if !slices.ContainsFunc(samples, func(s sample) bool { return s.language == name }) {
			t.Errorf("the corpus has no %s", name)
		}
	}
	for _, s := range samples {
		t.Run(filepath.Base(s.file), func(t *testing.T) {
			t.Parallel()
			chunks := chunker.Split(s.path, s.language, s.src)
			check(t, s.src, chunks)
			got := show(chunks)
			if *update {
				s.archive.Files = append(s.archive.Files[:1], txtar.File{Name: "want", Data: []byte(got)})
				if err := os.WriteFile(s.file, txtar.Format(s.archive), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != s.want {
				t.Errorf("%s as %s:\n%s\nwant:\n%s", s.path, s.language, got, s.want)
			}
		})
	}
}
