package redisearch

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

// Put implements search.Writer.
func (w *writer) Put(ctx context.Context, doc search.Document) error {
	if err := w.checkUsable(ctx); err != nil {
		return err
	}
	if err := doc.Check(w.rec.Model.Dims); err != nil {
		return fmt.Errorf("put %q: %w", doc.Entry.Path, err)
	}
	f := doc.File
	s := &stored{Entry: doc.Entry}
	s.Language, s.Chunks, s.Lens = f.Language, len(f.Chunks), f.Lens()
	c := change{path: s.Path, language: f.Language, name: string(encodeName(f)), seq: w.nextSeq()}
	s.seq = c.seq
	dims := 0
	if doc.Vectors != nil {
		dims = w.rec.Model.Dims
	}
	c.blob = string(encodeBlob(f, doc.Vectors, dims))
	old, err := w.entry(ctx, s.Path)
	if err != nil {
		return err
	}
	if w.expected > 0 {
		if err := w.beginIndex(ctx); err != nil {
			return err
		}
	}
	if w.rec.mode == search.Full {
		w.planChunks(&c, s, old, &doc)
	}
	c.entry = string(s.encode())
	w.setEntry(old, s)
	return w.batch.add(c)
}

// planChunks sets the ids of a file's chunks, and which chunks the change adds and drops.
func (w *writer) planChunks(c *change, s, old *stored, doc *search.Document) {
	had := map[chunkID]bool{}
	if old != nil {
		for _, id := range old.ids {
			had[id] = true
		}
	}
	seen, form := map[chunkID]int{}, formOf(w.rec.ver)
	kind := 0
	if doc.Vectors == nil && w.rec.Model.Dims > 0 {
		kind = noVectorFlag // with a vector it is another chunk: it must be written again to get one
	}
	s.ids = make([]chunkID, len(doc.File.Chunks))
	for i := range doc.File.Chunks {
		ch := &doc.File.Chunks[i]
		w.words.appendTerms(ch, form.weights())
		id := identify(s.Path, doc.File.Language, &w.words, ch.Text, kind)
		if n := seen[id]; n > 0 {
			seen[id]++
			id = identify(s.Path, doc.File.Language, &w.words, ch.Text, kind+n)
		} else {
			seen[id] = 1
		}
		s.ids[i] = id
		if had[id] {
			delete(had, id)
			continue
		}
		n := newChunk{id: id}
		for i := range w.words {
			n.words[i] = string(w.words[i])
		}
		if doc.Vectors != nil {
			n.vec = form.vector(doc.Vectors[i])
		}
		c.add = append(c.add, n)
	}
	c.drop = slices.AppendSeq(c.drop, maps.Keys(had))
}

// Touch implements search.Writer.
func (w *writer) Touch(ctx context.Context, entry search.Entry) error {
	if err := w.checkUsable(ctx); err != nil {
		return err
	}
	old, err := w.entry(ctx, entry.Path)
	if err != nil {
		return err
	}
	s := &stored{Entry: entry}
	c := change{path: entry.Path}
	if entry.Skip != "" {
		s.Language, s.Chunks, s.Lens = "", 0, [code.NumFields]int{}
		if old != nil {
			c.drop = old.ids
			if old.Skip == "" {
				c.seq = w.nextSeq()
			}
		}
	} else {
		if old == nil || old.Skip != "" || old.Hash != entry.Hash {
			return fmt.Errorf("touch %q: its content is not the indexed one", entry.Path)
		}
		s.Language, s.Chunks, s.Lens, s.ids, s.seq = old.Language, old.Chunks, old.Lens, old.ids, old.seq
		c.blob, c.name = keepValue, keepValue
	}
	c.entry = string(s.encode())
	w.setEntry(old, s)
	return w.batch.add(c)
}

// Delete implements search.Writer.
func (w *writer) Delete(ctx context.Context, path code.Path) error {
	if err := w.checkUsable(ctx); err != nil {
		return err
	}
	old, err := w.entry(ctx, path)
	if old == nil || err != nil {
		return err
	}
	w.rec.add(&old.Entry, -1)
	w.rec.rows--
	if delete(w.manifest, path); w.named {
		w.manifest[path] = nil
	}
	c := change{path: path, drop: old.ids}
	if old.Skip == "" {
		w.puts, c.seq = true, w.nextSeq()
	}
	return w.batch.add(c)
}

// nextSeq returns the number of a change to a build that serves; 0 in other builds, whose changes become visible
// together.
func (w *writer) nextSeq() int64 {
	if w.fresh {
		return 0
	}
	w.rec.seq++
	return w.rec.seq
}

// setEntry replaces an entry in the manifest and adjusts the counts.
func (w *writer) setEntry(old, s *stored) {
	if old != nil {
		w.rec.add(&old.Entry, -1)
	} else {
		w.rec.rows++
	}
	w.rec.add(&s.Entry, 1)
	w.manifest[s.Path] = s
	w.puts = w.puts || s.Skip == ""
}
