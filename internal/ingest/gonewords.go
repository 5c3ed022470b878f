package ingest

import (
	"context"
	"errors"
	"slices"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/search/blob"
	"github.com/contextd/contextd/internal/spelling"
)

// A word leaves the dictionary when the last name that has it goes. The index does not count names by word, so a run
// notes which words the files that it replaces or removes had, and looks each up that their new versions do not have.
// Where that would be many it reads the names of all files again, as the switch to a version made from nothing does:
// words that a run which died left behind go then.
const (
	namesAtOnce  = 100    // files whose names are read in one go
	mostReplaced = 10_000 // files whose words are noted
	mostLookUps  = 128    // words looked up
	commonFrom   = 64     // chunks that hold a word, from which on it is taken to stand in a name, too
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

// errNotAll means that an answer of the index lacks something.
var errNotAll = errors.New("the index did not answer in full")

// standsInName reports whether a file that holds a word has it in a name.
func standsInName(ctx context.Context, snap search.Snapshot, word string) (bool, error) {
	found, err := snap.Nominate(ctx, search.Query{Words: []code.Term{lexical.Word(lexical.Stem(word))},
		Names: []code.Term{lexical.Name(word), lexical.FileName(word)}, Files: 2 * commonFrom})
	if err != nil {
		return false, err
	}
	if found.Partial || found.Building || len(found.Stats.DF) == 0 {
		return false, errNotAll
	}
	if found.Stats.DF[0] >= commonFrom {
		return true, nil
	}
	lookup := blob.NewLookup(nil)
	for i := range found.Files {
		words, err := namesOf(lookup, &found.Files[i])
		if err != nil {
			return false, err
		}
		if words.Has(word) {
			return true, nil
		}
	}
	return false, nil
}

// allNames are the words of all files.
func allNames(ctx context.Context, snap search.Snapshot) (*spelling.Set, error) {
	entries, err := snap.Entries(ctx)
	if err != nil {
		return nil, err
	}
	all := &spelling.Set{}
	var paths []code.Path
	for i := range entries {
		if e := &entries[i]; e.Skip == "" {
			addPath(all, e.Path)
			if e.Chunks > 0 {
				paths = append(paths, e.Path)
			}
		}
	}
	n := 0
	err = readNames(ctx, snap, paths, func(_ code.Path, words *spelling.Set) {
		all.Add(words)
		n++
	})
	if err == nil && n < len(paths) {
		err = errNotAll
	}
	return all, err
}

// readNames calls f with the words of each file's names.
func readNames(ctx context.Context, snap search.Snapshot, paths []code.Path, f func(code.Path, *spelling.Set)) error {
	for part := range slices.Chunk(paths, namesAtOnce) {
		found, err := snap.Nominate(ctx, search.Query{Paths: part, Files: len(part)})
		if err != nil {
			return err
		}
		lookup := blob.NewLookup(nil)
		for i := range found.Files {
			words, err := namesOf(lookup, &found.Files[i])
			if err != nil {
				return err
			}
			f(found.Files[i].Entry.Path, words)
		}
	}
	return nil
}

// namesOf are the words of a file's names.
func namesOf(lookup *blob.Lookup, c *search.Candidate) (*spelling.Set, error) {
	features, err := lookup.Read(c.Features)
	if err != nil {
		return nil, err
	}
	words := &spelling.Set{}
	addPath(words, c.Entry.Path)
	for i := range features.Chunks {
		addSymbols(words, features.Chunks[i].Symbols)
	}
	return words, nil
}
