package presence

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/contextd/contextd/internal/owner"
	"github.com/contextd/contextd/internal/statedir"
	"github.com/contextd/contextd/internal/syserr"
)

const (
	lockFile = "daemon.lock"
	infoFile = "daemon.json"
)

// ErrRunning is returned by Hold and Renew when another daemon runs on the state directory.
var ErrRunning = errors.New("another indexer run uses this state directory")

// Held is a state directory that belongs to the daemon of this process. One goroutine uses it at a time.
type Held struct {
	dir  string
	lock *flock.Flock
	info []byte // daemon.json
}

// Hold makes this process the daemon of the state directory until Release is called. d says whom others will see.
func Hold(ctx context.Context, stateDir string, d Daemon) (*Held, error) {
	h := &Held{dir: stateDir}
	h.info, _ = json.Marshal(d) // strings always encode
	if err := h.take(ctx); err != nil {
		return nil, err
	}
	return h, nil
}

// take makes the directory, locks it and says who holds it. On an error h is as it was.
func (h *Held) take(ctx context.Context) error {
	lock, err := lockStateDir(ctx, h.dir)
	if err != nil {
		return err
	}
	if err := h.announce(); err != nil {
		_ = lock.Unlock()
		return err
	}
	if h.lock != nil {
		_ = h.lock.Unlock() // its file is gone, or elsewhere
	}
	h.lock = lock
	return nil
}

func (h *Held) announce() error {
	path := filepath.Join(h.dir, infoFile)
	if err := statedir.Replace(path, h.info); err != nil {
		return fmt.Errorf("write %q: %w", path, syserr.Cause(err))
	}
	return nil
}

// Renew says that this daemon lives, for RegisterFor, and looks whether the state directory is still the one that h
// holds. If somebody removed or replaced it, h takes the one at its path and makes it where there is none: remade is
// true then. ErrRunning: another daemon has taken it, and h holds nothing that others can see.
func (h *Held) Renew(ctx context.Context) (remade bool, err error) {
	if !h.intact() {
		if err := h.take(ctx); err != nil {
			return false, fmt.Errorf("the state directory was removed or replaced under this daemon: %w", err)
		}
		return true, nil
	}
	switch err := os.Chtimes(filepath.Join(h.dir, infoFile), time.Time{}, time.Now()); {
	case errors.Is(err, os.ErrNotExist):
		return false, h.announce()
	case err != nil:
		return false, fmt.Errorf("renew %q: %w", filepath.Join(h.dir, infoFile), syserr.Cause(err))
	}
	return false, nil
}

// intact reports whether the file that h has locked is the one at its path.
func (h *Held) intact() bool { return locksPath(h.lock, h.dir) }

// Release ends the daemon's hold. It leaves what another daemon has put in its place.
func (h *Held) Release() {
	if h.intact() {
		_ = os.Remove(filepath.Join(h.dir, infoFile)) // a file left behind tells nothing without the lock
	}
	_ = h.lock.Unlock()
}

// lockStateDir makes the directory and locks it.
func lockStateDir(ctx context.Context, dir string) (*flock.Flock, error) {
	// A process that asks whether a daemon lives holds the lock for an instant, so one try is not enough.
	wait, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	for {
		if err := statedir.Make(dir); err != nil {
			return nil, err
		}
		lock := flock.New(filepath.Join(dir, lockFile), flock.SetPermissions(0o600))
		switch ok, err := lock.TryLockContext(wait, 20*time.Millisecond); {
		case ok && locksPath(lock, dir):
			return lock, nil
		case ok: // the directory went away between the opening and the locking
			_ = lock.Unlock()
		case errors.Is(err, os.ErrNotExist) && wait.Err() == nil: // or before
		case err == nil || errors.Is(err, context.DeadlineExceeded):
			by := ""
			if d, err := readInfo(dir); err == nil {
				by = " (" + owner.Describe(d.Owner) + ")"
			}
			return nil, fmt.Errorf("lock state directory %q: %w%s", dir, ErrRunning, by)
		default:
			return nil, fmt.Errorf("lock state directory %q: %w", dir, syserr.Cause(err))
		}
	}
}

// locksPath reports whether lock has locked the file that now stands in dir.
func locksPath(lock *flock.Flock, dir string) bool {
	mine, err := lock.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(filepath.Join(dir, lockFile))
	return err == nil && os.SameFile(mine, now)
}

// Holder is the daemon that runs on the state directory, if one does and has renewed within RegisterFor: one that hangs
// keeps nothing fresh. It changes nothing.
func Holder(stateDir string) (Daemon, bool) {
	d, err := readInfo(stateDir)
	if err != nil || owner.Dead(d.Owner) || !renewed(stateDir) {
		return Daemon{}, false
	}
	lock := flock.New(filepath.Join(stateDir, lockFile), flock.SetFlag(os.O_RDONLY))
	free, err := lock.TryRLock()
	if free {
		_ = lock.Unlock()
	}
	return d, err == nil && !free
}

func renewed(stateDir string) bool {
	info, err := os.Stat(filepath.Join(stateDir, infoFile))
	return err == nil && time.Since(info.ModTime()) < RegisterFor
}

func readInfo(stateDir string) (d Daemon, err error) {
	data, err := statedir.ReadFile(filepath.Join(stateDir, infoFile))
	if err == nil {
		err = json.Unmarshal(data, &d)
	}
	return d, err
}
