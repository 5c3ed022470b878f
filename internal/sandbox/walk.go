package sandbox

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/syserr"
)

// Tree is what a walk found.
type Tree struct {
	Files    []File    // sorted by the bytes of their paths
	Skipped  []Skipped // one for each folder or file that is left out, sorted likewise
	Warnings []string  // what could not be read beside the files, such as a damaged git index
}

// Walk gives the files of the whole root. It fails when ctx ends, the root itself cannot be read, or the system
// runs out of handles or memory: half a tree would look like files removed.
//
// A tree that takes more memory than Options.MaxWalkBytes is walked as far as that goes, the folders next to the root
// first, and always equally far.
func (r *Root) Walk(ctx context.Context) (*Tree, error) {
	s := r.newScan()
	t, err := r.walk(ctx, newWalker(s))
	if err == nil && s.mem.over.Load() {
		w := newWalker(r.newScan())
		w.workers = 1
		return r.walk(ctx, w)
	}
	return t, err
}

func (r *Root) walk(ctx context.Context, w *walker) (*Tree, error) {
	s := w.s
	l := &w.first
	if err := r.list("", s.prefix, l); err != nil {
		return nil, fmt.Errorf("walk root %q: %w", r.path, syserr.Cause(err))
	}
	d, v := s.top(l)
	root := &node{full: s.prefix}
	if v.reason != "" {
		l.done()
		root.skipped = append(root.skipped, Skipped{Dir: true, Reason: v.reason, Detail: v.detail})
	} else {
		w.scanDir(root, d, l)
	}
	if err := w.run(ctx); err != nil {
		return nil, fmt.Errorf("walk root %q: %w", r.path, err)
	}
	return s.tree(root), nil
}

// node is a walked folder with what was found directly in it, each list sorted by name.
type node struct {
	full    string // ends in "/"
	files   []File
	skipped []Skipped
	kids    []*node
}

// tree collects what lies below root, in order, without recursion.
func (s *scan) tree(roots ...*node) *Tree {
	t := &Tree{Warnings: s.warnings}
	files, skipped := 0, 0
	// A folder's place is that of its name with the slash: "tokio-macros/" comes before "tokio/".
	byPath := func(a, b *node) int { return strings.Compare(a.full, b.full) }
	slices.SortFunc(roots, byPath)
	eachNode(roots, func(n *node) {
		files, skipped = files+len(n.files), skipped+len(n.skipped)
		slices.SortFunc(n.kids, byPath)
	})
	t.Files, t.Skipped = make([]File, 0, files), make([]Skipped, 0, skipped)
	type frame struct {
		n        *node
		file, to int
	}
	for _, root := range roots {
		for stack := []frame{{n: root}}; len(stack) > 0; {
			f := &stack[len(stack)-1]
			if f.to == len(f.n.kids) {
				t.Files = append(t.Files, f.n.files[f.file:]...)
				t.Skipped = append(t.Skipped, f.n.skipped...)
				stack = stack[:len(stack)-1]
				continue
			}
			kid := f.n.kids[f.to]
			f.to++
			below, from := kid.full[s.skip:], f.file
			for f.file < len(f.n.files) && f.n.files[f.file].Path < below {
				f.file++
			}
			t.Files = append(t.Files, f.n.files[from:f.file]...)
			stack = append(stack, frame{n: kid})
		}
	}
	slices.SortFunc(t.Skipped, func(a, b Skipped) int { return strings.Compare(a.Path, b.Path) })
	return t
}

func eachNode(roots []*node, f func(*node)) {
	for stack := slices.Clone(roots); len(stack) > 0; {
		n := stack[len(stack)-1]
		stack = append(stack[:len(stack)-1], n.kids...)
		f(n)
	}
}
