package redisearch

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/search"
)

// snapshot is a search.Snapshot: the record as of Open. Files switch one by one below it, and each is shown as it is
// when it is read, old or new: one that is saved again and again is never missing. If its whole build is replaced it
// moves to the new one, since the old one is dropped.
type snapshot struct {
	x   *Index
	mu  sync.Mutex // guards rec
	rec record
}

func (s *snapshot) record() record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rec
}

// reloadIfReplaced reads the record again and reports whether another build serves now.
func (s *snapshot) reloadIfReplaced(ctx context.Context, from record) (bool, error) {
	now, err := s.x.record(ctx, s.x.readClient, from.ID)
	if err != nil {
		return false, err
	}
	if now.ver == from.ver && now.idx == from.idx {
		return false, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rec = now
	return true, nil
}

// Project implements search.Snapshot.
func (s *snapshot) Project() search.Project { return s.record().Project }

// Close implements search.Snapshot.
func (s *snapshot) Close() error { return nil }

// Entries implements search.Snapshot.
func (s *snapshot) Entries(ctx context.Context) ([]search.Entry, error) {
	for {
		rec := s.record()
		all, err := s.x.entries(ctx, s.x.readClient, rec.ID, rec.ver)
		if errors.Is(err, errDamaged) {
			err = fmt.Errorf("%w: %w", search.ErrNoProject, err)
		}
		if err != nil {
			return nil, err
		}
		if len(all) == 0 && rec.Files > 0 {
			moved, err := s.reloadIfReplaced(ctx, rec)
			if err != nil {
				return nil, err
			}
			if moved {
				continue
			}
		}
		out := make([]search.Entry, 0, len(all))
		for _, e := range all {
			out = append(out, e.Entry)
		}
		sortEntries(out)
		return out, nil
	}
}

// Paths implements search.Snapshot. It may list files that were written since.
func (s *snapshot) Paths(ctx context.Context) ([]code.Path, error) {
	for {
		rec := s.record()
		paths, err := s.x.readClient.HKeys(ctx, s.x.keys.files(rec.ID, rec.ver)).Result()
		if err != nil {
			return nil, fmt.Errorf("list the files of project %q: %w", rec.ID, err)
		}
		if len(paths) > 0 || rec.Files == 0 {
			return paths, nil
		}
		if moved, err := s.reloadIfReplaced(ctx, rec); err != nil || !moved {
			return nil, err
		}
	}
}

// Check is Index.Check for the snapshot's project.
func (s *snapshot) Check(ctx context.Context) error { return s.x.Check(ctx, s.record().ID) }

// Entry implements search.Snapshot.
func (s *snapshot) Entry(ctx context.Context, path code.Path) (search.Entry, bool, error) {
	for {
		rec := s.record()
		text, err := s.x.readClient.HGet(ctx, s.x.keys.files(rec.ID, rec.ver), path).Result()
		switch rdb.Classify(err) {
		case rdb.OK:
			e, err := decodeEntry(path, text)
			return e.Entry, err == nil, err
		case rdb.Nil:
			if moved, err := s.reloadIfReplaced(ctx, rec); err != nil || !moved {
				return search.Entry{}, false, err
			}
		default:
			return search.Entry{}, false, fmt.Errorf("read the entry of %q: %w", path, err)
		}
	}
}

// fetch reads entry and blob of files, both as of one moment. Files that are gone, and those of which accept refuses
// the entry, are left out.
func (s *snapshot) fetch(ctx context.Context, rec record, paths []code.Path, vector []float32, accept func(*stored) bool) ([]search.Candidate, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	var entries, blobs *redis.SliceCmd
	_, err := s.x.readClient.TxPipelined(ctx, func(p redis.Pipeliner) error {
		entries = p.HMGet(ctx, s.x.keys.files(rec.ID, rec.ver), paths...)
		blobs = p.HMGet(ctx, s.x.keys.blobs(rec.ID, rec.ver), paths...)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read %d candidates: %w", len(paths), err)
	}
	es, bs := entries.Val(), blobs.Val()
	if len(es) != len(paths) || len(bs) != len(paths) {
		return nil, fmt.Errorf("read %d candidates: the server sent %d entries and %d blobs", len(paths), len(es), len(bs))
	}
	out := make([]search.Candidate, 0, len(paths))
	for i, path := range paths {
		text, ok := es[i].(string)
		blob, ok2 := bs[i].(string)
		if !ok || !ok2 {
			continue
		}
		e, err := decodeEntry(path, text)
		if err != nil {
			return nil, err
		}
		if e.Skip != "" || !accept(&e) {
			continue
		}
		features, cosines, err := decodeBlob(blob, e.Chunks, vector)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", path, err)
		}
		out = append(out, search.Candidate{Entry: e.Entry, Features: features, Cosines: cosines})
	}
	return out, nil
}
