package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/queue/spool"
	"github.com/contextd/contextd/internal/sandbox"
)

// enqueued is what "enqueue --json" prints.
type enqueued struct {
	Project string `json:"project"`
	ID      string `json:"id"`                // of the request, or the name of its file in the spool
	Spooled bool   `json:"spooled,omitempty"` // it waits in the spool
}

func enqueueCommand() *cobra.Command {
	var project string
	var asJSON, spoolOnly bool
	cmd := &cobra.Command{Use: "enqueue DIR [PATH ...]",
		Short: "ask the daemon to bring a folder, or some paths in it, up to date",
		Long: "enqueue asks the daemon to bring DIR up to date, or only the given paths: relative to DIR, or absolute inside it.\n" +
			"It returns at once. The request waits until a daemon comes. Where the store takes none it is written to the directory of\n" +
			"--spool, if that is set, from which a daemon or a server with the same --spool delivers it once the store does.",
		Args: cli.Args("DIR [PATH ...]", 1, -1),
		RunE: withTimeout(func(cmd *cobra.Command, args []string, s *setup) error {
			root, err := s.root(args[0])
			if err != nil {
				return err
			}
			id, err := projectOf(cmd, project, root)
			if err != nil {
				return err
			}
			paths, err := relative(args[0], root, args[1:])
			if err != nil {
				return err
			}
			r := queue.Request{Project: id, Root: root, Paths: paths, At: time.Now()}
			var done enqueued
			if spoolOnly {
				done, err = s.spool(r)
			} else {
				done, err = s.enqueue(cmd.Context(), r)
			}
			if err != nil {
				return err
			}
			verb := "queued"
			if done.Spooled {
				verb = "spooled"
			}
			return cli.Answer(cmd, asJSON, done, true, cli.Line("%s %s (project %s)", verb, done.ID, id))
		})}
	projectFlag(cmd, &project, "id of the project (default: from the folder's name and path)")
	jsonFlag(cmd, &asJSON)
	cmd.Flags().BoolVar(&spoolOnly, "spool-only", false, "write the request to the spool without asking the store")
	return cmd
}

// enqueue pushes a request or, where the store takes none and a spool was named, writes it there.
func (s *setup) enqueue(ctx context.Context, r queue.Request) (enqueued, error) {
	var id string
	q, err := s.back.Queue()
	if err == nil {
		id, err = q.Push(ctx, r)
	}
	switch {
	case err == nil:
		return enqueued{Project: r.Project, ID: id}, nil
	case s.cfg.Spool == "" || backend.NeverServes(err) || errors.Is(err, context.Canceled):
		return enqueued{}, err
	}
	done, spoolErr := s.spool(r)
	if spoolErr != nil {
		return done, fmt.Errorf("%w; %w", err, spoolErr)
	}
	s.log.Warn("the store takes no requests: this one waits in the spool", "spool", s.cfg.Spool, obs.KeyError, err)
	return done, nil
}

// spool writes a request to the spool.
func (s *setup) spool(r queue.Request) (enqueued, error) {
	name, err := spool.Open(s.cfg.SpoolDir()).Put(r)
	return enqueued{Project: r.Project, ID: name, Spooled: true}, err
}

// relative turns paths given by a user into paths of the root; nil where one of them is the root itself.
func relative(dir, root string, paths []string) ([]code.Path, error) {
	given, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open root %q: %w", dir, err)
	}
	var out []code.Path
	for _, p := range paths {
		rel := filepath.Clean(p)
		if filepath.IsAbs(p) {
			base := root
			if !sandbox.Within(root, rel) {
				base = given // named through a link
			}
			if rel, err = filepath.Rel(base, rel); err != nil {
				return nil, fmt.Errorf("path %q: %w", p, err)
			}
		}
		switch {
		case p == "" || !filepath.IsLocal(rel):
			return nil, cli.Hint(fmt.Errorf("path %q: not inside %q", p, dir),
				"give paths relative to DIR, or absolute ones inside it")
		case rel == ".":
			return nil, nil
		}
		out = append(out, filepath.ToSlash(rel))
	}
	return out, nil
}
