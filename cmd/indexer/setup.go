package main

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/config"
	"github.com/contextd/contextd/internal/sandbox"
)

// setup is what every command but run begins with.
type setup struct {
	cfg  config.Config
	log  *slog.Logger
	back *backend.Backend
}

// with runs a command's work between opening the store and closing it.
func with(work func(cmd *cobra.Command, args []string, s *setup) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		cfg, log, err := cli.Load(cmd)
		if err != nil {
			return err
		}
		back, err := cli.Backend(cfg, log, 0)
		if err != nil {
			return err
		}
		err = work(cmd, args, &setup{cfg, log, back})
		if closeErr := back.Close(); err == nil {
			err = closeErr
		}
		return err
	}
}

// root is the real path of a folder that was named, which must lie under an allowed root if any are given.
func (s *setup) root(dir string) (string, error) {
	if len(s.cfg.AllowRoots) > 0 {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return "", fmt.Errorf("open root %q: %w", dir, err)
		}
		real, err := sandbox.Confine(abs, s.cfg.AllowRoots)
		if errors.Is(err, sandbox.ErrNotAllowed) {
			err = cli.Hint(err, "allow it with --allow-root %s", dir)
		}
		return real, err
	}
	r, err := sandbox.Open(dir, cli.Sandbox(s.cfg))
	if err != nil {
		return "", err
	}
	defer r.Close()
	return r.Path(), nil
}

// projectFlag adds --project.
func projectFlag(cmd *cobra.Command, id *string, help string) {
	cmd.Flags().StringVar(id, "project", "", help)
}

// projectOf is the id given, checked, or the default one of a root.
func projectOf(cmd *cobra.Command, id, root string) (string, error) {
	if cmd.Flags().Changed("project") {
		return id, code.CheckProjectID(id)
	}
	return code.DefaultProjectID(root), nil
}

// checkProject checks --project where it may be left out.
func checkProject(cmd *cobra.Command, id string) error {
	if !cmd.Flags().Changed("project") {
		return nil
	}
	return code.CheckProjectID(id)
}

// jsonFlag adds --json.
func jsonFlag(cmd *cobra.Command, on *bool) {
	cmd.Flags().BoolVar(on, "json", false, "print one JSON document")
}
