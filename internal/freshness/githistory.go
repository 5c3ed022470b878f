package freshness

import (
	"context"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/githist"
)

// historyTime bounds the reading of a git history behind an answer.
const historyTime = 8 * time.Second

// deferGitHistory notes that a project's git history is to be looked at once the answer is out.
func (k *Keeper) deferGitHistory(t access.Target) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.owed = append(k.owed, t)
}

// Afterwards does what has to wait until an answer is out: it reads the git history of the projects that were indexed
// before their answer. For commands; a server does it behind its answers.
func (k *Keeper) Afterwards(ctx context.Context) {
	k.mu.Lock()
	owed := k.owed
	k.owed = nil
	k.mu.Unlock()
	for _, t := range owed {
		k.keepHistory(ctx, t)
	}
}

func (k *Keeper) keepHistory(ctx context.Context, t access.Target) {
	err := githist.Keep(ctx, k.store.Index, t.IndexID(), t.Root, githist.Options{Timeout: historyTime, Allowed: k.access.Allowed()})
	if err != nil && ctx.Err() == nil {
		k.log.Info("git history not read", "project", t.IndexID(), "error", err)
	}
}
