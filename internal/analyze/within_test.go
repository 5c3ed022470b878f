package analyze

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// polled counts how often it is asked whether it is over, and is after so many times.
type polled struct {
	context.Context
	n, after int
}

func (p *polled) Err() error {
	if p.n++; p.after > 0 && p.n > p.after {
		return context.Canceled
	}
	return nil
}

func TestAnalysisStopsSoonAfterItsContextIsOver(t *testing.T) {
	t.Parallel()
	const bytes = 400_000
	for path, unit := range map[string]string{"a.go": "func a() {\n}\n", "a.cpp": "a\n", "a.py": "def a():\n    b\n",
		"a.md": "# a\n", "a.txt": "word and word\n",
		"a.js": "(\n", "a.ts": "class A { b() { c } }\n"} {
		text := strings.Repeat(unit, bytes/len(unit))
		all := &polled{Context: context.Background()}
		if f, err := FileWithin(all, path, text); err != nil || len(f.Chunks) == 0 {
			t.Fatalf("%s: %v, %v", path, f, err)
		}
		if most := bytes / (16 << 10); all.n < most {
			t.Errorf("%s: asked %d times, want at least once in 16 KB", path, all.n)
		}
		for _, after := range []int{1, 2, 3, all.n / 2, all.n - 1} {
			some := &polled{Context: context.Background(), after: after}
			f, err := FileWithin(some, path, text)
			if !errors.Is(err, context.Canceled) || f != nil {
				t.Errorf("%s: over after %d of %d: %v, %v", path, after, all.n, f, err)
			}
			if some.n > after+2 {
				t.Errorf("%s: over after %d, asked %d times", path, after, some.n)
			}
		}
	}
}
