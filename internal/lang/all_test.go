package lang

import (
	"slices"
	"testing"
)

func TestLanguagesAreThoseThatFilesGet(t *testing.T) {
	t.Parallel()
	all := All()
	if len(all) < 30 || !slices.IsSorted(all) || len(slices.Compact(slices.Clone(all))) != len(all) ||
		slices.Contains(all, "") {
		t.Fatalf("languages %q", all)
	}
	for _, name := range []string{
		"a.go", "a.py", "a.ts", "a.h", "a.m", "Dockerfile", "x", "a.rs", "Makefile", "Dockerfile.dev",
	} {
		if l := Of(name, ""); !slices.Contains(all, l) {
			t.Errorf("%s is of %q, which is not listed", name, l)
		}
	}
}
