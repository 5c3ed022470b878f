package main

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/queue"
)

// enqueued is what "enqueue --json" prints.
type enqueued struct {
	Project string `json:"project"`
	ID      string `json:"id"`
}

func enqueueCommand() *cobra.Command {
	var project string
	var asJSON bool
	cmd := &cobra.Command{Use: "enqueue DIR [PATH ...]", Short: "ask the daemon to bring a folder, or some paths in it, up to date",
		Long: "enqueue asks the daemon to bring DIR up to date, or only the given paths: relative to DIR, or absolute inside it.\n" +
			"It returns at once. The request waits until a daemon comes.",
		Args: cli.Args("DIR [PATH ...]", 1, -1),
		RunE: quickly(func(cmd *cobra.Command, args []string, s *setup) error {
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
			q, err := s.back.Queue()
			if err != nil {
				return err
			}
			ticket, err := q.Push(cmd.Context(), queue.Request{Project: id, Root: root, Paths: paths, At: time.Now()})
			if err != nil {
				return err
			}
			if asJSON {
				return cli.PrintJSON(cmd.OutOrStdout(), enqueued{id, ticket})
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "queued %s (project %s)\n", ticket, id)
			return err
		})}
	projectFlag(cmd, &project, "id of the project (default: from the folder's name and path)")
	jsonFlag(cmd, &asJSON)
	return cmd
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
			if !backend.Within(root, rel) {
				base = given // named through a link
			}
			if rel, err = filepath.Rel(base, rel); err != nil {
				return nil, fmt.Errorf("path %q: %w", p, err)
			}
		}
		switch {
		case p == "" || !filepath.IsLocal(rel):
			return nil, cli.Hint(fmt.Errorf("path %q: not inside %q", p, dir), "give paths relative to DIR, or absolute ones inside it")
		case rel == ".":
			return nil, nil
		}
		out = append(out, filepath.ToSlash(rel))
	}
	return out, nil
}
