package sandbox

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/obs"
)

var isAgentFile = set(agentFiles)

// unreported are reasons that a change of the file itself cannot lift: its events are noise.
var unreported = map[code.Reason]bool{code.NameEncoding: true, code.VCS: true, code.Worktree: true, code.Ignored: true,
	code.SecretName: true, code.Vendored: true, code.BuildOutput: true, code.Lockfile: true}

// cover puts a watch on each folder that a walk enters, on git's own folders, and on the folders above the root as far as
// their ignore files count. Watches that stand already cost nothing.
func (s *session) cover(ctx context.Context) error {
	r := s.root
	sc := r.newScan()
	var mu sync.Mutex
	var found []string
	w := newWalker(sc)
	w.dirs = func(rel string) {
		mu.Lock()
		defer mu.Unlock()
		found = append(found, r.abs(rel))
	}
	if err := r.list("", sc.prefix, &w.first); err != nil {
		return nil // the root went away: its event comes
	}
	d, _ := sc.top(&w.first)
	w.scanDir(&node{full: sc.prefix}, d, &w.first)
	if err := w.run(ctx); outOfWatches(err) {
		return err
	} else if err != nil {
		return nil // ctx has ended
	}
	s.beside, s.gitDirs = map[string]bool{}, map[string]bool{}
	outside := []string{filepath.Dir(r.path)}
	for repo := range sc.repos(d.repo) {
		s.beside[filepath.Join(repo.gitDir, "index")] = true
		s.beside[filepath.Join(repo.gitDir, "HEAD")] = true
		info := filepath.Join(repo.commonDir, "info")
		s.beside[filepath.Join(info, "exclude")] = true
		s.gitDirs[repo.gitDir], s.gitDirs[info] = true, true
		outside = append(outside, repo.gitDir, info)
	}
	for up, rest := filepath.Dir(r.path), sc.prefix; rest != ""; up = filepath.Dir(up) {
		s.beside[filepath.Join(up, ".gitignore")] = true
		outside = append(outside, up)
		rest = rest[:strings.LastIndexByte(strings.TrimSuffix(rest, "/"), '/')+1]
	}
	found = append(found, outside...)
	wanted := set(found)
	for dir := range s.watched {
		if !wanted[dir] { // ignored since
			delete(s.watched, dir)
			s.fs.Remove(dir) // an error says that it is gone already
		}
	}
	return s.watch(found...)
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
	asked := make([]code.Path, 0, len(batch))
	for path := range batch {
		asked = append(asked, path)
	}
	for len(asked) > 0 {
		p := s.root.newProber()
		var mu sync.Mutex
		var fresh []string
		p.entered = func(rel string) {
			mu.Lock()
			defer mu.Unlock()
			if abs := s.root.abs(rel); !s.watched[abs] {
				fresh = append(fresh, abs)
			}
			if removed[rel] { // it stands where another folder stood, of whose files no event may have told
				changed[rel] = true
			}
		}
		tree, err := p.walkPaths(ctx, asked)
		if err != nil {
			return nil // ctx has ended
		}
		for _, f := range tree.Files {
			changed[f.Path] = true
		}
		for _, k := range tree.Skipped {
			if !unreported[k.Reason] && !(k.Reason == code.Missing && p.unwanted(k.Path)) {
				changed[k.Path] = true
			}
		}
		// Files that came into a new folder before it had a watch are found by looking again.
		if err := s.watch(fresh...); err != nil {
			return err
		}
		asked = asked[:0]
		for _, dir := range fresh {
			if rel, ok := s.root.below(dir); ok && s.watched[dir] {
				asked = append(asked, rel)
			}
		}
	}
	switch {
	case len(changed) > maxBatch:
		s.report(nil, true)
	case len(changed) > 0:
		list := make([]code.Path, 0, len(changed))
		for path := range changed {
			list = append(list, path)
		}
		slices.Sort(list)
		s.report(list, false)
	}
	return nil
}
