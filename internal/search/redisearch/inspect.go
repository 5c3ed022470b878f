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
	ids, err := x.read.SMembers(ctx, x.keys.projects()).Result()
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
			faults = append(faults, search.Fault{Project: id, What: what})
		}
	}
	return faults, nil
}

// stillReading begins what inspect says of an index that a server reads in after a restart: nothing of it is lost.
const stillReading = "the server is still reading it"

// Check returns an error that wraps search.ErrNoProject if what belongs to a project is not all there, though no server is still
// reading it in. A project that has no record is not looked at: whoever opens it is told. It reads counts.
func (x *Index) Check(ctx context.Context, project string) error {
	if _, err := x.record(ctx, x.read, project); errors.Is(err, search.ErrNoProject) {
		return nil
	}
	what, err := x.inspect(ctx, project)
	if err == nil && what != "" && !strings.HasPrefix(what, stillReading) {
		err = fmt.Errorf("%w: %s", search.ErrNoProject, what)
	}
	return err
}

// inspect says what is wrong with one project; "" if nothing is.
func (x *Index) inspect(ctx context.Context, id string) (string, error) {
	rec, err := x.record(ctx, x.read, id)
	if errors.Is(err, search.ErrNoProject) {
		return err.Error(), nil
	} else if err != nil {
		return told(err)
	}
	pipe := x.read.Pipeline()
	entries, blobs := pipe.HLen(ctx, x.keys.files(id, rec.ver)), pipe.HLen(ctx, x.keys.blobs(id, rec.ver))
	if _, err := pipe.Exec(ctx); err != nil {
		return told(err)
	}
	switch {
	case int(entries.Val()) < rec.Files: // files left out have entries too
		return fmt.Sprintf("%d of %d entries of files are there", entries.Val(), rec.Files), nil
	case int(blobs.Val()) < rec.Files:
		return fmt.Sprintf("%d of %d feature blobs are there", blobs.Val(), rec.Files), nil
	case rec.mode != search.Full:
		return "", nil
	}
	reply, err := x.read.Do(ctx, "FT.INFO", rec.idx).Result()
	switch rdb.Classify(err) {
	case rdb.OK:
	case rdb.NoIndex:
		return fmt.Sprintf("its search index %q is gone", rec.idx), nil
	case rdb.NoModule:
		return "", nil // the server cannot search at all: that is no fault of one project
	default:
		return told(err)
	}
	if in := parseInfo(reply); in.busy {
		return fmt.Sprintf(stillReading+": %d of %d chunks", in.docs, rec.Chunks), nil
	} else if in.docs < rec.Chunks-rec.Chunks/100 {
		return fmt.Sprintf("%d of %d chunks are in its search index", in.docs, rec.Chunks), nil
	}
	return "", nil
}

// told passes an error on as a fault of the project if it is one of its keys, not of the server.
func told(err error) (string, error) {
	if k := rdb.Classify(err); k == rdb.Other || k == rdb.WrongType {
		return err.Error(), nil
	}
	return "", err
}
