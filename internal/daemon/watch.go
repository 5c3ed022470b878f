package daemon

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/watch"
)

// missingRootRetry is the pause between two checks for a watched folder that is missing.
const missingRootRetry = time.Second

// resolveWatched sets d.watch to the real paths of the folders to watch. A missing folder is logged and watched once it
// appears: a disk that is not mounted yet must not stop the work on the others. If all are missing, resolveWatched
// returns an error: most likely a name is wrong.
func (d *daemon) resolveWatched() error {
	var missing error
	there := 0
	for _, dir := range d.opts.Watch {
		path, err := d.realRoot(dir)
		switch {
		case errors.Is(err, sandbox.ErrMissing):
			missing = errors.Join(missing, err)
			if path, err = filepath.Abs(dir); err != nil {
				return err
			}
			path = realParent(path)
			d.log.Warn("a watched folder is missing", obs.KeyRoot, path, "hint", "it is taken up when it comes")
		case err != nil:
			return err
		default:
			there++
			if given, err := filepath.Abs(dir); err == nil && given != path {
				d.log.Warn("a watched folder is named through a link: what it leads to now is watched, also once the link leads elsewhere",
					"watch", dir, obs.KeyRoot, path, "hint", "restart the daemon after the link was changed")
			}
		}
		if !slices.Contains(d.watch, path) {
			d.watch = append(d.watch, path)
		}
	}
	if there == 0 {
		return missing
	}
	return nil
}

// realRoot returns the real path of a folder that may be watched.
func (d *daemon) realRoot(dir string) (string, error) {
	root, err := sandbox.Open(dir, d.opts.Sandbox)
	if err != nil {
		return "", err
	}
	return root.Path(), root.Close()
}

// realParent resolves the links in the part of a path that exists.
func realParent(path string) string {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			rest, _ := filepath.Rel(dir, path) // dir is above path
			return filepath.Join(real, rest)
		}
		if dir == filepath.Dir(dir) {
			return path
		}
	}
}

// watchRoot carries the changes of a root to the queue until ctx ends, once the root is there.
func (d *daemon) watchRoot(ctx context.Context, watcher *watch.Watcher, root string) {
	var pumps []*pump // one a server: what one does not take holds up no other
	var running sync.WaitGroup
	for _, one := range d.all {
		p := newPump(one, root)
		pumps = append(pumps, p)
		running.Go(func() { p.run(ctx) })
	}
	add := func(paths []code.Path, rescan bool) {
		for _, p := range pumps {
			p.add(paths, rescan)
		}
	}
	for {
		err := watcher.Watch(ctx, root, add)
		if err == nil {
			break // ctx has ended
		}
		if !errors.Is(err, sandbox.ErrMissing) {
			d.log.Debug("not watched yet", obs.KeyRoot, root, obs.KeyError, err)
		}
		t := time.NewTimer(missingRootRetry)
		select {
		case <-ctx.Done():
		case <-t.C:
		}
		t.Stop()
		if ctx.Err() != nil {
			break
		}
	}
	running.Wait()
}
