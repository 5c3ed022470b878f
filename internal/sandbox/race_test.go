//go:build unix

package sandbox

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/contextd/contextd/internal/code"
)

// TestSwappedForALink: while files and folders are swapped for links that lead out, and back, nothing from outside is
// ever read or listed.
func TestSwappedForALink(t *testing.T) {
	t.Parallel()
	outside := write(t, t.TempDir(), map[string]string{"a.go": "treasure\n", "only-outside.go": "treasure\n"})
	root := write(t, t.TempDir(), map[string]string{"f.go": "inside\n", "dir/a.go": "inside\n", ".gitignore": "x\n"})
	r := open(t, root)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	swap := func(name, target string) {
		defer wg.Done()
		file, link := filepath.Join(root, name), filepath.Join(filepath.Dir(root), filepath.Base(root)+"-"+name)
		must(t, os.Symlink(target, link))
		for {
			select {
			case <-stop:
				return
			default:
			}
			aside := link + ".aside"
			if os.Rename(file, aside) == nil {
				os.Rename(link, file)
				os.Rename(file, link)
				os.Rename(aside, file)
			}
		}
	}
	wg.Add(2)
	go swap("f.go", filepath.Join(outside, "a.go"))
	go swap("dir", outside)
	for range 2000 {
		for _, path := range []string{"f.go", "dir/a.go"} {
			data, _, err := r.Read(path)
			if strings.Contains(string(data), "treasure") {
				t.Fatalf("Read(%q) left the root", path)
			}
			if re := (*ReadError)(nil); err != nil && !errors.As(err, &re) {
				t.Fatalf("Read(%q) = %v, want a *ReadError", path, err)
			}
		}
	}
	for range 300 {
		for _, f := range walk(t, r).Files {
			if strings.Contains(f.Path, "only-outside") {
				t.Fatalf("a walk left the root: %q", f.Path)
			}
		}
	}
	close(stop)
	wg.Wait()
}

// TestReadKinds: Read gives the bytes and the facts of a regular file within the limit, and a typed reason for all
// else.
func TestReadKinds(t *testing.T) {
	t.Parallel()
	root := write(t, t.TempDir(), map[string]string{"big": strings.Repeat("x", 101), "fits": strings.Repeat("x", 100), "empty": "", "dir/x": "x"})
	must(t, syscall.Mkfifo(filepath.Join(root, "pipe"), 0o644))
	must(t, os.Symlink("fits", filepath.Join(root, "link")))
	must(t, os.Symlink("dir", filepath.Join(root, "linkdir")))
	r := open(t, root, Options{MaxFileBytes: 100})
	for path, reason := range map[string]code.Reason{"fits": "", "empty": "", "big": code.TooLarge, "dir": code.NotRegular, "pipe": code.NotRegular,
		"link": code.NotRegular, "linkdir/x": code.NotRegular, "none": code.Missing, "fits/x": code.Missing, "../x": code.OutsideRoot} {
		data, f, err := r.Read(path)
		re := (*ReadError)(nil)
		if reason == "" {
			info, _ := os.Stat(filepath.Join(root, path))
			if err != nil || f != fileOfTest(path, info) || int64(len(data)) != info.Size() {
				t.Errorf("Read(%q) = %d bytes, %+v, %v", path, len(data), f, err)
			}
		} else if !errors.As(err, &re) || re.Reason != reason {
			t.Errorf("Read(%q) = %v, want %s", path, err, reason)
		}
	}
	if _, _, err := r.Read("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Read of a missing file = %v, want the cause wrapped", err)
	}
}

func fileOfTest(path string, info fs.FileInfo) File {
	st := info.Sys().(*syscall.Stat_t)
	f := File{Path: path, Size: info.Size(), MTime: info.ModTime().UnixNano(), Inode: uint64(st.Ino)}
	f.CTime = changeTime(st)
	return f
}

// TestDeepTree: a tree far deeper than a path may be long is walked, without recursion.
func TestDeepTree(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	root, err := os.OpenRoot(top)
	must(t, err)
	defer root.Close()
	name, depth := strings.Repeat("d", 200), 40 // 8,000 bytes
	at := root
	for range depth {
		must(t, at.Mkdir(name, 0o755))
		next, err := at.OpenRoot(name)
		must(t, err)
		if at != root {
			at.Close()
		}
		at = next
	}
	must(t, at.WriteFile("leaf.go", []byte("x\n"), 0o644))
	at.Close()
	r := open(t, top)
	tree := walk(t, r)
	want := strings.Repeat(name+"/", depth) + "leaf.go"
	if len(tree.Files) != 1 || tree.Files[0].Path != want {
		t.Fatalf("walk = %d files, skipped %d", len(tree.Files), len(tree.Skipped))
	}
	if data, _, err := r.Read(want); err != nil || string(data) != "x\n" {
		t.Errorf("Read = %q, %v", data, err)
	}
	if got := r.Why(t.Context(), want); got.Reason != "" {
		t.Errorf("Why = %+v", got)
	}
	must(t, root.RemoveAll(name))
}

// TestExhaustedIsNoEmptyTree: a walk during which the system ran out of handles fails: what it did not see is not gone.
func TestExhaustedIsNoEmptyTree(t *testing.T) {
	t.Parallel()
	s := open(t, write(t, t.TempDir(), map[string]string{"a.go": "x\n"})).newScan()
	if s.exhausted(fs.ErrPermission) || !s.exhausted(&fs.PathError{Op: "open", Path: "a", Err: syscall.EMFILE}) {
		t.Fatal("exhausted tells errors apart wrongly")
	}
	if err := newWalker(s).run(t.Context()); !errors.Is(err, syscall.EMFILE) {
		t.Errorf("run = %v", err)
	}
}

// TestWalkStops: a walk ends with its context.
func TestWalkStops(t *testing.T) {
	t.Parallel()
	r := open(t, write(t, t.TempDir(), map[string]string{"a/b/c.go": "x\n"}))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Walk(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Walk = %v", err)
	}
	if _, err := r.WalkPaths(ctx, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("WalkPaths = %v", err)
	}
}
