package access

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/servers"
)

// Options of a Finder.
type Options struct {
	Index    search.Index
	Embedded bool     // the index is files of this machine: listing its projects is no part of a question's deadline
	Roots    []string // roots that may be read and indexed, with what lies in them; none: any that is named
	// Strict: with no Roots, only roots of projects that are indexed may be read, and none is indexed. For servers.
	Strict bool
	Log    *slog.Logger // nil: none
}

// Finder finds projects among those of an index, and refuses roots that may not be read. Safe for concurrent use.
type Finder struct {
	opts    Options
	allowed *sandbox.Allowed // nil: the settings name no roots
}

// New makes a finder; the allowed roots are those that are there now.
func New(o Options) *Finder {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	f := &Finder{opts: o}
	if len(o.Roots) > 0 {
		f.allowed = sandbox.Allow(o.Roots)
	}
	return f
}

// Allowed are the folders that reading and indexing are confined to; nil where the settings name none.
func (f *Finder) Allowed() *sandbox.Allowed { return f.allowed }

// Sandbox is o, confined to what may be read here.
func (f *Finder) Sandbox(o sandbox.Options) sandbox.Options {
	switch {
	case f.allowed != nil:
		o.Allowed = f.allowed
	case f.opts.Strict:
		o.NoLinks = true // the roots that the index names are real paths
	}
	return o
}

// Resolve finds the project of a question and makes sure that its root may be read. fault: the index could not be asked
// within the limit, and the target is a guess. Of several servers only the target's own count, or any where it is not
// known which that is.
func (f *Finder) Resolve(ctx context.Context, w Where, limit time.Duration) (t Target, fault, err error) {
	find, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	projects, fault := f.Projects(find)
	if rdb.Classify(fault) == rdb.Cluster { // no such store ever serves: the question cannot be
		return t, nil, fault
	}
	if w.Root == "" && w.Dir == "" { // whoever asks has no working directory here: what is not indexed has no root
		if err := code.CheckProjectID(w.Project); err != nil {
			return t, fault, err
		}
		i := slices.IndexFunc(projects, func(p search.Project) bool { return p.ProjectID() == w.Project })
		if i < 0 {
			fault = servers.ForOwner(fault, w.Project)
			return Target{Project: w.Project, Foreign: true}, fault, nil
		}
	}
	t, err = f.Target(projects, w)
	if err == nil {
		fault = FaultOf(t, w, projects, fault)
	}
	return t, fault, err
}

// FaultOf is what of the fault of listing projects concerns a target that was found among those listed. What other
// servers hold than its own does not, unless it may be a guess: the root may be a project there.
func FaultOf(t Target, w Where, projects []search.Project, fault error) error {
	if fault == nil {
		return nil
	}
	if w.Project == "" && !slices.ContainsFunc(projects, func(p search.Project) bool { return p.ID == t.IndexID() }) {
		return fault
	}
	return servers.ForOwner(fault, t.Project)
}

// Target finds the project of a question among projects. A root that is named is checked before anything is told of it.
func (f *Finder) Target(projects []search.Project, w Where) (t Target, err error) {
	if w.Root != "" {
		if w.Root, err = f.confine(projects, w.Root); err != nil {
			return t, err
		}
		w.Real = true
	}
	if t, err = Resolve(projects, w); err != nil {
		return t, err
	}
	if t.Larger != "" && f.readable(projects, t.Larger) != nil {
		t.Larger = ""
	}
	return t, f.readable(projects, t.Root)
}

// TargetOf is the target of a project's root, a real path that may be read. Where the index does not tell, it is the
// project's first.
func (f *Finder) TargetOf(ctx context.Context, project, root string) Target {
	projects, err := f.Projects(ctx)
	if err != nil {
		f.opts.Log.Debug("roots of a project not read", "project", project, "error", err)
	}
	t, err := Resolve(projects, Where{Project: project, Root: root, Real: true})
	if err != nil {
		return Target{Project: project, Root: root}
	}
	return t
}

// Projects lists the projects of the index, whatever may be read of them; a deadline is no fault of the files of the
// embedded index.
func (f *Finder) Projects(ctx context.Context) ([]search.Project, error) {
	if f.opts.Embedded {
		ctx = context.WithoutCancel(ctx)
	}
	return f.opts.Index.Projects(ctx)
}

// readable refuses a root outside of the roots that the settings allow, where they name any. A strict finder with none
// reads what is indexed.
func (f *Finder) readable(projects []search.Project, root string) error {
	known := slices.ContainsFunc(projects, func(p search.Project) bool { return p.Root == root })
	if f.allowed != nil {
		_, err := f.allowed.Confine(root)
		if known && errors.Is(err, sandbox.ErrMissing) {
			return nil // an allowed root that went away: its project is asked, and answers that it is stale
		}
		return err
	}
	if f.opts.Strict && !known {
		return fmt.Errorf("root %q: %w", root, sandbox.ErrNotAllowed)
	}
	return nil
}

// Confine is the real path of a root that may be read here.
func (f *Finder) Confine(ctx context.Context, root string) (string, error) {
	var projects []search.Project
	if f.allowed == nil && f.opts.Strict {
		var err error
		if projects, err = f.Projects(ctx); err != nil {
			return "", err
		}
	}
	return f.confine(projects, root)
}

// confine is Confine among projects. All that is not allowed gets one answer: it tells neither what is there nor where
// links lead.
func (f *Finder) confine(projects []search.Project, root string) (string, error) {
	abs, err := filepath.Abs(root)
	if err != nil {
		return "", fmt.Errorf("root %q: %w", root, err)
	}
	if f.allowed != nil {
		return f.allowed.Confine(abs)
	}
	real, err := RealDir(root)
	if !f.opts.Strict {
		return real, err
	}
	if err != nil && f.readable(projects, abs) == nil {
		return "", err // the root of a project went away
	}
	if err != nil || f.readable(projects, real) != nil {
		return "", fmt.Errorf("root %q: %w", root, sandbox.ErrNotAllowed)
	}
	return real, nil
}

// May reports whether root may be indexed here.
func (f *Finder) May(root string) bool {
	if f.allowed == nil {
		return !f.opts.Strict
	}
	_, err := f.allowed.Confine(root)
	return err == nil
}
