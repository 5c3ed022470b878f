package redisearch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

// writer is a search.Writer. Changes collect in a batch that travels while the next one fills.
type writer struct {
	x     *Index
	lock  *lock
	pid   string
	was   search.Project // the record when the lock was taken
	first []search.Entry // the manifest then
	rec   record         // as the next commit writes it
	// fresh: the build does not serve yet; its first commit switches to it.
	fresh    bool
	serving  string // of a next version: the build that serves meanwhile
	puts     bool   // a file was put or deleted in a fresh build
	oldFiles int    // files of the build that a fresh one replaces
	// before is, for a fresh build over another of the same root, the search.Digest of that; nil if it cannot be read.
	before   *code.Hash
	manifest map[code.Path]*stored
	batch    batch
	progress func() // Spec.Progress
	terms    []byte // scratch
	failed   error  // what ended the writer
}

// Project implements search.Writer.
func (w *writer) Project() search.Project { return w.was }

// Entries implements search.Writer.
func (w *writer) Entries() []search.Entry { return w.first }

// Put implements search.Writer.
func (w *writer) Put(ctx context.Context, doc search.Document) error {
	if err := w.usable(ctx); err != nil {
		return err
	}
	if err := checkDocument(&doc, w.rec.Model.Dims); err != nil {
		return err
	}
	f := doc.File
	s := &stored{Entry: doc.Entry}
	s.Skip, s.Language, s.Chunks, s.Lens = "", f.Language, len(f.Chunks), f.Lens()
	c := change{path: s.Path, language: f.Language, name: string(encodeName(f)), seq: w.next()}
	s.seq = c.seq
	dims := 0
	if doc.Vectors != nil {
		dims = w.rec.Model.Dims
	}
	c.blob = string(encodeBlob(f, doc.Vectors, dims))
	old := w.manifest[s.Path]
	if w.rec.mode == search.Full {
		w.chunks(&c, s, old, &doc)
	}
	c.entry = string(s.encode())
	w.set(old, s)
	return w.batch.add(c)
}

// chunks fills in the ids of a file's chunks, which of them are new and which of the old ones fall away.
func (w *writer) chunks(c *change, s, old *stored, doc *search.Document) {
	had := map[chunkID]bool{}
	if old != nil {
		for _, id := range old.ids {
			had[id] = true
		}
	}
	seen, form := map[chunkID]int{}, formOf(w.rec.ver)
	kind := 0
	if doc.Vectors == nil && w.rec.Model.Dims > 0 {
		kind = bare // with a vector it is another chunk: it must be written again to get one
	}
	s.ids = make([]chunkID, len(doc.File.Chunks))
	for i := range doc.File.Chunks {
		ch := &doc.File.Chunks[i]
		w.terms = appendTerms(w.terms[:0], ch, form.repeats())
		id := identify(s.Path, doc.File.Language, w.terms, ch.Text, kind)
		if n := seen[id]; n > 0 {
			seen[id]++
			id = identify(s.Path, doc.File.Language, w.terms, ch.Text, kind+n)
		} else {
			seen[id] = 1
		}
		s.ids[i] = id
		if had[id] {
			delete(had, id)
			continue
		}
		n := newChunk{id: id, terms: string(w.terms)}
		if doc.Vectors != nil {
			n.vec = form.vector(doc.Vectors[i])
		}
		c.add = append(c.add, n)
	}
	for id := range had {
		c.drop = append(c.drop, id)
	}
}

// Touch implements search.Writer.
func (w *writer) Touch(ctx context.Context, entry search.Entry) error {
	if err := w.usable(ctx); err != nil {
		return err
	}
	old := w.manifest[entry.Path]
	s := &stored{Entry: entry}
	c := change{path: entry.Path}
	if entry.Skip != "" {
		s.Language, s.Chunks, s.Lens = "", 0, [code.NumFields]int{}
		if old != nil {
			c.drop = old.ids
			if old.Skip == "" {
				c.seq = w.next()
			}
		}
	} else {
		if old == nil || old.Skip != "" || old.Hash != entry.Hash {
			return fmt.Errorf("touch %q: its content is not the indexed one", entry.Path)
		}
		s.Language, s.Chunks, s.Lens, s.ids, s.seq = old.Language, old.Chunks, old.Lens, old.ids, old.seq
		c.blob, c.name = keep, keep
	}
	c.entry = string(s.encode())
	w.set(old, s)
	return w.batch.add(c)
}

// Delete implements search.Writer.
func (w *writer) Delete(ctx context.Context, path code.Path) error {
	if err := w.usable(ctx); err != nil {
		return err
	}
	old := w.manifest[path]
	if old == nil {
		return nil
	}
	w.rec.add(&old.Entry, -1)
	delete(w.manifest, path)
	c := change{path: path, drop: old.ids}
	if old.Skip == "" {
		w.puts, c.seq = true, w.next()
	}
	return w.batch.add(c)
}

// next numbers a change to a build that serves; in one that does not, all changes come at once.
func (w *writer) next() int64 {
	if w.fresh {
		return 0
	}
	w.rec.seq++
	return w.rec.seq
}

// set puts an entry into the manifest and the counts.
func (w *writer) set(old, s *stored) {
	if old != nil {
		w.rec.add(&old.Entry, -1)
	}
	w.rec.add(&s.Entry, 1)
	w.manifest[s.Path] = s
	w.puts = w.puts || s.Skip == ""
}

func (w *writer) usable(ctx context.Context) error {
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
	err := w.batch.drop()
	if w.fresh && w.serving == "" && !errors.Is(err, search.ErrLost) {
		w.abandon()
	}
	w.lock.release()
	w.lock = nil
	w.failed = errors.New("the writer is closed")
	return nil
}

func checkDocument(doc *search.Document, dims int) error {
	f := doc.File
	switch {
	case f == nil:
		return fmt.Errorf("put %q: no analyzed file", doc.Entry.Path)
	case f.Path != doc.Entry.Path:
		return fmt.Errorf("put %q: the analyzed file is %q", doc.Entry.Path, f.Path)
	case doc.Vectors == nil:
		return nil
	case len(doc.Vectors) != len(f.Chunks):
		return fmt.Errorf("put %q: %d vectors for %d chunks", f.Path, len(doc.Vectors), len(f.Chunks))
	}
	for _, v := range doc.Vectors {
		if len(v) != dims {
			return fmt.Errorf("put %q: a vector of %d numbers, want %d", f.Path, len(v), dims)
		}
	}
	return nil
}

// list is a manifest by path.
func list(manifest map[code.Path]*stored) []search.Entry {
	es := make([]search.Entry, 0, len(manifest))
	for _, s := range manifest {
		es = append(es, s.Entry)
	}
	sortEntries(es)
	return es
}

func sortEntries(es []search.Entry) {
	slices.SortFunc(es, func(a, b search.Entry) int { return strings.Compare(a.Path, b.Path) })
}
