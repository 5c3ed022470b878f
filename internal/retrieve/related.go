package retrieve

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/contextd/contextd/internal/analyze"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/githist"
	"github.com/contextd/contextd/internal/lexical"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
)

// Place is a line of a file of the project.
type Place struct {
	Path string // relative to the root, absolute inside it, or as seen from the working directory
	Line int    // from 1
}

func (p Place) String() string { return fmt.Sprintf("%s:%d", p.Path, p.Line) }

// maxLikeNames bounds the names of a chunk that are looked for elsewhere.
const maxLikeNames = 40

// A PlaceError says why a place has no chunk to compare with.
type PlaceError struct {
	Place Place
	Err   error
}

func (e *PlaceError) Error() string {
	return fmt.Sprintf("place %q: %v", e.Place.String(), e.Err)
}

// Unwrap is the cause.
func (e *PlaceError) Unwrap() error { return e.Err }

// like is the chunk that others are compared with, as it stands on the disk.
type like struct {
	path code.Path
	span code.Span
	text embed.Text
	word string // its names, its own before those that it uses
}

// related looks for what is nearest to the chunk at a place, by its vector, by the names in it, and by what was changed
// along with its file. A *PlaceError says that there is no such chunk.
func (rt *Retriever) related(ctx context.Context, req Request, snap search.Snapshot, reply *Reply) error {
	p := snap.Project()
	mode, err := rt.opts.Index.Mode(ctx)
	if err != nil {
		return err
	}
	if mode == search.Names {
		reply.add(SearchUnsupported)
		req.Gates.Pointers = 0
	}
	root, err := sandbox.Open(p.Root, rt.opts.Sandbox)
	if err != nil { // the root went away under its index
		reply.add(IndexStale)
		return nil
	}
	defer root.Close()
	l := &look{rt: rt, snap: snap, root: root, rules: root.NewChecker()}
	of, err := l.likeOf(ctx, *req.Like)
	if err != nil {
		return err
	}
	l.embedder, l.vector = rt.embedWith(ctx, req, p, mode, reply, func(
		ctx context.Context, e embed.Embedder,
	) ([]float32, error) {
		vectors, err := e.Documents(ctx, []embed.Text{of.text})
		if err != nil || len(vectors) == 0 {
			return nil, err
		}
		return vectors[0], nil
	})
	l.past = rt.past(ctx, p.ID)
	main := l.parse(of.word)
	beside := githist.Companions(of.path, maxWanted/2, l.past...)
	q := search.Query{Words: main.Words, Names: main.Names, Vector: l.vector, Langs: req.languages(), Globs: req.Globs}
	for _, c := range beside {
		q.Paths = append(q.Paths, c.Path)
	}
	q.Paths = append(q.Paths, main.hits.Paths(maxWanted-len(q.Paths))...)
	found, err := snap.Nominate(ctx, q)
	if err != nil {
		return err
	}
	reply.addOf(found)
	found.Stats.DF = found.Stats.DF[:len(main.Words)]
	s := l.newServing(req, main, found.Files, found.Stats, reply)
	s.apart = of
	for i := range s.files {
		if k := slices.IndexFunc(beside, func(c githist.Companion) bool { return c.Path == s.files[i].Path }); k >= 0 {
			s.files[i].History = max(s.files[i].History, beside[k].Share)
		}
	}
	s.serve(ctx)
	return nil
}

// likeOf reads the chunk at a place from the disk. The rules hold for it as for a result: nothing is told of a file
// that they leave out.
func (l *look) likeOf(ctx context.Context, place Place) (*like, error) {
	fail := func(format string, args ...any) (*like, error) {
		return nil, &PlaceError{place, fmt.Errorf(format, args...)}
	}
	path := filepath.ToSlash(filepath.Clean(place.Path))
	entry, ok, err := l.snap.Entry(ctx, path)
	switch {
	case err != nil:
		return nil, err
	case !ok || entry.Skip != "":
		return fail("the file is not in the index; \"why\" says by which rule")
	}
	data, _, err := l.root.Read(path)
	var re *sandbox.ReadError
	switch {
	case errors.As(err, &re):
		return fail("the file cannot be read: %s", re.Reason)
	case err != nil:
		return nil, err
	}
	file, skip := l.rules.Check(path)
	if skip.Reason != "" {
		return fail("the file is left out: %s", skip.Reason)
	}
	text, skip, err := file.ContentWithin(ctx, data)
	switch {
	case err != nil:
		return nil, err
	case skip.Reason != "":
		return fail("the file is left out: %s", skip.Reason)
	}
	analyzed, err := l.analyzed(ctx, path, text)
	switch {
	case err != nil:
		return nil, err
	case analyzed == nil:
		return fail("the file cannot be analyzed")
	}
	i := slices.IndexFunc(analyzed.Chunks, func(c code.AnalyzedChunk) bool { return c.Span.Contains(place.Line) })
	if i < 0 {
		return fail("the file has %d lines", analyzed.Lines)
	}
	return &like{path: path, span: analyzed.Chunks[i].Span, text: embed.TextsOf(analyzed)[i],
		word: namesIn(&analyzed.Chunks[i])}, nil
}

// analyzed is a file; nil where the analysis panics.
func (l *look) analyzed(ctx context.Context, path code.Path, text string) (f *code.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			l.rt.opts.Log.Error("file not analyzed", "path", path, "panic", p)
			f, err = nil, nil
		}
	}()
	return analyze.FileWithin(ctx, path, text)
}

// namesIn are the names of a chunk as a question: those that it defines, then identifiers of several parts, then
// others.
func namesIn(c *code.AnalyzedChunk) (text string) {
	var names, plain []string
	add := func(list *[]string, name string) {
		if len(name) <= lexical.MaxIdent && !slices.Contains(names, name) && !slices.Contains(plain, name) &&
			len(*list) < maxLikeNames {
			*list = append(*list, name)
		}
	}
	for i := range c.Symbols {
		add(&names, c.Symbols[i].Name)
	}
	for at := 0; ; {
		start, end := lexical.NextIdent(c.Text, at)
		if start == len(c.Text) {
			break
		}
		ident := c.Text[start:end]
		at = end
		if _, parts := lexical.NextPart(ident, 0); parts < len(ident) {
			add(&names, ident)
		} else if len(ident) > 2 {
			add(&plain, ident)
		}
	}
	for _, n := range append(names, plain...)[:min(maxLikeNames, len(names)+len(plain))] {
		text += n + " "
	}
	return text
}

// fault is the reply to a request whose place has no chunk.
func (r *Reply) fault(err error, began time.Time) *Reply {
	r.Err = err
	return r.finish(began)
}
