package backend

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// KeepQueried removes what Queried noted of projects other than those of ids, which are all that the index holds. Young files
// stay: a project may have been made since ids were read.
func (b *Backend) KeepQueried(ids []string) error {
	if b.Name != Embedded {
		return nil
	}
	dir := filepath.Join(b.opts.StateDir, queriedDir)
	files, err := os.ReadDir(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return fmt.Errorf("read %q: %w", dir, bare(err))
	}
	kept := map[string]bool{}
	for _, id := range ids {
		kept[filepath.Base(b.queriedFile(id))] = true
	}
	var errs []error
	for _, f := range files {
		info, err := f.Info()
		if err != nil || kept[f.Name()] || !info.Mode().IsRegular() || time.Since(info.ModTime()) < time.Hour {
			continue
		}
		if err := os.Remove(filepath.Join(dir, f.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("remove what was noted of a query: %w", bare(err)))
		}
	}
	return errors.Join(errs...)
}
