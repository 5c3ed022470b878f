package ingest

import (
	"context"
	"errors"
	"slices"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/search/blob"
	"github.com/contextd/contextd/internal/spelling"
)

const (
	namesAtOnce = 100 // files whose names are read in one go
	commonFrom  = 64  // chunks that hold a word, from which on it is taken to stand in a name, too
)

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
