package watch

import (
	"context"
	"errors"
	"syscall"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/sandbox"
)

// outOfWatches reports whether err says that the system has no more watches to give.
func outOfWatches(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// outOfWatches says so, once for all roots.
func (s *session) outOfWatches(err error) {
	w := s.w
	w.mu.Lock()
	first := !w.warned
	w.warned = true
	w.mu.Unlock()
	if first {
		w.log.Warn("no more file watches: changes are found by walking the root every few seconds", obs.KeyRoot, s.root.Path(), obs.KeyError, err,
			"hint", "raise the limits, e.g. sysctl fs.inotify.max_user_watches=1048576 fs.inotify.max_user_instances=1024")
	}
}

// pollRoot walks the root every few seconds and reports what differs, until ctx ends or the root is replaced.
func (s *session) pollRoot(ctx context.Context) {
	s.w.cover(s.dir, Polling)
	var last *sandbox.Tree
	for pause := time.Duration(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		if s.root.Replaced() {
			return
		}
		began := time.Now()
		tree, err := s.root.Walk(ctx)
		pause = max(s.w.poll, 20*time.Since(began))
		if err != nil {
			continue
		}
		if last == nil {
			s.report(nil, true)
		} else if changed := differ(last.Files, tree.Files); len(changed) > maxBatch {
			s.report(nil, true)
		} else if len(changed) > 0 {
			s.report(changed, false)
		}
		last = tree
	}
}

// differ gives the paths that only one of two sorted lists holds, or both with other facts.
func differ(a, b []sandbox.File) []code.Path {
	var changed []code.Path
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].Path < b[0].Path:
			changed, a = append(changed, a[0].Path), a[1:]
		case len(a) == 0 || b[0].Path < a[0].Path:
			changed, b = append(changed, b[0].Path), b[1:]
		default:
			if a[0] != b[0] {
				changed = append(changed, a[0].Path)
			}
			a, b = a[1:], b[1:]
		}
	}
	return changed
}
