// Package roots reads files of all roots of a project as they are now, each root through one handle.
//
// What was compiled into a prompt names a project and a path, not a root; whoever shows its text again looks into each
// root that there is. What the rules leave out by now has no text.
package roots

import (
	"context"
	"fmt"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/sandbox"
)

// Bounds of what one Files may read.
const (
	maxRoots = 8
	maxRead  = 64 << 20
)

// Reader opens the roots of projects. Safe for concurrent use.
type Reader struct {
	store   *backend.Backend
	sandbox sandbox.Options
}

// New makes a reader of the projects of a store, within what a sandbox allows.
func New(store *backend.Backend, o sandbox.Options) *Reader { return &Reader{store: store, sandbox: o} }

// Files are the files of one project. They are used by one goroutine.
type Files struct {
	roots  []*sandbox.Root
	checks []*sandbox.Checker // of the same roots
	left   int                // bytes that may still be read
}

// Open opens the roots of a project that are there and may be read.
func (r *Reader) Open(ctx context.Context, project string) (*Files, error) {
	states, err := r.store.Projects(ctx, project)
	if err != nil {
		return nil, fmt.Errorf("list roots of project %q: %w", project, err)
	}
	f := &Files{left: maxRead}
	for _, p := range states {
		if len(f.roots) == maxRoots {
			break
		}
		root, err := sandbox.Open(p.Root, r.sandbox)
		if err != nil {
			continue // gone, or not to be read here
		}
		f.roots, f.checks = append(f.roots, root), append(f.checks, root.NewChecker())
	}
	return f, nil
}

// Texts returns the text of a file from each root that has it and lets it be indexed.
func (f *Files) Texts(ctx context.Context, path string) (texts []string) {
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
func (f *Files) Close() (err error) {
	for _, root := range f.roots {
		if e := root.Close(); e != nil {
			err = e
		}
	}
	return err
}
