package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/store"
)

// Aside lists the damaged files that were set aside beside the file at path, oldest first.
func Aside(path string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var found []string
	for _, e := range entries { // ReadDir sorts
		if ok, _ := filepath.Match("*.bad-????????T??????.??????Z", e.Name()); ok &&
			e.Name()[:len(e.Name())-len(".bad-20060102T150405.000000Z")] == filepath.Base(path) {
			found = append(found, filepath.Join(filepath.Dir(path), e.Name()))
		}
	}
	return found, err
}

// setAside moves the damaged file and its WAL away and says so.
func (s *Store) setAside(path string, cause error) (said, failed error) {
	aside := fmt.Sprintf("%s.bad-%s", path, s.now().UTC().Format("20060102T150405.000000Z"))
	if _, err := os.Lstat(aside); err == nil {
		return nil, fmt.Errorf("%q is there already", aside)
	}
	// The file last: whoever is stopped in between finds it damaged still, and the WAL, which is good for it alone,
	// beside it.
	for _, tail := range []string{"-shm", "-wal", ""} {
		if err := os.Rename(path+tail, aside+tail); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	s.log.Warn("documents were damaged, set aside and begun again", obs.KeyPath, aside, obs.KeyError, cause)
	return &store.DamagedError{Path: path, Aside: aside, Cause: cause}, nil
}
