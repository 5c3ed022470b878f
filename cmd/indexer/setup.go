package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

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

// lookTimeout bounds a command that only reads, or pushes one request, while the store does not answer.
const lookTimeout = 5 * time.Second

type work func(cmd *cobra.Command, args []string, s *setup) error

// withStore opens the store, runs a command's work and closes the store.
func withStore(work work) func(*cobra.Command, []string) error { return withinLimit(0, work) }

// withTimeout is like withStore but limits the work to lookTimeout.
func withTimeout(work work) func(*cobra.Command, []string) error {
	return withinLimit(lookTimeout, work)
}

// withinLimit is like withStore but limits the time of the work; 0: no limit.
func withinLimit(limit time.Duration, work work) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		cfg, log, err := cli.Load(cmd)
		if err != nil {
			return err
		}
		if limit > 0 {
			ctx, cancel := context.WithTimeout(cmd.Context(), limit)
			defer cancel()
			cmd.SetContext(ctx)
		}
		back, err := cli.Backend(cfg, log, limit)
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

// allowed are the folders that may be read; nil: any.
func (s *setup) allowed() *sandbox.Allowed {
	if len(s.cfg.AllowRoots) == 0 {
		return nil
	}
	return sandbox.Allow(s.cfg.AllowRoots)
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
