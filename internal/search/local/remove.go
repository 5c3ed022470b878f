package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// Remove forgets a project; see search.Index.
func (ix *Index) Remove(ctx context.Context, project string, wait time.Duration) error {
	dir := ix.folder(project)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	l, err := lock(ctx, dir, lockName, project, wait)
	if err != nil {
		return err
	}
	ix.cache.forget(dir)
	err = removeFolder(dir)
	_ = l.Unlock()
	if runtime.GOOS == "windows" { // where the lock's file could not go while it was open
		_ = os.RemoveAll(dir)
	}
	if err != nil {
		return fmt.Errorf("remove project %q: %w", project, err)
	}
	return nil
}

// removeFolder removes a project's folder, the switch first and the lock last.
func removeFolder(dir string) error {
	if err := os.Remove(filepath.Join(dir, currentName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range list {
		if f.Name() != lockName && f.Name() != nextLockName {
			if err := os.RemoveAll(filepath.Join(dir, f.Name())); err != nil {
				return err
			}
		}
	}
	for range 3 { // a Writer of the next version may still be making files
		if err = os.RemoveAll(dir); err == nil || runtime.GOOS == "windows" {
			return nil
		}
	}
	return err
}
