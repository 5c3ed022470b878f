package ingest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/contextd/contextd/internal/analyze"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
)

// result is the result of reading one file.
type result struct {
	doc     search.Document
	same    bool        // the content is what is indexed: only its stat is new
	leftOut code.Reason // set when the file is no longer there, or no longer a file to index
	fault   error       // why the file could not be analyzed; doc then remembers that
	fatal   error       // the run must end
}

// read reads, analyzes and embeds one file. It runs on many goroutines.
func (r *run) read(ctx context.Context, f *diskFile) (res result) {
	now := time.Now().UnixNano() // before reading: a change during it must look later
	e := newEntry(f.File, now)
	defer func() {
		if p := recover(); p != nil { // one file's oddity must not end the work on all others
			res = failedResult(e, f.old, fmt.Errorf("analyze %q: panic: %v", f.Path, p))
		}
	}()
	data, stat, err := r.root.Read(f.Path)
	if err != nil {
		var re *sandbox.ReadError
		if errors.As(err, &re) && re.Reason == code.Unreadable {
			e.Skip, e.Detail = code.Unreadable, re.Err.Error()
			return result{doc: search.Document{Entry: e}}
		}
		if errors.As(err, &re) {
			return result{leftOut: re.Reason}
		}
		return failedResult(e, f.old, err)
	}
	e = newEntry(stat, now)
	e.Hash = code.HashOf(data)
	if f.old != nil && f.old.Hash == e.Hash && !f.recheck {
		e.Skip, e.Detail, e.Language, e.Chunks, e.Lens = f.old.Skip, f.old.Detail, f.old.Language, f.old.Chunks, f.old.Lens
		return result{doc: search.Document{Entry: e}, same: true}
	}
	text, skip, err := f.ContentWithin(ctx, data)
	if err != nil {
		return result{fatal: context.Cause(ctx)}
	}
	if skip.Reason != "" {
		e.Skip, e.Detail = skip.Reason, skip.Detail
		return result{doc: search.Document{Entry: e}}
	}
	e.Detail = detailOf(f.Lifted, r.standIn)
	analyzed, err := analyze.FileWithin(ctx, f.Path, text)
	if err != nil {
		return result{fatal: context.Cause(ctx)}
	}
	doc := search.Document{Entry: e, File: analyzed}
	doc.Entry.Language, doc.Entry.Chunks, doc.Entry.Lens = doc.File.Language, len(doc.File.Chunks), doc.File.Lens()
	if r.opts.Embedder == nil { // no vectors can be had for this index
		return result{doc: doc}
	}
	if doc.Vectors, err = r.embed(ctx, embed.TextsOf(doc.File)); err != nil {
		err = fmt.Errorf("embed %q: %w", f.Path, err)
		if embed.Failed(err) || ctx.Err() != nil {
			return result{fatal: err}
		}
		return failedResult(e, f.old, err)
	}
	return result{doc: doc}
}

// embedAtOnce is the number of chunks in one call of the embedder.
const embedAtOnce = 64

// embed returns the vectors of one file. It fails if their length is not that of the index.
func (r *run) embed(ctx context.Context, texts []embed.Text) (out [][]float32, err error) {
	ctx = embed.WithProgress(ctx, r.signalProgress)
	for part := range slices.Chunk(texts, embedAtOnce) {
		vectors, err := r.tracedVectors(ctx, part)
		if err != nil {
			return nil, err
		}
		if r.dims > 0 && len(vectors) != len(part) {
			return nil, fmt.Errorf("%d vectors for %d texts: %w", len(vectors), len(part), embed.ErrUnavailable)
		}
		for _, v := range vectors {
			if len(v) != r.dims {
				return nil, fmt.Errorf("vectors of %d numbers where the index has %d: %w", len(v), r.dims, embed.ErrDimensions)
			}
		}
		out = append(out, vectors...)
		r.signalProgress()
	}
	return out, nil
}

// tracedVectors calls makeVectors, inside a trace stage of its own if a server makes them.
func (r *run) tracedVectors(ctx context.Context, texts []embed.Text) ([][]float32, error) {
	if !r.server {
		return r.makeVectors(ctx, texts)
	}
	ctx, end := obs.Stage(ctx, "embed")
	vectors, err := r.makeVectors(ctx, texts)
	end(err, obs.Count("texts", len(texts)))
	return vectors, err
}

// signalProgress records that a reader has made progress. Any goroutine may call it.
func (r *run) signalProgress() {
	select {
	case r.progressed <- struct{}{}:
	default:
	}
}

func newEntry(f sandbox.File, now int64) search.Entry {
	return search.Entry{Path: f.Path, Size: f.Size, MTime: f.MTime, CTime: f.CTime, Inode: f.Inode, SeenAt: now}
}
