package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestDocumentationIsPairedWithItsCode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, text, query, holds, lacks string }{
		{"toll.go", "package a\n\n// Toll computes what a ship pays.\n//\n// More of it.\nfunc Toll(tons int) int {\n\t// by weight\n\treturn tons * 3\n}\n",
			"Toll computes what a ship pays.", "by weight", "More"},
		{"toll.py", "class Port:\n    def toll(self, tons):\n        \"\"\"Compute what a ship pays.\n\n        :param tons: how much\n        \"\"\"\n        return tons * 3\n",
			"Compute what a ship pays.", "return tons", "param"},
		{"toll.js", "/**\n * Compute what a ship pays.\n *\n * @param {Number} tons\n */\n\napp.toll = function toll(tons) {\n  return tons * 3\n}\n",
			"Compute what a ship pays.", "return tons", "@param"},
		{"Toll.java",
			"class Port {\n  /** Computes what a ship pays.\n   * @return coins */\n  @Override\n  public int toll(int tons) {\n    return tons * 3;\n  }\n}\n",
			"Computes what a ship pays.", "return tons", "coins"},
		{"toll.rs", "/// Computes what a ship pays.\n#[inline]\npub fn toll(tons: u32) -> u32 {\n    tons * 3\n}\n",
			"Computes what a ship pays.", "tons * 3", "Computes"},
		{"no.go", "package a\n\n// Copyright of a harbour, all rights reserved.\nfunc Toll() {}\n\n// TODO make it pay\nfunc Pay() {}\n\nfunc None() {}\n", "", "", ""},
	} {
		n := 0
		err := split(c.path, c.text).docs(func(query, document string) error {
			n++
			if strings.TrimSpace(query) != c.query || !strings.Contains(document, c.holds) ||
				strings.Contains(document, c.lacks) {
				t.Errorf("%s: %q → %q", c.path, query, document)
			}
			return nil
		})
		if want := min(1, len(c.query)); err != nil || n != want {
			t.Errorf("%s: %d pairs, %v, want %d", c.path, n, err, want)
		}
	}
}

// harbour is a repository of a file that two commits changed, one of them by rote, and of a copy of it.
func harbour(t *testing.T) string {
	dir := filepath.Join(t.TempDir(), "harbour")
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a",
			"GIT_AUTHOR_EMAIL=a@example.org",
			"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const toll = "package port\n\n// Toll computes what a ship pays here.\nfunc Toll(tons, length, draft int, flag string) (coins int, err error) {\n\treturn tons * 3, nil\n}\n"
	write("port/toll.go", toll)
	git("init", "-q")
	git("add", ".")
	git("commit", "-q", "-m", "feat(port): charge ships by their weight (#12)")
	write("port/toll.go", toll+"\nfunc flags() {}\n")
	git("commit", "-q", "-a", "-m", "bump version of everything")
	write("port/copy.go", toll)
	git("add", ".")
	git("commit", "-q", "-m", "Copy the toll elsewhere\n\nFor reasons.")
	return dir
}

func extract(t *testing.T, trees ...string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "pairs.jsonl")
	x := extractor{docs: 100, commits: 100, seen: map[[32]byte]bool{}}
	if err := run(context.Background(), &x, out, trees); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestPairsAreEachTakenOnceAndInOrder(t *testing.T) {
	t.Parallel()
	dir := harbour(t)
	data := extract(t, dir)
	var got []string
	for dec := json.NewDecoder(bytes.NewReader(data)); dec.More(); {
		var p pair
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		got = append(got, p.Repo+" "+p.Kind+" "+p.Path+": "+strings.Join(p.Query, " "))
		if p.Document["tons"] != 2 || strings.Join(p.PathWords, " ") != strings.NewReplacer("/", " ", ".go",
			"").Replace(p.Path) {
			t.Errorf("%s: document %v, path %q", p.Path, p.Document, p.PathWords)
		}
	}
	want := []string{
		"harbour doc port/copy.go: toll computes what ship pays here",
		"harbour commit port/copy.go: copy the toll elsewhere",
		"harbour commit port/toll.go: charge ships by their weight",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("pairs:\n%s", strings.Join(got, "\n"))
	}
	if again := extract(t, dir); !bytes.Equal(data, again) {
		t.Error("the same tree gave other bytes")
	}
}

func TestTreesOfOneNameAreRefused(t *testing.T) {
	t.Parallel()
	a, b := filepath.Join(t.TempDir(), "x"), filepath.Join(t.TempDir(), "x")
	for _, d := range []string{a, b} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	x := extractor{seen: map[[32]byte]bool{}}
	if err := run(context.Background(), &x, filepath.Join(t.TempDir(), "o"), []string{a, b}); err == nil ||
		!strings.Contains(err.Error(), "want folders of different names") {
		t.Errorf("error %v", err)
	}
}
