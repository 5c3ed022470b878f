package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/config"
	"github.com/contextd/contextd/internal/freshness"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/revision"
	"github.com/contextd/contextd/internal/safetext"
	"github.com/contextd/contextd/internal/sandbox"
)

// revisionsShare: kept revisions take at most one part in so many of MaxStateBytes, beside it.
const revisionsShare = 4

// revisionReply is the answer of query --git.
type revisionReply struct {
	*retrieve.Reply
	Revision askedRevision `json:"revision"`
}

// askedRevision is the commit whose files were asked.
type askedRevision struct {
	Name   string `json:"name"`   // as it was given
	Commit string `json:"commit"` // full hash
}

// line is what the text of an answer begins with.
func (r askedRevision) line() string {
	return fmt.Sprintf("Revision %s (commit %.10s)\n\n", safetext.Line(r.Name), r.Commit)
}

// checkRevision checks the flags beside --git.
func (f *queryFlags) checkRevision() error {
	switch {
	case len(f.roots) > 1:
		return errors.New("flag --git: want one --root, as a revision is one repository's")
	case f.generation > 0:
		return errors.New("flag --git: want no --min-generation, as a revision never changes")
	case f.noIndex:
		return errors.New("flag --git: want no --no-index, as a revision is indexed when it is first asked")
	}
	return nil
}

// askRevision puts the question to the files of a commit, which are kept as a root of their own with an index of their
// own: neither the working tree nor its project is touched. main knows the project and which roots may be read.
func (f *queryFlags) askRevision(
	ctx context.Context, main *app.App, cfg config.Config, log *slog.Logger, req retrieve.Request,
	progress func(done, total int),
) (*retrieve.Reply, askedRevision, error) {
	root := cmp.Or(f.roots...)
	w := where(f.project, root)
	// where the store does not answer, the root is known all the same
	t, _, err := main.Access.Resolve(ctx, w, req.Deadline)
	if err != nil {
		return nil, askedRevision{}, err
	}
	req.Globs = relativeGlobs(req.Globs, t.Root, root)
	box := cli.Sandbox(cfg)
	if len(cfg.AllowRoots) > 0 {
		box.Allowed = sandbox.Allow(cfg.AllowRoots)
	}
	kept := revision.New(revision.Options{Dir: revision.DirIn(cfg.StateDir),
		Bytes: max(cfg.MaxStateBytes/revisionsShare, 1), MaxFiles: cfg.MaxFiles, TreeBytes: cfg.MaxProjectBytes,
		Sandbox: box, Log: log})
	for try := 1; ; try++ {
		tree, err := kept.Open(ctx, t.Root, f.git)
		if err != nil {
			return nil, askedRevision{}, err
		}
		reply, err := f.askTree(ctx, main, cfg, log, tree, req, progress)
		switch {
		case errors.Is(err, revision.ErrAltered) && try == 1:
			log.Warn("revision written out again", "revision", f.git, "error", err)
			err = tree.Discard()
			if err == nil {
				continue
			}
		case err == nil:
			if err := tree.Keep(); err != nil {
				log.Warn("revision not kept", "revision", f.git, "error", err)
			}
		}
		tree.Close()
		if err != nil {
			return nil, askedRevision{}, err
		}
		reply.Project, reply.Root = t.Project, t.Root
		return reply, askedRevision{Name: f.git, Commit: tree.Commit}, nil
	}
}

// askTree asks the files of a kept tree by a store of their own, on the embedded backing, and checks each file that is
// shown against the hash that the commit has of it.
func (f *queryFlags) askTree(
	ctx context.Context, main *app.App, cfg config.Config, log *slog.Logger, tree *revision.Tree, req retrieve.Request,
	progress func(done, total int),
) (*retrieve.Reply, error) {
	cfg.Redis, cfg.StateDir, cfg.AllowRoots = "", tree.Index(), []string{tree.Files()}
	s, err := openApp(cfg, log, req.Deadline, false, func(o *app.Options) {
		// a text of the working tree's needs no server again
		o.Ingester = o.Ingester.WithVectors(main.Backend.Vectors())
	})
	if err != nil {
		return nil, err
	}
	defer closeApp(s, log)
	reply, err := s.Answers.Query(ctx, req, where("", tree.Files()), freshness.First, progress)
	if err != nil {
		return nil, err
	}
	var shown []code.Path
	for _, r := range reply.Results {
		shown = append(shown, r.Path)
	}
	return reply, tree.Verify(shown)
}

// relativeGlobs are globs relative to the root where they are absolute and inside of it.
func relativeGlobs(globs []string, root, given string) []string {
	bases := []string{root}
	if abs, err := filepath.Abs(given); err == nil && given != "" {
		bases = append(bases, abs)
	}
	out := make([]string, len(globs))
	for i, g := range globs {
		out[i] = g
		for _, base := range bases {
			if rest, ok := strings.CutPrefix(filepath.ToSlash(g),
				strings.TrimSuffix(filepath.ToSlash(base), "/")+"/"); ok {
				out[i] = "./" + rest
				break
			}
		}
	}
	return out
}
