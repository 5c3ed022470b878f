package ingest

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// Rebuilds builds next versions behind the refreshes that keep fresh what serves, one a project. Safe for concurrent
// use.
type Rebuilds struct {
	turns chan struct{} // one for each that is at work
	wg    sync.WaitGroup
	mu    sync.Mutex
	wake  map[string]chan struct{} // by project: one slot, which ends a wait for the next try; guarded by mu
}

// NewRebuilds returns one that builds so many at once.
func NewRebuilds(atOnce int) *Rebuilds {
	return &Rebuilds{turns: make(chan struct{}, atOnce), wake: map[string]chan struct{}{}}
}

// Start builds the next version of a project with in. One that is being built goes on; one that waits for another try
// makes it now. ended is told how each try ended, unless ctx has, and says how long to wait before the next; 0: there is
// none.
func (b *Rebuilds) Start(ctx context.Context, in *Ingester, r Request, ended func(*Report, error) time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if wake := b.wake[r.Project]; wake != nil {
		select {
		case wake <- struct{}{}:
		default:
		}
		return
	}
	wake := make(chan struct{}, 1)
	b.wake[r.Project] = wake
	r.Next = true
	b.wg.Go(func() {
		for pause := time.Duration(1); pause > 0 && ctx.Err() == nil; {
			select {
			case <-time.After(pause):
			case <-wake:
			case <-ctx.Done():
			}
			pause = b.try(ctx, in, r, ended)
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.wake, r.Project)
	})
}

// try makes one try in its turn.
func (b *Rebuilds) try(ctx context.Context, in *Ingester, r Request, ended func(*Report, error) time.Duration) time.Duration {
	select {
	case b.turns <- struct{}{}:
	case <-ctx.Done():
		return 0
	}
	rep, err := refreshSafely(ctx, in, r)
	<-b.turns
	if ctx.Err() != nil { // what was made is kept
		return 0
	}
	return ended(rep, err)
}

// refreshSafely is Refresh, and a panic is an error.
func refreshSafely(ctx context.Context, in *Ingester, r Request) (rep *Report, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("rebuild project %q: panic: %v\n%s", r.Project, p, debug.Stack())
		}
	}()
	return in.Refresh(ctx, r)
}

// Wait waits until all have ended, as they do soon after their ctx.
func (b *Rebuilds) Wait() { b.wg.Wait() }
