package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/revision"
	"github.com/contextd/contextd/internal/search"
)

func resetCommand() *cobra.Command {
	var project string
	var yes, asJSON bool
	cmd := &cobra.Command{Use: "reset", Short: "remove the index of one project or of all; never source files",
		Args: cli.Args("", 0, 0),
		RunE: withStore(func(cmd *cobra.Command, _ []string, s *setup) error {
			if err := checkProject(cmd, project); err != nil {
				return err
			}
			ctx := cmd.Context()
			known, err := s.back.Projects(ctx, project) // all of it, or nothing is removed
			if err != nil {
				return err
			}
			if !yes {
				if err := confirm(cmd, project, len(known)); err != nil {
					return err
				}
			}
			n, err := reset(ctx, s.back, project, known)
			if err != nil {
				return err
			}
			if project == "" {
				revision.New(revision.Options{Dir: revision.DirIn(s.cfg.StateDir), Log: s.log}).Clear()
			}
			return cli.Answer(cmd, asJSON, map[string]int{"removed": n}, project == "" || n > 0,
				cli.Line("removed %d", n))
		})}
	projectFlag(cmd, &project, "remove only this project")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	jsonFlag(cmd, &asJSON)
	return cmd
}

// reset removes the index of the known projects and what waits for them; it returns how many projects there were.
func reset(ctx context.Context, back *backend.Backend, project string, known []backend.State) (int, error) {
	projects := map[string]bool{}
	for _, p := range known {
		projects[p.ProjectID()] = true
		if err := back.Index.Remove(ctx, p.ID, lockWait); err != nil && !errors.Is(err, search.ErrNoProject) {
			return 0, err
		}
		back.NoteRemoved(ctx, p.ID)
	}
	if project == "" {
		back.DropVectors(ctx)
	}
	return len(projects), back.Forget(ctx, project)
}

// confirm asks on the terminal; without one the answer is no.
func confirm(cmd *cobra.Command, project string, n int) error {
	if !cli.CanAsk(cmd) {
		return cli.Hint(errors.New("indexer reset: no terminal to ask on"), "say --yes if you mean it")
	}
	what := fmt.Sprintf("the index of %d projects", n)
	if project != "" {
		what = fmt.Sprintf("the index of project %q", project)
	}
	if !cli.Ask(cmd, "remove "+what+"?") {
		return errors.New("indexer reset: not confirmed, nothing was removed")
	}
	return nil
}
