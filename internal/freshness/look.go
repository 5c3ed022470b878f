package freshness

import (
	"context"
	"time"

	"github.com/contextd/contextd/internal/access"
)

// Look is what was done about an index for one answer. It is used by one goroutine.
type Look struct {
	Notes []Note // against the answer, known before it

	keeper  *Keeper
	target  access.Target
	covered coverage
	equal   bool      // the index was compared with the disk after the question came, and was the same
	end     time.Time // of the deadline
}

// Ready sees to the index of a target, before a question about it is answered within deadline. progress, which may be
// nil, is called by First. The error says that there is no index to answer from and none could be made.
func (k *Keeper) Ready(ctx context.Context, t access.Target, deadline time.Duration, when When, progress func(done, total int)) (_ *Look, err error) {
	l := &Look{keeper: k, target: t, end: time.Now().Add(deadline)}
	switch {
	case !k.embedded():
		find, cancel := context.WithTimeout(ctx, deadline/compareShare)
		l.covered = k.coverage(find, t.Project, t.Root)
		cancel()
		if l.covered == covers {
			l.Notes, l.equal = k.compare(ctx, t, deadline, covers)
		}
	case when == First:
		l.covered, l.Notes, err = k.prepare(ctx, t, deadline, progress)
		l.end = time.Now().Add(deadline) // it counts from here
	case when == Behind:
		l.covered, l.Notes = k.behind(ctx, t, deadline)
	}
	if err != nil {
		return nil, err
	}
	k.store.Queried(t.IndexID())
	return l, nil
}

// Left is what is left of the deadline, at least a millisecond.
func (l *Look) Left() time.Duration { return max(time.Until(l.end), time.Millisecond) }

// Nothing is what is to be said against an answer that found nothing: a file may have been written just now, of which
// the daemon that watches the root does not know yet. That a daemon has no event of it proves nothing: events come late,
// and of a file that is written through memory, or by another machine, not at all.
func (l *Look) Nothing(ctx context.Context) []Note {
	k, left := l.keeper, l.Left()
	if l.equal || l.covered != watches && k.embedded() {
		return nil // compared, or brought up to date, before
	}
	ctx, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	p, err := k.record(ctx, l.target.IndexID())
	if err != nil || p.Root != l.target.Root {
		return nil
	}
	limit, stop := context.WithTimeout(ctx, left/compareShare)
	defer stop()
	if changed, err := k.in.Changed(limit, p); changed || err != nil && l.covered != watches {
		k.requestRefresh(ctx, l.target, l.covered)
		return k.waits()
	}
	return nil
}
