package ingest

import (
	"context"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/spelling"
)

// addWords collects, for spelling correction, the words of a file that is put.
func (r *run) addWords(f *code.File) {
	addPath(&r.words, f.Path)
	for i := range f.Chunks {
		addSymbols(&r.words, f.Chunks[i].Symbols)
	}
}

// addSymbols adds the words of the names that are defined. Headings of a text are not names.
func addSymbols(words *spelling.Set, symbols []code.Symbol) {
	for i := range symbols {
		s := &symbols[i]
		if s.Kind == code.KindSection {
			continue
		}
		words.AddName(s.Name)
		if s.Kind == code.KindType || s.Kind == code.KindModule {
			words.AddWholeName(s.Name)
		}
	}
}

// addPath adds the words of a file's own name and of its folders' names.
func addPath(words *spelling.Set, p code.Path) {
	stem := lexical.FileStem(p)
	words.AddName(stem)
	words.AddWholeName(stem)
	for _, dir := range lexical.Dirs(p) {
		words.AddName(dir)
	}
}

// addPaths collects the words of the names of all files in the index.
func (r *run) addPaths(ctx context.Context) error {
	snap, err := r.index.Open(ctx, r.project)
	if err != nil {
		return err
	}
	defer snap.Close()
	entries, err := snap.Entries(ctx)
	for i := range entries {
		if entries[i].Skip == "" {
			addPath(&r.words, entries[i].Path)
		}
	}
	return err
}

// saveWords adds the words that were noted to the project's dictionary, and takes out those of before that no name has
// any more. Where all files were put, or their words are read again, it replaces the dictionary. Of an index that was
// made before there were dictionaries the files' own names are known. Without one, or with an older one, questions are
// answered all the same: what fails here fails no run.
func (r *run) saveWords(ctx context.Context, first bool) {
	var have []byte
	var gone []string
	var err error
	if !first {
		have, err = r.index.Attached(ctx, r.project, spelling.Kind)
	}
	switch {
	case err != nil || first:
	case have == nil:
		err = r.addPaths(ctx)
	default:
		gone = r.goneWords(ctx, have)
	}
	if err == nil {
		if now, changed := r.words.MergeInto(have, gone...); changed {
			err = r.index.Attach(ctx, r.project, spelling.Kind, now)
		}
	}
	if err != nil {
		r.opts.Log.Warn("words of names not kept", obs.KeyProject, r.project, "error", err)
	}
}
