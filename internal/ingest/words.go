package ingest

import (
	"context"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/spelling"
)

// addWords collects, for spelling correction, the words of the names that a file defines, of its own name and of its
// folders' names. Headings of a text are not names.
func (r *run) addWords(f *code.File) {
	r.addPath(f.Path)
	for i := range f.Chunks {
		for k := range f.Chunks[i].Symbols {
			s := &f.Chunks[i].Symbols[k]
			if s.Kind == code.KindSection {
				continue
			}
			r.words.AddName(s.Name)
			if s.Kind == code.KindType || s.Kind == code.KindModule {
				r.words.AddWholeName(s.Name)
			}
		}
	}
}

func (r *run) addPath(p code.Path) {
	stem := lexical.FileStem(p)
	r.words.AddName(stem)
	r.words.AddWholeName(stem)
	for _, dir := range lexical.Dirs(p) {
		r.words.AddName(dir)
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
			r.addPath(entries[i].Path)
		}
	}
	return err
}

// saveWords makes the project's dictionary grow by the words that were noted, or replaces it where all files were put.
// Words of files that are gone stay until then. Of an index that was made before there were dictionaries the files' own
// names are known. Without one, or with an older one, questions are answered all the same: what fails here fails no
// run.
func (r *run) saveWords(ctx context.Context, rebuild bool) {
	var have []byte
	var err error
	if !rebuild {
		have, err = r.index.Attached(ctx, r.project, spelling.Kind)
	}
	if err == nil {
		if !rebuild && have == nil {
			err = r.addPaths(ctx)
		}
		if grown, grew := r.words.MergeInto(have); grew {
			err = r.index.Attach(ctx, r.project, spelling.Kind, grown)
		}
	}
	if err != nil {
		r.opts.Log.Warn("words of names not kept", obs.KeyProject, r.project, "error", err)
	}
}
