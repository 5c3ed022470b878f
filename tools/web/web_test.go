package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contextd/contextd/tools/web/bundle"
)

func top(parts ...string) string { return filepath.Join(append([]string{"..", ".."}, parts...)...) }

func TestBuiltDashboardIsThatOfTheSources(t *testing.T) {
	t.Parallel()
	files, err := bundle.Build(top("web"))
	if err != nil {
		t.Fatal(err)
	}
	if err := compare(files, top("internal", "web", "dist")); err != nil {
		t.Error(err)
	}
	again, err := bundle.Build(top("web"))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if !bytes.Equal(again[name], data) {
			t.Errorf("%s is another one when it is built again", name)
		}
	}
}

func TestCheckTellsWhatDiffersFromTheSources(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "dist")
	var told bytes.Buffer
	if err := run(top("web"), dir, false, &told); err != nil {
		t.Fatal(err)
	}
	if err := run(top("web"), dir, true, nil); err != nil {
		t.Fatalf("just built: %v", err)
	}
	for _, name := range []string{"index.html", "licences.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("other"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := run(top("web"), dir, true, nil); err == nil ||
			!strings.Contains(err.Error(), `"`+name+`" is not what the sources give; run "go run ./tools/web"`) {
			t.Errorf("%s changed: %v", name, err)
		}
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if err := run(top("web"), dir, true, nil); err == nil ||
			!strings.Contains(err.Error(), `"`+name+`" is missing`) {
			t.Errorf("%s removed: %v", name, err)
		}
	}
}

// Each reason that the documentation lists has its line on the dashboard.
func TestDashboardTellsWhatToDoAboutEachReason(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile(top("docs", "OPERATIONS.md"))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(top("web", "src", "parts", "reasons.tsx"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(doc), "### Of an answer (`reasons`)")
	part, _, ends := strings.Cut(rest, "### Of a candidate")
	if !found || !ends {
		t.Fatal("docs/OPERATIONS.md has no part about the reasons of an answer")
	}
	n := 0
	for line := range strings.Lines(part) {
		names := ""
		if strings.HasPrefix(line, "| `") {
			names, _, _ = strings.Cut(line[2:], " |")
		} else if strings.HasPrefix(line, "- `") {
			names, _, _ = strings.Cut(line[2:], ":")
		}
		for _, name := range strings.Split(names, "`") {
			if name = strings.Trim(name, "`, "); name == "" {
				continue
			}
			n++
			if !strings.Contains(string(page), "\n  "+name+": {") {
				t.Errorf("web/src/parts/reasons.tsx does not tell about %q", name)
			}
		}
	}
	if n < 15 {
		t.Errorf("saw %d reasons only", n)
	}
}
