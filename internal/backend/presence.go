package backend

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/contextd/contextd/internal/sandbox"
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
			if sandbox.Within(allowed, root) {
				return true
			}
		}
	}
	return false
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
