package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/config"
)

// storeTime is how long a command waits for its store, unless it has a deadline of its own.
const storeTime = 5 * time.Second

// projectFlags are the flags of commands about one project.
type projectFlags struct {
	root, project string
	json          bool
}

// flags adds --root, --project and --json.
func (m *projectFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&m.root, "root", "",
		"the project's folder; none: the nearest parent that is a project or a repository")
	cmd.Flags().StringVar(&m.project, "project", "", "the project's id; none: the one last indexed with this root")
	cmd.Flags().BoolVar(&m.json, "json", false, "print one JSON document")
}

// with runs a command's work between opening the store and closing it, within storeTime.
func (m *projectFlags) with(
	work func(cmd *cobra.Command, args []string, s *app.App) error,
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := checkProject(m.project); err != nil {
			return err
		}
		return withApp(cmd, storeTime, func(s *app.App, _ config.Config, _ *slog.Logger) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), storeTime)
			defer cancel()
			cmd.SetContext(ctx)
			return work(cmd, args, s)
		})
	}
}

// checkProject checks --project where it is given.
func checkProject(id string) error {
	if id == "" {
		return nil
	}
	return code.CheckProjectID(id)
}

// id is the project that is meant. must: it is an error that there is none; else it is "".
func (m *projectFlags) id(ctx context.Context, s *app.App, must bool) (string, error) {
	if m.project != "" && m.root == "" {
		return m.project, nil
	}
	t, fault, err := s.Access.Resolve(ctx, where(m.project, m.root), storeTime)
	var none *access.RootError
	switch {
	case errors.As(err, &none) && !must:
		return "", nil
	case err != nil:
		return "", err
	case fault != nil:
		return "", fault
	}
	return t.Project, nil
}
