package daemon

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v4"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/queue"
)

// pump pushes the changes of one watched root to the queue. While the queue does not take them they are kept in memory
// and merged with later ones: none is lost, and the watcher is never blocked.
type pump struct {
	d    *daemon
	root string
	wake chan struct{} // one slot

	mu     sync.Mutex
	paths  map[code.Path]bool
	rescan bool
}

func newPump(d *daemon, root string) *pump {
	return &pump{d: d, root: root, wake: make(chan struct{}, 1), paths: map[code.Path]bool{}}
}

// add adds changes that the watcher reported.
func (p *pump) add(paths []code.Path, rescan bool) {
	p.mu.Lock()
	for _, path := range paths {
		p.paths[path] = true
	}
	p.rescan = p.rescan || rescan || len(p.paths) > queue.MaxPaths
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// takeAll removes and returns all changes. nil paths ask for a rescan.
func (p *pump) takeAll() (paths []code.Path, any bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	any = p.rescan || len(p.paths) > 0
	if !p.rescan {
		for path := range p.paths {
			paths = append(paths, path)
		}
	}
	p.paths, p.rescan = map[code.Path]bool{}, false
	return paths, any
}

// count returns the number of changes that wait in the pump; a rescan counts 1.
func (p *pump) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rescan {
		return 1
	}
	return len(p.paths)
}

// run pushes until ctx ends. A push that fails is repeated after 0.2 s to 5 s.
func (p *pump) run(ctx context.Context) {
	wait := backoff.NewExponentialBackOff(backoff.WithInitialInterval(200*time.Millisecond),
		backoff.WithMaxInterval(5*time.Second), backoff.WithMaxElapsedTime(0))
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.wake:
		}
		paths, any := p.takeAll()
		if !any {
			continue
		}
		err := p.push(ctx, paths)
		if err == nil {
			wait.Reset()
			p.d.held.clear(p.root)
			continue
		}
		p.add(paths, paths == nil)
		if ctx.Err() == nil {
			p.d.held.add(p.root, p.count(), err)
		}
		t := time.NewTimer(wait.NextBackOff())
		select {
		case <-ctx.Done():
			t.Stop()
			return
		case <-t.C:
		}
	}
}

// push requests a refresh of each project that has this root.
func (p *pump) push(ctx context.Context, paths []code.Path) error {
	within, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	ids, err := p.d.indexesOf(within, p.root)
	if err != nil {
		return err
	}
	_, gone := os.Stat(p.root)
	for _, id := range ids {
		if gone != nil {
			p.d.opts.Backend.NoteFailure(within, id, gone) // the watcher tells when it is back
			continue
		}
		if err := p.d.requestRefresh(ctx, queue.Request{Project: id, Root: p.root, Paths: paths}); err != nil {
			return err
		}
	}
	return nil
}
