package ingest

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

const (
	// maxWalks is how often a rebuild walks a root that goes on changing before it takes over all the same: what is
	// missing then is of the changes that come after it.
	maxWalks = 5
	// saveTimeout is how long a rebuild that ends early may take to save its work.
	saveTimeout = 3 * time.Second
	// saveShare is the least ratio of the time between two saves to that of a save: each writes the whole manifest.
	saveShare = 20
)

// saves are when a rebuild has saved its work.
type saves struct {
	at   time.Time
	took time.Duration
	read int // files that were read by then
}

// build builds the next version, or goes on with it, until it replaces the one that serves. Others write that one all
// the while but for the switch.
func (r *run) build(ctx context.Context) error {
	r.saves = &saves{at: time.Now()}
	err := r.approach(ctx)
	if err == nil {
		err = r.takeOver(ctx)
	}
	if err != nil && !errors.Is(err, search.ErrLost) { // what was made until then is not made again
		within, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
		defer cancel()
		_, _ = r.writer.Commit(within, false)
	}
	return err
}

// approach makes the next version equal to the disk, and again to what has changed meanwhile.
func (r *run) approach(ctx context.Context) error {
	for range maxWalks {
		before := r.readChanged + r.report.Removed
		r.report.Skipped = map[code.Reason]int{}
		if err := r.bring(ctx, r.writer.Entries(), nil); err != nil || r.readChanged+r.report.Removed == before {
			return err
		}
	}
	return nil
}

// takeOver replaces the version that serves. Under the lock of that, files are looked at once more in which the two
// differ: others have indexed a change of them since.
func (r *run) takeOver(ctx context.Context) (err error) {
	serving, err := r.writer.Serving(ctx)
	if err != nil {
		return err
	}
	entries := r.writer.Entries()
	if paths := withParents(entries, differing(serving, entries)); len(paths) > 0 {
		skipped := maps.Clone(r.report.Skipped)
		if err := r.bring(ctx, entries, paths); err != nil {
			return err
		}
		r.report.Skipped = skipped // of a whole walk
	}
	if r.report.Project, err = r.commit(ctx, true); err == nil {
		r.old.readAll = true
		r.saveWords(ctx, false)
	}
	return err
}

// save saves what a rebuild has made, now and then.
func (r *run) save(ctx context.Context) error {
	s := r.saves
	if s == nil || s.read == r.readChanged || time.Since(s.at) < max(r.opts.SaveEvery, saveShare*s.took) {
		return nil
	}
	began := time.Now()
	_, err := r.writer.Commit(ctx, false)
	*s = saves{at: time.Now(), took: time.Since(began), read: r.readChanged}
	return err
}

// differing are the paths of files whose content, or whether they are there, differs between two manifests, both in
// path order.
func differing(a, b []search.Entry) (paths []code.Path) {
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].Path < b[0].Path:
			paths, a = append(paths, a[0].Path), a[1:]
		case len(a) == 0 || b[0].Path < a[0].Path:
			paths, b = append(paths, b[0].Path), b[1:]
		default:
			if a[0].Hash != b[0].Hash {
				paths = append(paths, a[0].Path)
			}
			a, b = a[1:], b[1:]
		}
	}
	return paths
}

// triedAlready reports whether this run has failed to analyze a file that has not changed since: the next run tries it
// again.
func (r *run) triedAlready(f *diskFile) bool {
	_, failed := r.report.Failed[f.Path]
	return failed && f.old != nil && f.old.Size == f.Size && f.old.MTime == f.MTime && f.old.CTime == f.CTime && f.old.Inode == f.Inode
}
