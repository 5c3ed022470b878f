package ingest

import (
	"context"
	"slices"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/spelling"
)

// A word leaves the dictionary when the last name that has it goes. The index does not count names by word, so a run
// notes which words the files that it replaces or removes had, and looks each up that their new versions do not have.
// Where that would be many it reads the names of all files again, as the switch to a version made from nothing does:
// words that a run which died left behind go then.
const (
	mostReplaced = 10_000 // files whose words are noted
	mostLookUps  = 128    // words looked up
)

// replacedWords are the words of files as they were before the run.
type replacedWords struct {
	before   map[code.Path]*spelling.Set
	replaced spelling.Set // of those that it did replace or remove
	readAll  bool         // the names of all files shall be read
}

// noteWords notes the words of the files that a run may replace or remove.
func (r *run) noteWords(ctx context.Context, d treeDiff) {
	var paths []code.Path
	note := func(e *search.Entry) {
		if e != nil && e.Skip == "" {
			paths = append(paths, e.Path)
		}
	}
	for _, e := range d.removed {
		note(e)
	}
	for i := range d.files {
		if !d.files[i].unchanged {
			note(d.files[i].old)
		}
	}
	if r.old.readAll = len(paths) > mostReplaced; len(paths) == 0 || r.old.readAll {
		return
	}
	r.old.before = map[code.Path]*spelling.Set{}
	err := r.withSnapshot(ctx, func(snap search.Snapshot) error {
		return readNames(ctx, snap, paths, func(p code.Path, words *spelling.Set) { r.old.before[p] = words })
	})
	if err != nil { // the words stay until all names are read
		r.opts.Log.Debug("words of files before they change not read", obs.KeyProject, r.project, "error", err)
	}
}

// replace notes that a file is no longer as it was.
func (w *replacedWords) replace(p code.Path) {
	if words := w.before[p]; words != nil {
		w.replaced.Add(words)
	}
}

// goneWords are the words of the dictionary that no name has any more. It may add to r.words what the dictionary lacks.
func (r *run) goneWords(ctx context.Context, have []byte) (gone []string) {
	var doubtful []string
	for w := range spelling.Words(have) {
		if r.old.replaced.Has(w) && !r.words.Has(w) {
			doubtful = append(doubtful, w)
		}
	}
	if len(doubtful) == 0 && !r.old.readAll {
		return nil
	}
	err := r.withSnapshot(ctx, func(snap search.Snapshot) error {
		if r.old.readAll || len(doubtful) > mostLookUps {
			all, err := allNames(ctx, snap)
			if err != nil {
				return err
			}
			r.words.Add(all)
			gone = slices.DeleteFunc(slices.Collect(spelling.Words(have)), all.Has)
			return nil
		}
		for _, w := range doubtful {
			stands, err := standsInName(ctx, snap, w)
			if err != nil {
				return err
			}
			if !stands {
				gone = append(gone, w)
			}
		}
		return nil
	})
	if err != nil {
		r.opts.Log.Debug("words that are gone not looked for", obs.KeyProject, r.project, "error", err)
		return nil
	}
	return gone
}

// withSnapshot calls f with the index as it is, if it can be searched by words: others correct no spelling.
func (r *run) withSnapshot(ctx context.Context, f func(search.Snapshot) error) error {
	if mode, err := r.index.Mode(ctx); err != nil || mode != search.Full {
		return err
	}
	snap, err := r.index.Open(ctx, r.project)
	if err != nil {
		return err
	}
	defer snap.Close()
	return f(snap)
}
