package freshness

import (
	"context"
	"fmt"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/presence"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/servers"
)

// askEvery is how often a project's refresh is asked for at most.
const askEvery = 10 * time.Second

// Waiting is what waits to be indexed: of a target, and in all.
func (k *Keeper) Waiting(ctx context.Context, t access.Target) (queue.Backlog, error) {
	list, err := k.store.Waiting(ctx, "") // a full intake takes long to read: once
	err = servers.ForOwner(err, t.Project)
	return queue.BacklogOf(list, func(x queue.Waiting) bool { return isOf(x, t) }), err
}

// isOf reports whether what waits is of a target's root.
func isOf(x queue.Waiting, t access.Target) bool {
	return x.Project == t.IndexID() && (x.Root == "" || x.Root == t.Root) || x.Project == t.Project && queue.SameRoot(x.Root, t.Root)
}

// waitsFor tells what waits for a target's root; messages of an intake too long to be looked at may be among it.
func (k *Keeper) waitsFor(ctx context.Context, t access.Target) (paths int, any bool, err error) {
	list, err := k.store.Waiting(ctx, t.IndexID())
	for _, x := range list {
		if isOf(x, t) || x.Root == "" {
			paths, any = paths+x.Paths, true
		}
	}
	return paths, any, err
}

// Ask asks a daemon that covers the root of a project for a refresh, once in a while: of paths, or of all if paths is
// nil.
func (k *Keeper) Ask(ctx context.Context, project, root string, paths []code.Path) {
	if err := k.ask(context.WithoutCancel(ctx), project, root, paths); err != nil {
		k.log.Debug("refresh not asked for", "project", project, "error", err)
	}
}

// AskModel asks it to look whether the embedder makes vectors of another length than the index holds, as a question has
// found.
func (k *Keeper) AskModel(ctx context.Context, t access.Target) {
	err := k.askOnce(context.WithoutCancel(ctx), backend.ModelMark(t.IndexID()), backend.ModelMarkFor,
		queue.Request{Project: t.Project, Root: t.Root})
	if err != nil {
		k.log.Debug("look at the model not asked for", "project", t.IndexID(), "error", err)
	}
}

func (k *Keeper) ask(ctx context.Context, project, root string, paths []code.Path) error {
	return k.askOnce(ctx, "ask:"+code.RootIndexID(project, root), askEvery, queue.Request{Project: project, Root: root, Paths: paths})
}

// askOnce is pushOnce where a daemon covers the root.
func (k *Keeper) askOnce(ctx context.Context, name string, every time.Duration, req queue.Request) error {
	ctx, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancel()
	daemons, err := k.store.Daemons(ctx)
	if err != nil || !presence.Covers(daemons, req.Root) {
		return err
	}
	_, err = k.pushOnce(ctx, name, every, req)
	return err
}

// pushOnce puts a request into the queue, unless one under the same name came within the time before, from whatever
// process. asked is false then.
func (k *Keeper) pushOnce(ctx context.Context, name string, every time.Duration, req queue.Request) (asked bool, err error) {
	if first, err := k.store.Once(ctx, req.Project, name, every); err != nil || !first {
		return false, err
	}
	q, err := k.store.Queue()
	if err != nil {
		return false, err
	}
	req.At = time.Now()
	if _, err = q.Push(ctx, req); err != nil {
		return false, fmt.Errorf("ask for a refresh of project %q: %w", req.Project, err)
	}
	return true, nil
}
