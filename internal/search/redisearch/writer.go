package redisearch

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

// writer is a search.Writer. Changes collect in a batch that travels while the next one fills.
type writer struct {
	x             *Index
	lock          *lock // of the build that is written
	servingLock   *lock // of the build that serves, once the next one is about to replace it
	wait          time.Duration
	pid           string
	initialRecord search.Project // the record when the lock was taken
	initialRows   int            // entries of the manifest then
	rec           record         // as the next commit writes it
	// fresh: the build does not serve yet; its first commit switches to it.
	fresh    bool
	next     bool // it is the next build
	puts     bool // a file was put or deleted in a fresh build
	oldFiles int  // files of the build that a fresh one replaces
	// before is, for a fresh build over another of the same root, the search.Digest of that; nil if it cannot be read.
	before   *code.Hash
	manifest map[code.Path]*stored
	named    bool // the manifest holds only files that were asked for, nil for one that is not there
	expected int  // chunks of an empty build that has no search index yet; 0: it has one, or gets it at its commit
	batch    batch
	progress func() // Spec.Progress
	words    words  // scratch
	failed   error  // what ended the writer
}

// Project implements search.Writer.
func (w *writer) Project() search.Project { return w.initialRecord }

// Entries implements search.Writer.
func (w *writer) Entries() []search.Entry { return sortedEntries(w.manifest) }

// FromNothing implements search.Writer.
func (w *writer) FromNothing() bool { return !w.named && w.initialRows == 0 }

func (w *writer) checkUsable(ctx context.Context) error {
	if w.failed == nil && w.lock.lost.Load() {
		w.failed = search.ErrLost
	}
	if w.failed != nil {
		return w.failed
	}
	return ctx.Err()
}

// Close implements search.Writer.
func (w *writer) Close() error {
	if w.lock == nil {
		return nil
	}
	err := w.batch.discard()
	if w.fresh && !w.next && !errors.Is(err, search.ErrLost) {
		w.dropUncommitted()
	}
	w.lock.release()
	if w.servingLock != nil {
		w.servingLock.release()
	}
	w.lock, w.servingLock = nil, nil
	w.failed = errors.New("the writer is closed")
	return nil
}

// sortedEntries returns the entries of a manifest by path.
func sortedEntries(manifest map[code.Path]*stored) []search.Entry {
	es := make([]search.Entry, 0, len(manifest))
	for _, s := range manifest {
		if s != nil { // nil: of a writer of named paths, one that is not there
			es = append(es, s.Entry)
		}
	}
	sortEntries(es)
	return es
}

func sortEntries(es []search.Entry) {
	slices.SortFunc(es, func(a, b search.Entry) int { return strings.Compare(a.Path, b.Path) })
}
