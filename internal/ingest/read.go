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

// result is what became of one file that was read.
type result struct {
	doc   search.Document
	same  bool        // the content is what is indexed: only its stat is new
	gone  code.Reason // set when the file is no longer there, or no longer a file to index
	fault error       // why the file could not be analyzed; doc then remembers that
	end   error       // the run must end
}

// read turns a file into a document. It runs on many goroutines.
func (r *run) read(ctx context.Context, f *found) (res result) {
	now := time.Now().UnixNano() // before reading: a change during it must look later
	e := entry(f.File, now)
	defer func() {
		if p := recover(); p != nil { // one file's oddity must not end the work on all others
			res = failed(e, f.old, fmt.Errorf("analyze %q: panic: %v", f.Path, p))
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
			return result{gone: re.Reason}
		}
		return failed(e, f.old, err)
	}
	e = entry(stat, now)
	e.Hash = code.HashOf(data)
	if f.old != nil && f.old.Hash == e.Hash && !f.rules {
		e.Skip, e.Detail, e.Language, e.Chunks, e.Lens = f.old.Skip, f.old.Detail, f.old.Language, f.old.Chunks, f.old.Lens
		return result{doc: search.Document{Entry: e}, same: true}
	}
	text, skip, err := f.ContentWithin(ctx, data)
	if err != nil {
		return result{end: context.Cause(ctx)}
	}
	if skip.Reason != "" {
		e.Skip, e.Detail = skip.Reason, skip.Detail
		return result{doc: search.Document{Entry: e}}
	}
	e.Detail = detailOf(f.Lifted, r.standIn)
	analyzed, err := analyze.FileWithin(ctx, f.Path, text)
	if err != nil {
		return result{end: context.Cause(ctx)}
	}
	doc := search.Document{Entry: e, File: analyzed}
	doc.Entry.Language, doc.Entry.Chunks, doc.Entry.Lens = doc.File.Language, len(doc.File.Chunks), doc.File.Lens()
	if r.opts.Embedder == nil { // no vectors can be had for this index
		return result{doc: doc}
	}
	if doc.Vectors, err = r.embed(ctx, embed.TextsOf(doc.File)); err != nil {
		err = fmt.Errorf("embed %q: %w", f.Path, err)
		if embed.Failed(err) || ctx.Err() != nil {
			return result{end: err}
		}
		return failed(e, f.old, err)
	}
	return result{doc: doc}
}

// embedAtOnce is how many chunks are handed to the embedder at once.
const embedAtOnce = 64

// embed makes the vectors of one file. None of another length than the index has leaves it.
func (r *run) embed(ctx context.Context, texts []embed.Text) (out [][]float32, err error) {
	ctx = embed.WithBeat(ctx, r.beat)
	for part := range slices.Chunk(texts, embedAtOnce) {
		vectors, err := r.traced(ctx, part)
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
		r.beat()
	}
	return out, nil
}

// traced is vectors; what a server is asked for is a stage of its own.
func (r *run) traced(ctx context.Context, texts []embed.Text) ([][]float32, error) {
	if !r.server {
		return r.vectors(ctx, texts)
	}
	ctx, end := obs.Stage(ctx, "embed")
	vectors, err := r.vectors(ctx, texts)
	end(err, obs.Count("texts", len(texts)))
	return vectors, err
}

// beat tells that a reader got further. Any goroutine may call it.
func (r *run) beat() {
	select {
	case r.alive <- struct{}{}:
	default:
	}
}

func entry(f sandbox.File, now int64) search.Entry {
	return search.Entry{Path: f.Path, Size: f.Size, MTime: f.MTime, CTime: f.CTime, Inode: f.Inode, SeenAt: now}
}
