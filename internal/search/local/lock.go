package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/contextd/contextd/internal/owner"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/statedir"
)

// lockPoll is how often a writer that waits tries again.
const lockPoll = 20 * time.Millisecond

// ownerWidth pads the name of the holder, so that the next one can write its own over it.
const ownerWidth = 95

// ownerOf is the file that tells who holds a lock.
func ownerOf(lockFile string) string { return strings.TrimSuffix(lockFile, ".lock") + ".owner" }

// lock takes the lock of one version of a project, whose folder it makes, and writes down who holds it.
func lock(ctx context.Context, dir, name, project string, wait time.Duration) (*flock.Flock, error) {
	path := filepath.Join(dir, name)
	for deadline := time.Now().Add(wait); ; {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("wait for the write lock of project %q: %w", project, err)
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("make the folder of project %q: %w", project, err)
		}
		l := flock.New(path)
		held, err := l.TryLock()
		switch {
		case errors.Is(err, fs.ErrNotExist): // the folder was removed just now
			continue
		case err != nil:
			return nil, fmt.Errorf("lock project %q: %w", project, err)
		case held && sameFile(l, path):
			// Who holds it is a courtesy to others: no reason to fail.
			_ = writeInPlace(dir, ownerOf(name), fmt.Appendf(nil, "%-*s\n", ownerWidth, owner.Brief()), noStep)
			return l, nil
		case held: // Remove took the file away between its opening and its locking
			_ = l.Unlock()
			continue
		}
		left := time.Until(deadline)
		if left <= 0 {
			holder, _ := statedir.ReadFile(filepath.Join(dir, ownerOf(name)))
			return nil, &search.LockedError{Project: project, Holder: owner.Describe(strings.TrimSpace(string(holder)))}
		}
		select {
		case <-ctx.Done():
		case <-time.After(min(lockPoll, left)):
		}
	}
}

// sameFile reports whether the file that l has locked is still the one at path: the project may have been removed.
func sameFile(l *flock.Flock, path string) bool {
	mine, err := l.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(path)
	return err == nil && os.SameFile(mine, now)
}

func noStep(string) error { return nil }
