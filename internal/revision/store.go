package revision

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/contextd/contextd/internal/githist"
	"github.com/contextd/contextd/internal/sandbox"
)

// Options of a Store.
type Options struct {
	Dir       string // absolute; all trees lie in it
	Trees     int    // kept of one repository; 0 means 8
	Bytes     int64  // of all trees and their indexes; 0 means 2.5 GB
	MaxFiles  int    // of one tree; 0 means 100,000
	TreeBytes int64  // of the files of one tree; 0 means 1 GB
	Sandbox   sandbox.Options
	Log       *slog.Logger // nil: none
}

// WithDefaults fills what is zero.
func (o Options) WithDefaults() Options {
	o.Trees = cmp.Or(o.Trees, 8)
	o.Bytes = cmp.Or(o.Bytes, 2_500_000_000)
	o.MaxFiles = cmp.Or(o.MaxFiles, 100_000)
	o.TreeBytes = cmp.Or(o.TreeBytes, 1_000_000_000)
	o.Sandbox = o.Sandbox.WithDefaults()
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return o
}

// Store keeps trees. Safe for concurrent use, by several processes too.
type Store struct{ opts Options }

// DirIn is the folder of the trees below a state directory.
func DirIn(stateDir string) string { return filepath.Join(stateDir, "revisions") }

// New makes a Store. It makes no files.
func New(o Options) *Store { return &Store{o.WithDefaults()} }

// The names of a tree's parts, of the lock of a repository, and how folders begin that are written or removed.
const (
	filesDir  = "files"
	indexDir  = "index"
	blobsFile = "blobs"
	readyFile = "ready"
	lockFile  = "lock"
	writing   = ".new-"
	removing  = ".gone-"
)

// again is how often a lock that another process holds is tried for.
const again = 20 * time.Millisecond

// maxTries is how often a tree is written out whose repository changes meanwhile.
const maxTries = 3

// Open gives the tree of the commit that a name means in the repository of the real path root, and waits while another
// process makes it. Close releases it; where it is not Ready, its index is to be made first. A *githist.RevisionError
// says that the name is at fault.
func (s *Store) Open(ctx context.Context, root, name string) (*Tree, error) {
	rev, err := githist.FindRevision(ctx, root, name, githist.Options{Allowed: s.opts.Sandbox.Allowed})
	if err != nil {
		return nil, err
	}
	t := &Tree{Name: name, Commit: rev.Commit, store: s,
		dir: filepath.Join(s.opts.Dir, short(rev.Objects), rev.Tree+"-"+s.limits())}
	if exists(filepath.Join(t.dir, readyFile)) {
		if ok, err := t.share(ctx); err != nil || ok && t.Ready() {
			return t, err
		}
		t.release() // it was removed meanwhile
	}
	if err := t.make(ctx, rev); err != nil {
		t.release()
		return nil, fmt.Errorf("keep revision %q: %w", name, err)
	}
	return t, nil
}

// limits tells the limits apart that leave files out.
func (s *Store) limits() string {
	return short(fmt.Sprint(s.opts.MaxFiles, s.opts.TreeBytes, s.opts.Sandbox.MaxFileBytes))[:8]
}

// short is a hash of text for the name of a folder.
func short(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// make locks the repository and the tree, and writes the tree out where it is not there.
func (t *Tree) make(ctx context.Context, rev githist.Revision) error {
	above := filepath.Dir(t.dir)
	if err := os.MkdirAll(above, 0o700); err != nil {
		return err
	}
	t.making = flock.New(filepath.Join(above, lockFile), flock.SetPermissions(0o600))
	if _, err := t.making.TryLockContext(ctx, again); err != nil {
		return fmt.Errorf("lock %q: %w", above, err)
	}
	if ok, err := t.share(ctx); err != nil || !ok {
		return fmt.Errorf("lock %q: %w", t.dir, cmp.Or(err, errors.New("removed meanwhile")))
	}
	if t.Ready() { // another process made it meanwhile
		return t.unlockMaking()
	}
	t.clean(above)
	if exists(t.dir) { // whoever wrote it was ended before its index was made
		return nil
	}
	for try := 1; ; try++ {
		if err := t.write(ctx, rev); try == maxTries || !errors.Is(err, githist.ErrChanged) {
			return err
		}
	}
}

// clean removes what processes that were ended left of trees; the caller has locked the repository.
func (t *Tree) clean(above string) {
	list, err := os.ReadDir(above)
	for _, e := range list {
		if strings.HasPrefix(e.Name(), writing) || strings.HasPrefix(e.Name(), removing) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(above, e.Name())))
		}
	}
	if err != nil {
		t.store.opts.Log.Debug("parts of revisions not removed", "error", err)
	}
}

// share locks the tree against removal. ok is false where its lock was removed as it was taken.
func (t *Tree) share(ctx context.Context) (ok bool, err error) {
	for range 10 {
		t.lock = flock.New(t.dir+".lock", flock.SetPermissions(0o600))
		if _, err := t.lock.TryRLockContext(ctx, again); err != nil {
			return false, err
		}
		if locks(t.lock) {
			return true, nil
		}
		_ = t.lock.Close()
	}
	return false, nil
}

// locks reports whether a lock holds the file that stands at its path now.
func locks(lock *flock.Flock) bool {
	mine, err := lock.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(lock.Path())
	return err == nil && os.SameFile(mine, now)
}

// size is the bytes that all files below dir take.
func size(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what is gone takes nothing
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			n += info.Size()
		}
		return nil
	})
	return n
}
