package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestSummary(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in                string
		want                    []string
		passed, failed, skipped int
	}{
		{"all well", `{"Action":"run","Package":"p","Test":"A"}
{"Action":"output","Package":"p","Test":"A","Output":"noise\n"}
{"Action":"pass","Package":"p","Test":"A"}
{"Action":"pass","Package":"p","Elapsed":1.25}
`, []string{"ok   p (1.2s)\n"}, 1, 0, 0},
		{"a failure shows its output", `{"Action":"output","Package":"p","Test":"A","Output":"why\n"}
{"Action":"fail","Package":"p","Test":"A"}
{"Action":"skip","Package":"p","Test":"B"}
{"Action":"fail","Package":"p"}
`, []string{"why\nFAIL p (0.0s)\n"}, 0, 1, 1},
		{"a package that dies counts", `{"Action":"output","Package":"p","Output":"panic: x\n"}
{"Action":"fail","Package":"p"}
`, []string{"panic: x\nFAIL p"}, 0, 1, 0},
		{"a build that fails", `{"ImportPath":"p","Action":"build-output","Output":"x.go:1: bad\n"}
{"ImportPath":"p","Action":"build-fail"}
{"Action":"fail","Package":"p","FailedBuild":"p"}
`, []string{"x.go:1: bad"}, 0, 1, 0},
		{"what is no event is passed on", "go: no such module\n", []string{"go: no such module\n"}, 0, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			c := newCounts()
			err := c.read(strings.NewReader(tt.in), &b)
			passed, failed, skipped := c.sum()
			if err != nil || passed != tt.passed || failed != tt.failed || skipped != tt.skipped {
				t.Errorf("%d passed, %d failed, %d skipped, %v", passed, failed, skipped, err)
			}
			for _, part := range tt.want {
				if !strings.Contains(b.String(), part) {
					t.Errorf("%q lacks %q", b.String(), part)
				}
			}
		})
	}
}

// A module of its own whose tests fail once, always, or by a panic, run by the command as CI runs it.
func TestFailedTestsAreRunOnceMore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module m\n\ngo 1.26\n",
		"once/a_test.go": "package once\n\nimport (\"os\"; \"testing\")\n\n" +
			"func TestOnce(t *testing.T) { if os.Mkdir(\"seen\", 0o700) == nil { t.Error(\"at first\") } }\nfunc TestWell(t *testing.T) {}\n",
		"always/a_test.go": "package always\n\nimport \"testing\"\n\nfunc TestAlways(t *testing.T) { t.Run(\"sub\", func(t *testing.T) { t.Error(\"each time\") }) }\n",
		"panics/a_test.go": "package panics\n\nimport (\"os\"; \"testing\")\n\nfunc TestPanics(t *testing.T) { if os.Mkdir(\"seen\", 0o700) == nil { panic(\"at first\") } }\n",
	} {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700),
			os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	testsum := filepath.Join(dir, "testsum")
	if out, err := exec.Command("go", "build", "-o", testsum, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, tt := range []struct{ pkg, want string }{
		{"./once", "FAILED AT FIRST, passed by itself: TestOnce of m/once\n2 passed, 0 failed, 0 skipped\n"},
		{"./always", "0 passed, 2 failed, 0 skipped\n"},
		{"./panics", "0 passed, 1 failed, 0 skipped\n"},
	} {
		tests := exec.Command("go", "test", "-json", "-count=1", tt.pkg)
		tests.Dir = dir
		events, _ := tests.Output() // that they fail is what is wanted
		sum := exec.Command(testsum, "-again")
		sum.Dir, sum.Stdin = dir, bytes.NewReader(events)
		out, err := sum.CombinedOutput()
		if !strings.HasSuffix(string(out), tt.want) || (err == nil) != strings.Contains(tt.want, " 0 failed") {
			t.Errorf("%s: %v\n%s", tt.pkg, err, out)
		}
	}
}
