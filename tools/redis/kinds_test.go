package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestEachKindHasOneSourceAndEachSuiteAPackage(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, k := range kinds {
		if seen[k.name] || (k.wheel.name == "") == (k.debian.suite == "") || k.wheel.name != "" &&
			len(k.wheel.sha256) != 64 {
			t.Errorf("%+v: want one source, a sum for a wheel, and a name of its own", k)
		}
		seen[k.name] = true
	}
	for _, s := range suites {
		if list, err := filepath.Glob(filepath.Join("..", "..", "internal", filepath.FromSlash(s.pkg),
			"*_test.go")); err != nil || len(list) == 0 {
			t.Errorf("%+v: no tests, %v", s, err)
		}
	}
}

// TestMarksOfASuiteAreCounted: a failure names the tests that failed, a skipped one is no pass.
func TestMarksOfASuiteAreCounted(t *testing.T) {
	if os.PathSeparator != '/' {
		t.Skip("the suite is played by a shell script")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.MkdirAll("internal/x", 0o755); err != nil {
		t.Fatal(err)
	}
	for script, want := range map[string]string{
		"#!/bin/sh\necho '--- PASS: TestA (0.1s)'\necho '    --- PASS: TestA/sub (0.1s)'\necho '--- SKIP: TestB (0.1s)'\n":    "1 passed, 1 skipped",
		"#!/bin/sh\necho '--- PASS: TestA (0.1s)'\necho '--- FAIL: TestB (0.1s)'\nexit 1\n":                                   "FAILED: TestB (1 passed)",
		"#!/bin/sh\ntest \"$CONTEXTD_TEST_REDIS_SERVER\" = the-server && test -z \"$REDIS_URL\" && echo '--- PASS: T (0s)'\n": "1 passed",
	} {
		bin := filepath.Join(dir, "suite")
		if err := os.WriteFile(bin, []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		if got, _ := runSuite(bin, "x", ".", "the-server"); got != want {
			t.Errorf("%q: %q, want %q", script, got, want)
		}
	}
}
