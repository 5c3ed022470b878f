package eviction

import (
	"context"
	"errors"
	"time"

	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/search"
)

// Asker is who wanted the project that was just written.
type Asker int

// The kinds of Asker.
const (
	Client   Asker = iota // a question or a request, which anybody may send who reaches the store or the server
	Operator              // who runs the processes
)

// Evict removes whole projects until the indexes are within MaxBytes and, on Redis, the server is within 90 % of its
// maxmemory, as far as that is up to indexes. Damaged copies of files go first. keep, which has just been written,
// stays, and so does what another process is writing. For the room of keep itself nothing goes that was there before it
// and is in use: the limit is exceeded by this one newcomer then, until the next project is written and the newcomer is
// no longer spared. The order is that of sortForEviction, or if the operator wanted keep, by a command or as a watched
// folder, least recently queried first without such a privilege.
func (e *Evictor) Evict(ctx context.Context, keep string, by Asker) error {
	e.notes.brought(ctx, keep, time.Now())
	r, err := e.rooms.look(ctx, keep)
	if err != nil {
		return err
	}
	size, err := r.over(ctx)
	if err != nil || size <= 0 {
		return err
	}
	projects, err := e.opts.Index.Projects(ctx)
	if err != nil {
		return err
	}
	now := time.Now()
	uses, err := e.uses(ctx, projects, now)
	if err != nil {
		return err
	}
	if by == Operator {
		sortLeastRecent(projects, uses)
	} else {
		sortForEviction(projects, uses, now)
	}
	newcomer, err := r.size(ctx, keep)
	if err != nil {
		return err
	}
	for _, p := range projects {
		if size <= 0 {
			return nil
		}
		if p.ID == keep {
			continue
		}
		if u := uses[p.ID]; by == Client && size <= newcomer && u.lately(now) && u.brought.Before(uses[keep].brought) {
			break
		}
		var locked *search.LockedError
		if err := e.opts.Index.Remove(ctx, p.ID, 0); errors.As(err, &locked) {
			continue
		} else if err != nil {
			return err
		}
		e.opts.Log.Info("project removed: the state was over its limit", obs.KeyProject, p.ID, "over", size,
			"limit", e.opts.MaxBytes)
		e.Forget(ctx, p.ID)
		e.opts.Removed(ctx, p.ID)
		r.removed(ctx, p.ID)
		if size, err = r.over(ctx); err != nil {
			return err
		}
	}
	if size > 0 {
		e.warnOnce("the state is over its limit, and what is left is in use or being written", "over", size,
			"limit", e.opts.MaxBytes,
			"hint", "raise --max-state-bytes, or remove projects with: indexer reset --project ID")
	}
	return nil
}
