//go:build unix

package app_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/app/apptest"
	"github.com/contextd/contextd/internal/freshness"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/sandbox"
)

func TestRootSwappedWhileItIsIndexedAndAskedLeaksNothing(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "treasure.go"),
		[]byte("package treasure\n\n// OpenTreasure opens it.\nfunc OpenTreasure() {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var top string
	b := apptest.Open(t, func(o *app.Options) { top = t.TempDir(); o.AllowRoots = []string{top} })
	root := filepath.Join(top, "web")
	if err := os.Rename(b.Root, root); err != nil {
		t.Fatal(err)
	}
	link, kept := filepath.Join(t.TempDir(), "link"), filepath.Join(t.TempDir(), "kept")
	if err := os.Symlink(outside, link); err != nil {
		t.Fatal(err)
	}
	end := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			_ = os.Rename(root, kept)
			_ = os.Rename(link, root)
			time.Sleep(200 * time.Microsecond) // a run gets on with either in place
			_ = os.Rename(root, link)
			_ = os.Rename(kept, root)
			time.Sleep(200 * time.Microsecond)
			select {
			case <-end:
				return
			default:
			}
		}
	})
	defer func() { close(end); wg.Wait() }()
	w := access.Where{Project: "web", Root: root}
	indexed, last := 0, error(nil)
	for range 300 {
		if _, err := b.In.Refresh(t.Context(), ingest.Request{Project: "web", Root: root}); err == nil {
			indexed++
		} else {
			last = err
		}
		projects, err := b.Backend.Index.Projects(t.Context())
		for _, p := range projects {
			if p.Root != root {
				t.Fatalf("a project has the root %q", p.Root)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, ask := range []access.Where{w, {Project: "web"}} {
			r, err := b.Answers.Query(t.Context(), retrieve.Request{Text: "OpenTreasure", Deadline: 5 * time.Second},
				ask, freshness.Behind, nil)
			if err != nil {
				continue
			}
			for _, x := range r.Results {
				if strings.Contains(x.Path+x.Snippet, "reasure") {
					t.Fatalf("answered from outside: %+v", x)
				}
			}
		}
		if v, err := b.Answers.Why(t.Context(), w, "treasure.go"); err == nil && v.Reason == "" && v.Indexed {
			t.Fatalf("indexed from outside: %+v", v)
		}
	}
	if indexed == 0 {
		t.Errorf("the root itself was never indexed: %v", last)
	}
}

// A server that reads what is indexed reads it where it lay: not where a link in its place leads, which any path may
// be.
func TestServersWithoutAllowedRootsFollowNoLink(t *testing.T) {
	t.Parallel()
	b := apptest.Open(t, func(o *app.Options) { o.Strict = true })
	if _, err := b.In.Refresh(t.Context(), ingest.Request{Project: "web", Root: b.Root}); err != nil {
		t.Fatal(err)
	}
	for _, w := range []access.Where{{Project: "web"}, {Root: b.Root}} {
		if r := b.Ask("OpenGate", w, freshness.Behind); len(r.Results) != 1 {
			t.Fatalf("%+v before: %+v", w, r)
		}
	}
	outside := filepath.Join(filepath.Dir(b.Root), "outside")
	if err := os.Rename(b.Root, outside); err != nil { // the same files: only where they lie is another
		t.Fatal(err)
	}
	if err := os.Symlink(outside, b.Root); err != nil {
		t.Fatal(err)
	}
	if r := b.Ask("OpenGate", access.Where{Project: "web"}, freshness.Behind); len(r.Results)+len(r.Nearest) != 0 ||
		r.Status != retrieve.Degraded {
		t.Errorf("by its project: %+v", r)
	}
	if _, err := b.Answers.Query(t.Context(), retrieve.Request{Text: "OpenGate"}, access.Where{Root: b.Root},
		freshness.Behind, nil); !errors.Is(err, sandbox.ErrNotAllowed) {
		t.Errorf("by its root: %v", err)
	}
	if _, err := b.Answers.Why(t.Context(), access.Where{Project: "web"}, "gate.go"); !errors.Is(err,
		sandbox.ErrNotAllowed) {
		t.Errorf("why: %v", err)
	}
}
