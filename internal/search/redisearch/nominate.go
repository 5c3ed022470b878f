package redisearch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/search"
)

const defaultFiles = 100

// Nominate implements search.Snapshot.
func (s *snapshot) Nominate(ctx context.Context, q search.Query) (*search.Nominees, error) {
	if q.Files <= 0 {
		q.Files = defaultFiles
	}
	q.Names = q.Names[:min(len(q.Names), search.MaxQueryWords)]
	for _, g := range q.Named {
		if _, err := parseGlob(g); err != nil {
			return nil, err
		}
	}
	mode, err := s.x.Mode(ctx)
	if err != nil {
		return nil, err
	}
	for {
		rec := s.record()
		if mode == search.Names || rec.mode == search.Names {
			return s.byName(ctx, rec, q)
		}
		out, err := s.bySearch(ctx, rec, q)
		if errors.Is(err, errReplaced) {
			continue
		}
		switch rdb.Classify(err) {
		case rdb.OK:
			return out, nil
		case rdb.NoModule: // another server answers than before
			s.x.forgetMode()
			mode = search.Names
		case rdb.NoIndex:
			moved, err2 := s.reloadIfReplaced(ctx, rec)
			if err2 != nil {
				return nil, err2
			}
			if !moved {
				return nil, fmt.Errorf("%w: the search index of project %q is gone from the server", search.ErrNoProject, rec.ID)
			}
		default:
			return nil, fmt.Errorf("search project %q: %w", rec.ID, err)
		}
	}
}

// errReplaced means that another build has replaced the one that served, and the snapshot has switched to it.
var errReplaced = errors.New("another build serves")

func (s *snapshot) bySearch(ctx context.Context, rec record, q search.Query) (*search.Nominees, error) {
	all := func(ctx context.Context) ([]code.Path, error) {
		return s.x.readClient.HKeys(ctx, s.x.keys.files(rec.ID, rec.ver)).Result()
	}
	f, err := newFilter(ctx, q.Langs, q.Globs, all)
	if err != nil {
		return nil, err
	}
	out := &search.Nominees{}
	vector := q.Vector
	if search.IsZero(vector) {
		vector = nil
	}
	if vector != nil && len(vector) != rec.Model.Dims {
		vector, out.NoVector = nil, true
	}
	// A quarter of the time is left for reading the candidates.
	limit := s.x.opts.Deadline
	if end, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(end))
	}
	limit = limit * 3 / 4
	leg, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var beside sync.WaitGroup
	var namedErr error
	if len(q.Named) > 0 {
		beside.Go(func() {
			var paths []code.Path
			if paths, namedErr = all(leg); namedErr == nil {
				out.Named, namedErr = s.named(leg, rec, q, paths, vector)
			}
		})
	}
	found := s.search(leg, rec, q, f, vector, max(1, int(limit.Milliseconds())*4/5))
	beside.Wait()
	for _, err := range []error{found.err, found.vectorErr} {
		if c := rdb.Classify(err); c == rdb.NoIndex || c == rdb.NoModule {
			return nil, err
		}
	}
	if len(found.text)+len(found.names)+len(found.vectors)+len(out.Named) == 0 && (found.err != nil || found.vectorErr != nil) {
		return nil, cmp.Or(found.err, found.vectorErr)
	}
	out.Partial = found.err != nil || found.vectorErr != nil || found.slow || namedErr != nil
	out.NoVector = out.NoVector || found.vectorErr != nil
	out.VectorsBuilding = found.graphPartial
	out.Building = indexIncomplete(rec, found, vector != nil && f.expr == "" && !found.graphPartial, f)
	out.Stats = stats(rec, found.df)

	chunks := map[code.Path][]string{} // of each file, the chunks that were hit
	paths := interleave(q.Files+len(q.Paths), func(p code.Path) bool { return f.keep(p, "") }, chunks, found.text, found.names, found.vectors, wantedHits(q.Paths))
	out.Files, err = s.fetch(ctx, rec, paths, vector, func(e *stored) bool {
		hits := chunks[e.Path]
		if e.seq > rec.seq && f.keep(e.Path, e.Language) {
			return true // it was hit, and may have lost that chunk since: the new version stands in for the old
		}
		return slices.Contains(hits, "") && f.keep(e.Path, e.Language) || slices.ContainsFunc(e.ids, func(id chunkID) bool { return slices.Contains(hits, id.String()) })
	})
	if err != nil {
		return nil, err
	}
	if len(out.Files) < len(paths) { // their build may have been dropped since the search
		if moved, err := s.reloadIfReplaced(ctx, rec); err != nil || moved {
			return nil, cmp.Or(err, errReplaced)
		}
	}
	out.Files = out.Files[:min(len(out.Files), q.Files)] // paths that are not there took a place
	return out, nil
}

// indexIncomplete reports whether the server's index does not hold all chunks: after a restart it is read in behind the
// answers, which just get fewer. A write at work may leave fewer chunks than the record counts for a moment, so their
// number speaks only where hits are missing; all says that the vector leg was to find any chunk.
func indexIncomplete(rec record, found *legs, all bool, f *filter) bool {
	if found.info == nil || rec.Chunks == 0 {
		return false
	}
	none := len(found.text)+len(found.names)+len(found.vectors) == 0 && !f.none
	few := all && len(found.vectors) < min(vectorHits, rec.Chunks)
	return found.info.busy || (none || few) && found.info.docs < rec.Chunks-rec.Chunks/100
}

// wantedHits returns hits without a chunk for the files that a query names in Paths.
func wantedHits(paths []code.Path) []hit {
	hits := make([]hit, 0, len(paths))
	for _, p := range paths {
		hits = append(hits, hit{path: p})
	}
	return hits
}

func stats(rec record, df []int) search.Stats {
	return search.Stats{Files: rec.Files, Chunks: rec.Chunks, Lens: rec.lens, DF: df}
}
