package access_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
)

// listed is an index that only lists its projects.
type listed struct {
	search.Index
	projects []search.Project
	deadline bool // a list was asked for that may be given up
}

func (l *listed) Projects(ctx context.Context) ([]search.Project, error) {
	_, l.deadline = ctx.Deadline()
	return l.projects, nil
}

func TestWhatIsNotAllowedGetsOneAnswerWhetherItExistsOrNot(t *testing.T) {
	t.Parallel()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(top, name) }
	for _, dir := range []string{"allowed/web", "outside"} {
		if err := os.MkdirAll(at(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(at("outside"), at("allowed/link")); err != nil {
		t.Fatal(err)
	}
	index := &listed{projects: []search.Project{{ID: "web", Root: at("allowed/web")}}}
	for _, tt := range []struct {
		name   string
		roots  []string
		strict bool
		root   string
		refuse bool
	}{
		{"any that is named", nil, false, at("outside"), false},
		{"inside", []string{at("allowed")}, false, at("allowed/web"), false},
		{"outside", []string{at("allowed")}, false, at("outside"), true},
		{"outside and missing", []string{at("allowed")}, false, at("none"), true},
		{"a link to outside", []string{at("allowed")}, false, at("allowed/link"), true},
		{"strict, indexed", nil, true, at("allowed/web"), false},
		{"strict, not indexed", nil, true, at("outside"), true},
		{"strict, missing", nil, true, at("none"), true},
	} {
		f := access.New(access.Options{Index: index, Roots: tt.roots, Strict: tt.strict})
		if _, err := f.Confine(t.Context(), tt.root); errors.Is(err, sandbox.ErrNotAllowed) != tt.refuse ||
			(err != nil) != tt.refuse {
			t.Errorf("%s: confine: %v", tt.name, err)
		}
		if _, _, err := f.Resolve(t.Context(), access.Where{Root: tt.root}, time.Second); (err != nil) != tt.refuse {
			t.Errorf("%s: resolve: %v", tt.name, err)
		}
		if tt.refuse && f.May(tt.root) {
			t.Errorf("%s: it may be indexed", tt.name)
		}
	}
}

func TestFilesOfThisMachineAreListedWithoutADeadline(t *testing.T) {
	t.Parallel()
	for _, embedded := range []bool{true, false} {
		index := &listed{}
		f := access.New(access.Options{Index: index, Embedded: embedded})
		if _, fault, err := f.Resolve(t.Context(), access.Where{Project: "web"}, time.Second); fault != nil ||
			err != nil || index.deadline == embedded {
			t.Errorf("embedded %v: with a deadline %v; %v, %v", embedded, index.deadline, fault, err)
		}
	}
}
