package retrieve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/safetext"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
)

// MaxSkipped bounds how many skipped files are listed at once.
const MaxSkipped = 1000

// walkTime bounds the walk through the root.
const walkTime = 5 * time.Second

// Skipped lists what is left out of an index.
type Skipped struct {
	Project string              `json:"project"`
	Root    string              `json:"root"`
	Counts  map[code.Reason]int `json:"counts"` // of all reasons; a folder counts once
	Files   []SkippedFile       `json:"files"`  // by path
	More    bool                `json:"more"`   // there are more than Files, or the walk took too long to find them all
}

// SkippedFile is a file, or a folder with all that is in it, that is left out.
type SkippedFile struct {
	Path   string      `json:"path"`
	Dir    bool        `json:"dir"`
	Reason code.Reason `json:"reason"`
	Detail string      `json:"detail"` // the rule, its file and line
}

// Skipped lists what is left out of an index now: by name and place as a walk finds it, by content as the index knows
// it. reason, unless it is "", chooses one; at most limit files are listed. An error means that the index could not be
// asked, or the root not be read.
func (rt *Retriever) Skipped(
	ctx context.Context, t access.Target, reason code.Reason, limit int, caps Caps,
) (*Skipped, error) {
	root, err := sandbox.Open(t.Root, rt.opts.Sandbox)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	entries, held, err := rt.entries(ctx, t)
	if err != nil {
		return nil, err
	}
	out := &Skipped{Project: t.Project, Root: t.Root, Counts: map[code.Reason]int{}, Files: []SkippedFile{}}
	var all []SkippedFile
	add := func(f SkippedFile) {
		if out.Counts[f.Reason]++; reason == "" || f.Reason == reason {
			f.Detail = safetext.Cut(f.Detail, maxDetail)
			all = append(all, f)
		}
	}
	walk, cancel := context.WithTimeout(ctx, walkTime)
	defer cancel()
	tree, err := root.Walk(walk)
	switch {
	case err == nil:
		for _, s := range tree.Skipped {
			add(SkippedFile{s.Path, s.Dir, s.Reason, s.Detail})
		}
		for _, f := range tree.Files {
			if e, known := entries[f.Path]; known {
				if e.Skip != "" {
					add(SkippedFile{f.Path, false, e.Skip, e.Detail})
				}
				continue
			}
			if held.Generation == 0 {
				continue
			}
			switch {
			case held.Files >= caps.Files:
				add(SkippedFile{f.Path, false, code.CapFiles,
					fmt.Sprintf("the project holds its greatest number of files, %d", caps.Files)})
			case held.Bytes+f.Size > caps.Bytes:
				add(SkippedFile{f.Path, false, code.CapBytes,
					fmt.Sprintf("the project holds %d bytes of at most %d", held.Bytes, caps.Bytes)})
			}
		}
	case ctx.Err() == nil && walk.Err() != nil: // what the index knows is told all the same
		out.More = true
		for _, e := range entries {
			if e.Skip != "" {
				add(SkippedFile{e.Path, false, e.Skip, e.Detail})
			}
		}
	default:
		return nil, err
	}
	slices.SortFunc(all, func(a, b SkippedFile) int { return cmp.Compare(a.Path, b.Path) })
	n := min(len(all), limit, MaxSkipped)
	out.Files, out.More = append(out.Files, all[:n]...), out.More || len(all) > n
	return out, nil
}

// maxDetail bounds the text of a rule in a list, in bytes.
const maxDetail = 500

// entries are the manifest and the record of a target's index; none of both where it has none of this root.
func (rt *Retriever) entries(ctx context.Context, t access.Target) (map[code.Path]search.Entry, search.Project, error) {
	snap, err := rt.opts.Index.Open(ctx, t.IndexID())
	if errors.Is(err, search.ErrNoProject) {
		return nil, search.Project{}, nil
	}
	if err != nil {
		return nil, search.Project{}, fmt.Errorf("open project %q: %w", t.IndexID(), err)
	}
	defer snap.Close()
	if snap.Project().Root != t.Root {
		return nil, search.Project{}, nil
	}
	list, err := snap.Entries(ctx)
	if err != nil {
		return nil, search.Project{}, fmt.Errorf("list files of project %q: %w", t.IndexID(), err)
	}
	entries := make(map[code.Path]search.Entry, len(list))
	for _, e := range list {
		entries[e.Path] = e
	}
	return entries, snap.Project(), nil
}
