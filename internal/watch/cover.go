package watch

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/obs"
)

// cover puts a watch on each folder of which changes matter. Watches that stand already cost nothing.
func (s *session) cover(ctx context.Context) error {
	x, err := s.root.Extent(ctx)
	if outOfWatches(err) {
		return err
	} else if err != nil {
		return nil // the root went away, its event comes; or ctx has ended
	}
	s.beside, s.gitDirs = x.Beside, x.GitDirs
	wanted := make(map[string]bool, len(x.Folders))
	for _, dir := range x.Folders {
		wanted[dir] = true
	}
	for dir := range s.watched {
		if !wanted[dir] { // ignored since
			delete(s.watched, dir)
			s.fs.Remove(dir) // an error says that it is gone already
		}
	}
	return s.watch(x.Folders...)
}

// watch puts watches on folders. It fails only where the system has no more of them.
func (s *session) watch(dirs ...string) error {
	for _, dir := range dirs {
		if s.watched[dir] {
			continue
		}
		switch err := s.w.add(s.fs, dir); {
		case outOfWatches(err):
			return err
		case err == nil:
			s.watched[dir] = true
		case !errors.Is(err, os.ErrNotExist):
			s.w.log.Debug("watch", obs.KeyPath, dir, obs.KeyError, err)
		}
	}
	return nil
}

// forget drops the watches on dir and below it: it is no longer what it was.
func (s *session) forget(dir string) {
	if !s.watched[dir] {
		return
	}
	for d := range s.watched {
		if d == dir || strings.HasPrefix(d, dir+string(filepath.Separator)) {
			delete(s.watched, d)
			s.fs.Remove(d) // an error says that it is gone already
		}
	}
}

// flush reports the batch, less what rules leave out, and puts watches on new folders.
func (s *session) flush(ctx context.Context) error {
	rescan, batch, removed := s.rescan, s.batch, s.removed
	s.rescan, s.batch, s.removed = false, map[code.Path]bool{}, map[code.Path]bool{}
	if rescan {
		if err := s.cover(ctx); err != nil {
			return err
		}
		s.report(nil, true)
		return nil
	}
	changed := map[code.Path]bool{}
	asked := slices.Collect(maps.Keys(batch))
	for len(asked) > 0 {
		var mu sync.Mutex
		var fresh []string
		found, err := s.root.Affected(ctx, asked, func(rel code.Path) {
			mu.Lock()
			defer mu.Unlock()
			if abs := s.root.Abs(rel); !s.watched[abs] {
				fresh = append(fresh, abs)
			}
			if removed[rel] { // it stands where another folder stood, of whose files no event may have told
				changed[rel] = true
			}
		})
		if err != nil {
			return nil // ctx has ended
		}
		for _, path := range found {
			changed[path] = true
		}
		// Files that came into a new folder before it had a watch are found by looking again.
		if err := s.watch(fresh...); err != nil {
			return err
		}
		asked = asked[:0]
		for _, dir := range fresh {
			if rel, ok := s.root.Rel(dir); ok && s.watched[dir] {
				asked = append(asked, rel)
			}
		}
	}
	switch {
	case len(changed) > maxBatch:
		s.report(nil, true)
	case len(changed) > 0:
		s.report(slices.Sorted(maps.Keys(changed)), false)
	}
	return nil
}
