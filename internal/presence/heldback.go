package presence

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/contextd/contextd/internal/syserr"
)

// heldFile is the file that is locked by a daemon while the store does not take the changes that it knows of. A lock takes no room on a
// full disk, needs no Redis, and ends with its process. Each of several servers has one.
func heldFile(server string) string {
	if server == "" {
		return "held.lock"
	}
	sum := sha256.Sum256([]byte(server))
	return "held-" + hex.EncodeToString(sum[:4]) + ".lock"
}

// MarkHeldBack makes the file while there is room, and returns how the daemon of the state directory tells others that
// changes are held back, or no longer.
// server is the name of one of several; "" where there is one store.
func MarkHeldBack(stateDir, server string) (tell func(held bool) error, err error) {
	path := filepath.Join(stateDir, heldFile(server))
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDONLY, 0o600)
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("make %q: %w", path, syserr.Cause(err))
	}
	lock := flock.New(path, flock.SetPermissions(0o600))
	return func(held bool) error {
		var err error
		if held {
			err = lock.Lock() // readers hold it for an instant
		} else {
			err = lock.Unlock()
		}
		if err != nil {
			return fmt.Errorf("lock %q: %w", path, syserr.Cause(err))
		}
		return nil
	}, nil
}

// HeldBack reports whether the daemon of a state directory knows of changes that the store, or one of its servers, does
// not take. It changes nothing.
func HeldBack(stateDir, server string) bool {
	path := filepath.Join(stateDir, heldFile(server))
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return false
	}
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY))
	free, err := lock.TryRLock()
	if free {
		_ = lock.Unlock()
	}
	return err == nil && !free
}
