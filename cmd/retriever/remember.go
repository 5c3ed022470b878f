package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/code"
)

// rememberTime bounds what a command that reads or writes what is remembered waits for its store.
const rememberTime = 5 * time.Second

// rememberer is what the commands of what is remembered share: where, and how to print.
type rememberer struct {
	root, project string
	json          bool
}

// flags adds --root, --project and --json.
func (m *rememberer) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&m.root, "root", "",
		"the project's folder; none: the nearest parent that is a project or a repository")
	cmd.Flags().StringVar(&m.project, "project", "", "the project's id; none: the one last indexed with this root")
	cmd.Flags().BoolVar(&m.json, "json", false, "print one JSON document")
}

// with runs a command's work between opening the store and closing it.
func (m *rememberer) with(
	work func(ctx context.Context, cmd *cobra.Command, args []string, s *app.App) error,
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if m.project != "" {
			if err := code.CheckProjectID(m.project); err != nil {
				return err
			}
		}
		cfg, log, err := cli.Load(cmd)
		if err != nil {
			return err
		}
		return within(cmd, log, func() (*app.App, error) { return open(cfg, log, rememberTime, false) }, func(
			ctx context.Context, s *app.App,
		) error {
			return work(ctx, cmd, args, s)
		})
	}
}

// within opens an app, works with it for rememberTime at most, and closes it.
func within(
	cmd *cobra.Command, log *slog.Logger, open func() (*app.App, error),
	work func(ctx context.Context, s *app.App) error,
) error {
	s, err := open()
	if err != nil {
		return err
	}
	defer end(s, log)
	ctx, cancel := context.WithTimeout(cmd.Context(), rememberTime)
	defer cancel()
	return work(ctx, s)
}

// id is the project that is meant. must: it is an error that there is none; else it is "".
func (m *rememberer) id(ctx context.Context, s *app.App, must bool) (string, error) {
	if m.project != "" && m.root == "" {
		return m.project, nil
	}
	t, fault, err := s.Access.Resolve(ctx, where(m.project, m.root), rememberTime)
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

// text is an argument, or standard input for "-".
func text(cmd *cobra.Command, arg string) (string, error) {
	if arg == "-" {
		return readAll(cmd.InOrStdin())
	}
	return arg, nil
}
