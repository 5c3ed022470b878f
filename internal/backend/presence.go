package backend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/contextd/contextd/internal/owner"
)

// Daemon is a running "indexer run".
type Daemon struct {
	Owner   string   `json:"owner"` // package owner
	Host    string   `json:"host"`
	Backend string   `json:"backend"`
	Roots   []string `json:"roots"`             // the roots it may serve: real paths where they exist
	Watched []string `json:"watched,omitempty"` // the roots it keeps fresh by itself; of the others it refreshes what it is asked for
}

// Watches reports whether one of the daemons keeps the project of root, a real path, fresh. A folder below a watched one is a
// project of its own, which nobody watches.
func Watches(daemons []Daemon, root string) bool {
	return slices.ContainsFunc(daemons, func(d Daemon) bool { return slices.Contains(d.Watched, root) })
}

// Covers reports whether one of the daemons may serve root, a real path: it takes requests for it. Whether it keeps root fresh,
// [Watches] tells.
func Covers(daemons []Daemon, root string) bool {
	for _, d := range daemons {
		for _, allowed := range d.Roots {
			if Within(allowed, root) {
				return true
			}
		}
	}
	return false
}

// Within reports whether path is dir or lies below it; both are absolute and clean.
func Within(dir, path string) bool {
	if dir == path {
		return true
	}
	sep := string(filepath.Separator)
	return strings.HasPrefix(path, strings.TrimSuffix(dir, sep)+sep)
}

const (
	lockFile = "daemon.lock"
	infoFile = "daemon.json"
)

// ErrRunning is returned by Hold when another daemon runs on the state directory.
var ErrRunning = errors.New("another indexer run uses this state directory")

// Hold makes this process the daemon of the state directory until release is called. d says whom others will see.
func Hold(ctx context.Context, stateDir string, d Daemon) (release func(), err error) {
	if err := MakeStateDir(stateDir); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(stateDir, lockFile), flock.SetPermissions(0o600))
	// A process that asks whether a daemon lives holds the lock for an instant, so one try is not enough.
	wait, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	switch ok, err := lock.TryLockContext(wait, 20*time.Millisecond); {
	case ok:
	case err == nil || errors.Is(err, context.DeadlineExceeded):
		by := ""
		if d, err := readInfo(stateDir); err == nil {
			by = " (" + owner.Describe(d.Owner) + ")"
		}
		return nil, fmt.Errorf("lock state directory %q: %w%s", stateDir, ErrRunning, by)
	default:
		return nil, fmt.Errorf("lock state directory %q: %w", stateDir, bare(err))
	}
	data, _ := json.Marshal(d) // strings always encode
	info := filepath.Join(stateDir, infoFile)
	if err := writeFile(info, data); err != nil {
		_ = lock.Unlock()
		return nil, fmt.Errorf("write %q: %w", info, bare(err))
	}
	return func() {
		_ = os.Remove(info) // a file left behind tells nothing without the lock
		_ = lock.Unlock()
	}, nil
}

// held is the daemon that runs on the state directory, if one does and has renewed within RegisterFor: one that hangs keeps nothing
// fresh. It changes nothing.
func held(stateDir string) (Daemon, bool) {
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
	data, err := os.ReadFile(filepath.Join(stateDir, infoFile))
	if err == nil {
		err = json.Unmarshal(data, &d)
	}
	return d, err
}

// MakeStateDir makes the state directory, mode 0700, unless it is there.
func MakeStateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make state directory %q: %w", dir, bare(err))
	}
	return nil
}

// writeFile replaces a file in one step.
func writeFile(path string, data []byte) error {
	tmp := path + ".new"
	if err := os.WriteFile(tmp, data, 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}

// bare is the cause inside of an error of package os, whose text would name the path a second time.
func bare(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
