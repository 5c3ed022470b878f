package redisearch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/search"
)

var _ search.Inspector = (*Index)(nil)

// Inspect implements search.Inspector with the counts that resume goes by: it reads no manifest.
func (x *Index) Inspect(ctx context.Context) ([]search.Fault, error) {
	ids, err := x.readClient.SMembers(ctx, x.keys.projects()).Result()
	if err != nil {
		return nil, fmt.Errorf("list the projects: %w", err)
	}
	slices.Sort(ids)
	var faults []search.Fault
	for _, id := range ids {
		what, err := x.inspect(ctx, id)
		if err != nil {
			return nil, fmt.Errorf("inspect project %q: %w", id, err)
		}
		if what != "" {
			faults = append(faults, search.Fault{Project: id, Detail: what})
		}
	}
	return faults, nil
}

// stillReading begins inspect's message about an index that a server is loading after a restart: nothing of it is lost.
const stillReading = "the server is still reading it"

// lostGraph begins inspect's message about a graph that is gone or short, while all else is there.
const lostGraph = "the graph of its vectors"

// Check returns an error that wraps search.ErrNoProject if what belongs to a project is not all there, though no server
// is still reading it in; search.ErrVectorsLost if that is the graph of its vectors alone. A project that has no record
// is not looked at: whoever opens it is told. It reads counts.
func (x *Index) Check(ctx context.Context, project string) error {
	if _, err := x.record(ctx, x.readClient, project); errors.Is(err, search.ErrNoProject) {
		return nil
	}
	what, err := x.inspect(ctx, project)
	switch {
	case err != nil || what == "" || strings.HasPrefix(what, stillReading):
		return err
	case strings.HasPrefix(what, lostGraph):
		return fmt.Errorf("%w: %s", search.ErrVectorsLost, what)
	}
	return fmt.Errorf("%w: %s", search.ErrNoProject, what)
}

// inspect says what is wrong with one project; "" if nothing is. What it counts must be there to the last chunk. While
// a writer is at work the record has the counts of before: then nothing is wrong as far as anybody can tell, and the
// writer itself counts.
func (x *Index) inspect(ctx context.Context, id string) (string, error) {
	rec, err := x.record(ctx, x.readClient, id)
	if errors.Is(err, search.ErrNoProject) {
		return err.Error(), nil
	} else if err != nil {
		return asFault(err)
	}
	what, err := x.countStored(ctx, &rec)
	if what == "" || err != nil || strings.HasPrefix(what, stillReading) {
		return what, err
	}
	now, err := x.record(ctx, x.readClient, id)
	if errors.Is(err, search.ErrNoProject) {
		return err.Error(), nil
	} else if err != nil {
		return asFault(err)
	}
	if now.ver != rec.ver || now.idx != rec.idx || now.seq != rec.seq || now.dirty != rec.dirty || now.Generation != rec.Generation {
		return "", nil
	}
	return what, nil
}

// countStored counts what the server holds of the build that rec names.
func (x *Index) countStored(ctx context.Context, rec *record) (string, error) {
	pipe := x.readClient.Pipeline()
	k := x.keys
	entries, blobs := pipe.HLen(ctx, k.files(rec.ID, rec.ver)), pipe.HLen(ctx, k.blobs(rec.ID, rec.ver))
	names, locked := pipe.HLen(ctx, k.names(rec.ID, rec.ver)), pipe.Exists(ctx, k.lock(rec.ID))
	if _, err := pipe.Exec(ctx); err != nil {
		return asFault(err)
	}
	slack := 0
	if rec.dirty {
		if locked.Val() > 0 {
			return "", nil
		}
		slack = rec.Chunks / 100 // of a writer that died; the next one counts
	}
	switch {
	case int(entries.Val()) < rec.Files: // files left out have entries too
		return fmt.Sprintf("%d of %d entries of files are there", entries.Val(), rec.Files), nil
	case int(blobs.Val()) < rec.Files:
		return fmt.Sprintf("%d of %d feature blobs are there", blobs.Val(), rec.Files), nil
	case int(names.Val()) < rec.Files:
		return fmt.Sprintf("%d of %d entries of the name index are there", names.Val(), rec.Files), nil
	case rec.mode != search.Full:
		return "", nil
	}
	in, err := indexInfo(ctx, x.readClient, rec.idx)
	switch rdb.Classify(err) {
	case rdb.OK:
	case rdb.NoIndex:
		return fmt.Sprintf("its search index %q is gone", rec.idx), nil
	case rdb.NoModule:
		return "", nil // the server cannot search at all: that is no fault of one project
	default:
		return asFault(err)
	}
	if in.busy {
		return fmt.Sprintf(stillReading+": %d of %d chunks", in.docs, rec.Chunks), nil
	} else if in.docs < rec.Chunks-slack {
		return fmt.Sprintf("%d of %d chunks are in its search index", in.docs, rec.Chunks), nil
	}
	if rec.vectorIndex() == rec.idx {
		return "", nil
	}
	in, err = indexInfo(ctx, x.readClient, rec.vectorIndex())
	switch rdb.Classify(err) {
	case rdb.OK:
	case rdb.NoIndex:
		return fmt.Sprintf(lostGraph+" %q is gone", rec.vectorIndex()), nil
	default:
		return asFault(err)
	}
	if !in.busy && in.docs < rec.Chunks-max(slack, rec.Chunks/100) {
		return fmt.Sprintf(lostGraph+" holds %d of %d chunks", in.docs, rec.Chunks), nil
	}
	return "", nil
}

// asFault returns an error as a fault of the project if it concerns one of its keys, not the server.
func asFault(err error) (string, error) {
	if k := rdb.Classify(err); k == rdb.Other || k == rdb.WrongType {
		return err.Error(), nil
	}
	return "", err
}
