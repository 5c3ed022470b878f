package backend

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"github.com/contextd/contextd/internal/breaker"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/presence"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/servers"
)

// Limits are what may wait, see package queue.
type Limits = queue.Limits

// Limits are those that b was opened with.
func (b *Backend) Limits() Limits { return b.opts.Limits }

// State is a project with what waits for it.
type State struct {
	search.Project
	Pending int           // waiting changes; a rescan counts 1
	Oldest  time.Duration // age of the oldest of them
	Off     time.Time     // code is left out of contexts until then, for finding it was slow; zero: it is not
	// a change waits for more than Limits.StaleAfter, the last refresh failed, or a daemon holds changes back
	Stale bool
}

// Projects lists the roots of all projects, or of the one with an id, in order of their indexes' ids: those of the
// index, and those that only wait. Where some of several servers do not answer, those of the others come with a
// *servers.Fault.
func (b *Backend) Projects(ctx context.Context, id string) ([]State, error) {
	// The queue first: what is done between the two looks then counts as waiting still, while the other way round a
	// root would have nothing waiting and its index of before.
	waiting, fault := b.Waiting(ctx, "") // of all its roots
	if fault != nil && !servers.Partial(fault) {
		return nil, fault
	}
	indexed, err := b.Index.Projects(ctx)
	if err != nil && !servers.Partial(err) {
		return nil, err
	}
	if fault == nil {
		fault = err
	}
	for i := range waiting {
		if waiting[i].Project == "" { // it may be of any project
			waiting[i].Project = id
		}
	}
	states := States(indexed, waiting, id, b.opts.Limits.StaleAfter)
	b.markOff(ctx, states)
	if id != "" {
		fault = servers.ForOwner(fault, id)
	}
	b.markHeldBack(ctx, states)
	return states, fault
}

// markHeldBack marks as stale what the daemon of this state directory watches and cannot tell its server of.
func (b *Backend) markHeldBack(ctx context.Context, states []State) {
	var daemons []presence.Daemon
	for _, one := range b.Servers() {
		if !presence.HeldBack(b.opts.StateDir, one.Server()) {
			continue
		}
		if daemons == nil {
			var err error
			if daemons, err = b.Daemons(ctx); err != nil {
				return
			}
		}
		for i := range states {
			if b.of(states[i].ID) == one && presence.Watches(daemons, states[i].Root) {
				states[i].Stale = true
			}
		}
	}
}

// markOff notes of which projects code is left out of contexts. Where that cannot be read nothing is noted: it is no
// part of an index.
func (b *Backend) markOff(ctx context.Context, states []State) {
	docs, err := b.ExistingDocuments()
	if docs == nil || err != nil {
		return
	}
	slow, err := breaker.Projects(ctx, docs)
	if err != nil {
		b.opts.Log.Debug("slow projects not known", "error", err)
		return
	}
	now := time.Now()
	for i := range states {
		if s := slow[states[i].ID]; s.Off(now) {
			states[i].Off = s.Until
		}
	}
}

// States joins what is indexed with what waits. A project is stale when its oldest change waits for more than
// staleAfter.
func States(indexed []search.Project, waiting []queue.Waiting, id string, staleAfter time.Duration) []State {
	byID := map[string]*State{}
	for _, p := range indexed {
		byID[p.ID] = &State{Project: p, Stale: p.Failed != ""}
	}
	for _, w := range waiting {
		root := w.Root
		if real, err := filepath.EvalSymlinks(root); root != "" && err == nil {
			root = real
		}
		index := w.Project
		if root != "" {
			index = search.IndexOf(indexed, index, root)
		}
		s := byID[index]
		if s == nil && w.Root == "" {
			continue // not known to be a project
		}
		if s != nil && s.Root != root && root != "" { // two roots wait whose indexes are not chosen yet
			index = code.RootIndexID(index, root)
			s = byID[index]
		}
		if s == nil {
			s = &State{Project: search.Project{ID: index, Root: w.Root}}
			byID[index] = s
		}
		s.Pending, s.Oldest = s.Pending+w.Paths, max(s.Oldest, w.Oldest)
		s.Stale = s.Stale || w.Paths > 0 && w.Oldest > staleAfter || w.Broken != ""
		if w.Broken != "" {
			s.Failed = w.Broken
		}
	}
	all := []State{}
	for _, s := range byID {
		if id == "" || s.ProjectID() == id {
			all = append(all, *s)
		}
	}
	slices.SortFunc(all, func(a, b State) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// Mark is a point in the order of requests for Settle; "" where there is no queue yet.
func (b *Backend) Mark(ctx context.Context) (string, error) {
	q, err := b.look()
	if q == nil || err != nil {
		return "", err
	}
	return q.Mark(ctx)
}

// Pushed is how many requests came since the queue was begun; 0 where there is no queue yet, or it does not tell.
func (b *Backend) Pushed(ctx context.Context) (int64, error) {
	q, err := b.look()
	if q == nil || err != nil {
		return 0, err
	}
	return q.Pushed(ctx)
}

// Claimed is how many claims of projects there were since the queue was begun; 0 where there is no queue yet.
func (b *Backend) Claimed(ctx context.Context) (int64, error) {
	q, err := b.look()
	if q == nil || err != nil {
		return 0, err
	}
	return q.Claimed(ctx)
}

// Settle drops what was asked before mark for a project and a root that has just been brought up to date.
func (b *Backend) Settle(ctx context.Context, project, root, mark string) error {
	q, err := b.look()
	if q == nil || err != nil || mark == "" {
		return err
	}
	return q.DropUntil(ctx, project, root, mark)
}

// NoteFailure records in the index that a refresh failed, unless it only came too early or was stopped. A failure to do
// so is logged.
func (b *Backend) NoteFailure(ctx context.Context, project string, cause error) {
	var locked *search.LockedError
	if errors.As(cause, &locked) || errors.Is(cause, search.ErrLost) || errors.Is(cause, context.Canceled) {
		return
	}
	why := cause.Error()
	if Full(cause) {
		why = search.StoreFull + ": " + why
	}
	if err := b.Index.Fail(ctx, project, why); err != nil {
		b.opts.Log.Debug("failure not recorded", "project", project, "error", err)
	}
}

// Forget removes what waits for a project, dead letters too; of all projects if it is "".
func (b *Backend) Forget(ctx context.Context, project string) error {
	q, err := b.look()
	if q == nil || err != nil {
		return err
	}
	return q.Forget(ctx, project)
}
