//go:build unix

package watch

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/sandbox/sandboxtest"
)

// report is one call of onChange.
type report struct {
	paths  []code.Path
	rescan bool
}

// watching is a running Watch; its reports wait in a channel.
type watching struct {
	t       *testing.T
	w       *Watcher
	root    string
	reports chan report
	log     *syncBuffer
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func startWatch(t *testing.T, root string, o sandbox.Options, change func(*Watcher)) *watching {
	t.Helper()
	log := &syncBuffer{}
	w := &watching{t: t, root: root, reports: make(chan report, 10_000), log: log, w: New(slog.New(slog.NewTextHandler(log, nil)), o)}
	w.w.again, w.w.poll = 10*time.Millisecond, 10*time.Millisecond
	if change != nil {
		change(w.w)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- w.w.Watch(ctx, root, func(paths []code.Path, rescan bool) { w.reports <- report{paths, rescan} })
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Watch = %v", err)
		}
		if got := w.w.Coverage(root); got != None {
			t.Errorf("Coverage after the end = %q", got)
		}
	})
	w.rescan()
	return w
}

// next waits for a report that ok likes; those before it are handed to it, too.
func (w *watching) next(what string, ok func(report) bool) {
	w.t.Helper()
	end := time.After(20 * time.Second)
	for {
		select {
		case r := <-w.reports:
			if ok(r) {
				return
			}
		case <-end:
			w.t.Fatalf("no report of %s", what)
		}
	}
}

func (w *watching) rescan() {
	w.t.Helper()
	w.next("a rescan", func(r report) bool { return r.rescan })
}

// paths waits until each of want was reported, and fails on any other path.
func (w *watching) paths(want ...string) {
	w.t.Helper()
	seen := map[string]bool{}
	w.next(fmt.Sprintf("%q", want), func(r report) bool {
		for _, p := range r.paths {
			if !slices.Contains(want, p) {
				w.t.Errorf("%q reported, want only %q", p, want)
			}
			seen[p] = true
		}
		return len(seen) == len(want)
	})
}

// TestWatchReportsWhatCounts: files written, made in new folders, moved and removed are reported, those that rules
// leave out are not.
func TestWatchReportsWhatCounts(t *testing.T) {
	t.Parallel()
	root := sandboxtest.Write(t, t.TempDir(), map[string]string{".gitignore": "*.log\nhidden/\n", "a.go": "x\n", "old/b.go": "x\n", "hidden/x.go": "x\n", "own/state": "x\n"})
	sandboxtest.Git(t, root, "init", "-q")
	w := startWatch(t, root, sandbox.Options{Exclude: []string{filepath.Join(root, "own")}}, nil)
	if got := w.w.Coverage(root); got != Events {
		t.Fatalf("Coverage = %q", got)
	}
	sandboxtest.Write(t, root, map[string]string{"x.log": "x\n", "hidden/y.go": "x\n", "own/more": "x\n", "node_modules/a/b.js": "x\n", "a.go": "y\n"})
	w.paths("a.go")
	sandboxtest.Write(t, root, map[string]string{"new/deep/er/c.go": "x\n", "new/x.log": "x\n", "new/d.go": "x\n"})
	w.paths("new/deep/er/c.go", "new/d.go")
	sandboxtest.Write(t, root, map[string]string{"new/deep/er/e.go": "x\n"})
	w.paths("new/deep/er/e.go")
	need(t, os.Rename(filepath.Join(root, "old"), filepath.Join(root, "moved")))
	w.paths("old", "moved/b.go")
	sandboxtest.Write(t, root, map[string]string{"moved/b.go": "y\n"})
	w.paths("moved/b.go")
	need(t, os.RemoveAll(filepath.Join(root, "new")))
	w.next("the folder removed", func(r report) bool { return slices.Contains(r.paths, "new") })
}

// TestWatchRescans: a change of a rule, of what git tracks, or of too many files at once asks for a rescan.
func TestWatchRescans(t *testing.T) {
	t.Parallel()
	top := sandboxtest.Write(t, t.TempDir(), map[string]string{"mid/root/a.go": "x\n", "mid/root/sub/b.go": "x\n", "mid/root/hidden/c.go": "x\n", "mid/root/.gitignore": "hidden\n"})
	sandboxtest.Git(t, top, "init", "-q")
	root := filepath.Join(top, "mid/root")
	w := startWatch(t, root, sandbox.Options{}, nil)
	for _, name := range []string{"sub/.gitignore", ".contextdignore", ".cursorignore", "../.gitignore", "../../.gitignore", "../../.git/info/exclude"} {
		sandboxtest.Write(t, root, map[string]string{name: "*.tmp\n"})
		w.rescan()
	}
	sandboxtest.Git(t, root, "add", "a.go")
	w.rescan()
	sandboxtest.Git(t, root, "-c", "user.name=t", "commit", "-qm", "x")
	sandboxtest.Git(t, root, "checkout", "-q", "-b", "other")
	w.rescan()
	sandboxtest.Write(t, root, map[string]string{".gitignore": "x\n"})
	w.rescan()
	sandboxtest.Write(t, root, map[string]string{"hidden/c.go": "y\n"}) // watched now that no rule hides it
	w.next("hidden/c.go", func(r report) bool { return slices.Contains(r.paths, "hidden/c.go") })
	many := map[string]string{}
	for i := range maxBatch + 100 {
		many[fmt.Sprintf("many/f%d.go", i)] = "x\n"
	}
	aside := sandboxtest.Write(t, t.TempDir(), many)
	need(t, os.Rename(filepath.Join(aside, "many"), filepath.Join(root, "many")))
	w.rescan()
}

// TestWatchFollowsTheRootsName: a root that is replaced, or removed and made again, is followed on.
func TestWatchFollowsTheRootsName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	sandboxtest.Write(t, dir, map[string]string{"root/a.go": "x\n", "other/b.go": "x\n"})
	w := startWatch(t, root, sandbox.Options{}, nil)
	need(t, os.Rename(root, root+".old"))
	w.rescan()
	need(t, os.Rename(filepath.Join(dir, "other"), root))
	w.rescan()
	sandboxtest.Write(t, root, map[string]string{"b.go": "y\n"})
	w.next("b.go in the new root", func(r report) bool { return slices.Contains(r.paths, "b.go") })
	need(t, os.RemoveAll(root))
	w.rescan()
	sandboxtest.Write(t, root, map[string]string{"c.go": "x\n"})
	w.rescan()
	sandboxtest.Write(t, root, map[string]string{"c.go": "y\n"})
	w.next("c.go", func(r report) bool { return slices.Contains(r.paths, "c.go") })
}

// TestWatchPollsWithoutWatches: where the system gives no more watches, it is said once, with what helps, and changes
// are found all the same.
func TestWatchPollsWithoutWatches(t *testing.T) {
	t.Parallel()
	for _, cause := range []error{syscall.ENOSPC, syscall.EMFILE} {
		root := sandboxtest.Write(t, t.TempDir(), map[string]string{".gitignore": "*.log\n", "a.go": "x\n", "sub/b.go": "x\n"})
		w := startWatch(t, root, sandbox.Options{}, func(w *Watcher) {
			w.add = func(fs *fsnotify.Watcher, name string) error {
				if strings.HasSuffix(name, "sub") {
					return fmt.Errorf("add %q: %w", name, cause)
				}
				return fs.Add(name)
			}
		})
		if got := w.w.Coverage(root); got != Polling {
			t.Errorf("Coverage = %q", got)
		}
		sandboxtest.Write(t, root, map[string]string{"sub/b.go": "longer\n", "sub/x.log": "x\n", "c.go": "x\n"})
		w.paths("c.go", "sub/b.go")
		need(t, os.Remove(filepath.Join(root, "a.go")))
		w.paths("a.go")
		if got := strings.Count(w.log.String(), "max_user_watches"); got != 1 {
			t.Errorf("the hint was given %d times: %s", got, w.log)
		}
	}
}

// TestWatchOfNothing: a folder that cannot be opened is an error.
func TestWatchOfNothing(t *testing.T) {
	t.Parallel()
	w := New(slog.New(slog.DiscardHandler), sandbox.Options{})
	if err := w.Watch(t.Context(), filepath.Join(t.TempDir(), "none"), nil); err == nil || !strings.Contains(err.Error(), "no such folder") {
		t.Errorf("Watch = %v", err)
	}
}

func need(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
