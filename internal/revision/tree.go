package revision

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/gofrs/flock"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/githist"
)

// Tree is the tree of a commit, kept as a folder. Nobody removes it until it is closed. It is for one goroutine.
type Tree struct {
	Name   string // as it was asked for
	Commit string // full hash

	store  *Store
	dir    string
	lock   *flock.Flock // shared; of the tree
	making *flock.Flock // exclusive; of the repository, until the index is made
}

// ErrAltered is returned for a file that is not as its commit has it.
var ErrAltered = errors.New("a kept revision was altered")

// Files is the folder of the files.
func (t *Tree) Files() string { return filepath.Join(t.dir, filesDir) }

// Index is the state directory for the index of the files; whoever indexes them makes it.
func (t *Tree) Index() string { return filepath.Join(t.dir, indexDir) }

// Ready reports whether the index was made.
func (t *Tree) Ready() bool { return exists(filepath.Join(t.dir, readyFile)) }

// write writes the tree out.
func (t *Tree) write(ctx context.Context, rev githist.Revision) error {
	temp, err := os.MkdirTemp(filepath.Dir(t.dir), writing)
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp) // nothing once it was renamed
	files := filepath.Join(temp, filesDir)
	if err := os.Mkdir(files, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(files)
	if err != nil {
		return err
	}
	defer root.Close()
	o := t.store.opts
	out, err := rev.Export(ctx, root,
		githist.ExportLimits{Files: o.MaxFiles, Bytes: o.TreeBytes, Largest: o.Sandbox.Largest})
	if err != nil {
		return err
	}
	if out.LeftOut > 0 {
		o.Log.Debug("files of a revision left out", "revision", t.Name, "files", out.LeftOut)
	}
	if err := track(root, out.Blobs); err != nil {
		return err
	}
	var list bytes.Buffer
	for _, b := range out.Blobs {
		list.WriteString(b.Hash + " " + b.Path + "\x00")
	}
	if err := os.WriteFile(filepath.Join(temp, blobsFile), list.Bytes(), 0o600); err != nil {
		return err
	}
	if err := root.Close(); err != nil { // Windows renames no folder that is open
		return err
	}
	return os.Rename(temp, t.dir)
}

// Verify makes sure that files are as the commit has them; an error wraps ErrAltered where one is not.
func (t *Tree) Verify(paths []code.Path) error {
	if len(paths) == 0 {
		return nil
	}
	want := make(map[code.Path]bool, len(paths))
	for _, p := range paths {
		want[p] = true
	}
	list, err := os.ReadFile(filepath.Join(t.dir, blobsFile))
	if err != nil {
		return fmt.Errorf("verify revision %q: %w: %w", t.Name, ErrAltered, err)
	}
	root, err := os.OpenRoot(t.Files())
	if err != nil {
		return fmt.Errorf("verify revision %q: %w: %w", t.Name, ErrAltered, err)
	}
	defer root.Close()
	for entry := range bytes.SplitSeq(list, []byte{0}) {
		hash, path, _ := bytes.Cut(entry, []byte{' '})
		p := code.Path(path)
		if !want[p] {
			continue
		}
		delete(want, p)
		if data, err := root.ReadFile(filepath.FromSlash(p)); err != nil ||
			!(githist.Blob{Hash: string(hash)}).Holds(data) {
			return fmt.Errorf("verify %q of revision %q: %w", p, t.Name, ErrAltered)
		}
	}
	for p := range want {
		return fmt.Errorf("verify %q of revision %q: %w", p, t.Name, ErrAltered)
	}
	return nil
}

// Keep notes that the index was made and lets others use the tree; then it removes those that are over the limits.
// Where the index was there it notes that it was asked.
func (t *Tree) Keep() error {
	name := filepath.Join(t.dir, readyFile)
	if t.making == nil {
		now := time.Now()
		return os.Chtimes(name, now, now)
	}
	if err := os.WriteFile(name, strconv.AppendInt(nil, size(t.dir), 10), 0o600); err != nil {
		return fmt.Errorf("keep revision %q: %w", t.Name, err)
	}
	err := t.unlockMaking()
	t.store.evict(t.dir)
	return err
}

// Discard removes the tree, which Open writes out again; it closes t. One that another process asks stays.
func (t *Tree) Discard() error {
	t.release()
	if !t.store.remove(t.dir) {
		return fmt.Errorf("remove %q: in use", t.dir)
	}
	return nil
}

// Close lets others remove the tree.
func (t *Tree) Close() error {
	t.release()
	return nil
}

func (t *Tree) unlockMaking() error {
	if t.making == nil {
		return nil
	}
	err := t.making.Close()
	t.making = nil
	return err
}

// release gives back what t has locked.
func (t *Tree) release() {
	err := t.unlockMaking()
	if t.lock != nil {
		err = errors.Join(err, t.lock.Close())
		t.lock = nil
	}
	if err != nil {
		t.store.opts.Log.Debug("revision not unlocked", "error", err)
	}
}
