package backend

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/search"
)

// queriedDir holds an empty file for each project; its time is that of the project's last query.
const queriedDir = "queried"

func (b *Backend) queriedFile(project string) string {
	sum := sha256.Sum256([]byte(project))
	return filepath.Join(b.opts.StateDir, queriedDir, hex.EncodeToString(sum[:8]))
}

// Queried notes that a project was queried just now, for Evict. Nothing is noted on Redis, or where nothing can be written.
func (b *Backend) Queried(project string) {
	if b.Name != Embedded {
		return
	}
	path, now := b.queriedFile(project), time.Now()
	if os.Chtimes(path, now, now) == nil {
		return
	}
	if _, err := os.Stat(filepath.Join(b.opts.StateDir, projectsDir)); err != nil {
		return // nothing is indexed, so nothing can go
	}
	if os.MkdirAll(filepath.Dir(path), 0o700) == nil {
		_ = os.WriteFile(path, nil, 0o600) // without it the project counts as never queried
	}
}

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

// ForgetQueried removes what Queried noted of a project that was removed.
func (b *Backend) ForgetQueried(project string) {
	if b.Name == Embedded {
		_ = os.Remove(b.queriedFile(project)) // KeepQueried finds what is left
	}
}

// Evict removes whole projects, the least recently queried first, until the state directory is within MaxStateBytes; keep,
// which has just been written, stays, and so does what another process is writing. It does nothing on Redis.
func (b *Backend) Evict(ctx context.Context, keep string) error {
	if b.Name != Embedded {
		return nil
	}
	size, err := sizeOf(b.opts.StateDir)
	if err != nil || size <= b.opts.MaxStateBytes {
		return err
	}
	projects, err := b.Index.Projects(ctx)
	if err != nil {
		return err
	}
	last := map[string]time.Time{}
	for _, p := range projects {
		if info, err := os.Stat(b.queriedFile(p.ID)); err == nil {
			last[p.ID] = info.ModTime()
		}
	}
	slices.SortFunc(projects, func(a, b search.Project) int {
		return cmp.Or(last[a.ID].Compare(last[b.ID]), a.IndexedAt.Compare(b.IndexedAt))
	})
	for _, p := range projects {
		if size <= b.opts.MaxStateBytes {
			return nil
		}
		if p.ID == keep {
			continue
		}
		var locked *search.LockedError
		if err := b.Index.Remove(ctx, p.ID, 0); errors.As(err, &locked) {
			continue
		} else if err != nil {
			return err
		}
		b.opts.Log.Info("project removed: the state was over its limit", obs.KeyProject, p.ID, "bytes", size, "limit", b.opts.MaxStateBytes)
		b.ForgetQueried(p.ID)
		if size, err = sizeOf(b.opts.StateDir); err != nil {
			return err
		}
	}
	return nil
}

// sizeOf is the size of all files below dir. What vanishes meanwhile counts nothing.
func sizeOf(dir string) (total int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			var info fs.FileInfo
			if info, err = d.Info(); err == nil {
				total += info.Size()
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("measure %q: %w", dir, bare(err))
	}
	return total, nil
}
