package main

import (
	"strings"
	"testing"
)

func TestSummary(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in       string
		want           []string
		passed, failed int
	}{
		{"all well", `{"Action":"run","Package":"p","Test":"A"}
{"Action":"output","Package":"p","Test":"A","Output":"noise\n"}
{"Action":"pass","Package":"p","Test":"A"}
{"Action":"pass","Package":"p","Elapsed":1.25}
`, []string{"ok   p (1.2s)\n1 passed, 0 failed, 0 skipped\n"}, 1, 0},
		{"a failure shows its output", `{"Action":"output","Package":"p","Test":"A","Output":"why\n"}
{"Action":"fail","Package":"p","Test":"A"}
{"Action":"skip","Package":"p","Test":"B"}
{"Action":"fail","Package":"p"}
`, []string{"why\nFAIL p (0.0s)\n0 passed, 1 failed, 1 skipped\n"}, 0, 1},
		{"a package that dies counts", `{"Action":"output","Package":"p","Output":"panic: x\n"}
{"Action":"fail","Package":"p"}
`, []string{"panic: x\nFAIL p", "0 passed, 1 failed"}, 0, 1},
		{"a build that fails", `{"ImportPath":"p","Action":"build-output","Output":"x.go:1: bad\n"}
{"ImportPath":"p","Action":"build-fail"}
{"Action":"fail","Package":"p","FailedBuild":"p"}
`, []string{"x.go:1: bad", "0 passed, 1 failed"}, 0, 1},
		{"what is no event is passed on", "go: no such module\n", []string{"go: no such module\n0 passed"}, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			passed, failed, err := summarize(strings.NewReader(tt.in), &b)
			if err != nil || passed != tt.passed || failed != tt.failed {
				t.Errorf("%d passed, %d failed, %v", passed, failed, err)
			}
			for _, part := range tt.want {
				if !strings.Contains(b.String(), part) {
					t.Errorf("%q lacks %q", b.String(), part)
				}
			}
		})
	}
}
