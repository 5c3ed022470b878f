package session

import (
	"context"
	"fmt"

	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/sandbox"
)

// Bounds of what one Files may read.
const (
	maxRoots = 8
	maxRead  = 64 << 20
)

// files reads files of all roots of a project, each through one handle.
type files struct {
	roots  []*sandbox.Root
	checks []*sandbox.Checker // of the same roots
	left   int                // bytes that may still be read
}

// Files opens the roots of a project that are there and may be read.
func (s *Session) Files(ctx context.Context, project string) (prompt.Files, error) {
	states, err := s.store.Projects(ctx, project)
	if err != nil {
		return nil, fmt.Errorf("list roots of project %q: %w", project, err)
	}
	f := &files{left: maxRead}
	for _, p := range states {
		if len(f.roots) == maxRoots {
			break
		}
		root, err := sandbox.Open(p.Root, s.opts.Sandbox)
		if err != nil {
			continue // gone, or not to be read by this session
		}
		f.roots, f.checks = append(f.roots, root), append(f.checks, root.NewChecker())
	}
	return f, nil
}

// Texts implements [prompt.Files]: what the rules leave out by now has no text.
func (f *files) Texts(ctx context.Context, path string) (texts []string) {
	for i, root := range f.roots {
		if f.left <= 0 || ctx.Err() != nil {
			break
		}
		file, skip := f.checks[i].Check(path)
		if skip.Reason != "" {
			continue
		}
		data, _, err := root.Read(file.Path)
		if err != nil {
			continue
		}
		f.left -= len(data)
		if text, skip, err := file.ContentWithin(ctx, data); err == nil && skip.Reason == "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// Close closes the roots.
func (f *files) Close() (err error) {
	for _, root := range f.roots {
		if e := root.Close(); e != nil {
			err = e
		}
	}
	return err
}
