package sandbox

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/code"
)

// WalkPaths gives the files among paths, and those below paths that are folders, with the verdicts of Walk. A path that
// does not exist appears in Skipped as missing, one below a folder that is left out with the reason for it.
func (r *Root) WalkPaths(ctx context.Context, paths []code.Path) (*Tree, error) {
	return r.newProber().walkPaths(ctx, paths)
}

// walkPaths is Root.WalkPaths.
func (p *prober) walkPaths(ctx context.Context, paths []code.Path) (*Tree, error) {
	r := p.s.r
	var alone node
	var roots []*node
	walked := map[string]bool{}
	for _, path := range r.normalPaths(paths) {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("walk paths of root %q: %w", r.path, err)
		}
		if anyAbove(walked, path) {
			continue
		}
		f, skip := p.check(path)
		switch {
		case skip.Reason == "":
			alone.files = append(alone.files, f)
		case skip.Dir && !p.dir(skip.Path).closed && skip.Reason != code.Unreadable:
			walked[skip.Path] = true
			n, err := p.subtree(ctx, skip.Path)
			if err != nil {
				return nil, err
			}
			roots = append(roots, n)
		default:
			alone.skipped = append(alone.skipped, skip)
		}
	}
	if err := p.s.failure(); err != nil {
		return nil, fmt.Errorf("walk paths of root %q: %w", r.path, err)
	}
	t := p.s.tree(append(roots, &alone)...)
	slices.SortFunc(t.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return t, nil
}

// normalPaths is paths in their normal form, sorted, each once.
func (r *Root) normalPaths(paths []code.Path) []string {
	sorted := make([]string, 0, len(paths))
	for _, path := range paths {
		if rel, ok := r.normal(path); ok {
			path = rel
		}
		sorted = append(sorted, path)
	}
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

// anyAbove reports whether a folder above path is in set.
func anyAbove(set map[string]bool, path string) bool {
	if set[""] {
		return true
	}
	for i := range len(path) {
		if path[i] == '/' && set[path[:i]] {
			return true
		}
	}
	return false
}

// subtree walks the folder rel.
func (p *prober) subtree(ctx context.Context, rel string) (*node, error) {
	s := p.s
	d := p.dir(rel)
	n := &node{full: d.full}
	w := newWalker(s)
	w.dirs = p.entered
	if err := s.r.list(rel, d.full, &w.first); err != nil {
		s.exhausted(err)
		return n, nil // gone or closed since it was looked at
	}
	w.scanDir(n, d, &w.first)
	if err := w.run(ctx); err != nil {
		return nil, fmt.Errorf("walk %q: %w", rel, err)
	}
	return n, nil
}
