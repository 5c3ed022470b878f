package freshness

import (
	"context"
	"time"

	"github.com/contextd/contextd/internal/access"
)

// Idle waits until no run is under way.
func (k *Keeper) Idle() { k.runs.Wait() }

// Rest is when the next run of a project may begin.
func (k *Keeper) Rest(project string) time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.next[project].after
}

// Pretend makes a project look as if a run were under way.
func (k *Keeper) Pretend(project string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.next[project] = pace{running: true}
}

// Again reports whether the run of a project is to be followed by another.
func (k *Keeper) Again(project string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.next[project].again
}

// Run is one run behind an answer.
func (k *Keeper) Run(t access.Target) (again bool) { return k.run(t) }

// Poll calls done as a wait for a generation looks at a record.
func Poll(ctx context.Context, done func() bool) { poll(ctx, pollMost, done) }
