package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/agents"
	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/config"
	"github.com/contextd/contextd/internal/install"
	"github.com/contextd/contextd/internal/runner"
)

// installer is an Installer for this user and the project at root; root "": the nearest folder above that holds .git.
// The home and the root of the disk are no projects: their files are those of the user.
func installer(cfg config.Config, root, command string) (*install.Installer, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, fmt.Errorf("the home folder is not known: %w", err)
	}
	if command == "" {
		if command, err = runner.Self(); err != nil {
			return nil, err
		}
	}
	project, err := projectFolder(root, home)
	if err != nil {
		return nil, err
	}
	return install.New(install.Options{Env: agents.Env{GOOS: runtime.GOOS, Home: home, Project: project,
		Getenv: os.Getenv},
		Command: command, StateDir: cfg.StateDir, LookPath: runner.LookPath})
}

// projectFolder is the project's real path; "" where there is none.
func projectFolder(root, home string) (string, error) {
	dir := root
	if dir == "" {
		var err error
		if dir, err = os.Getwd(); err != nil {
			return "", err
		}
		for up := dir; ; up = filepath.Dir(up) {
			if _, err := os.Lstat(filepath.Join(up, ".git")); err == nil {
				dir = up
				break
			}
			if up == filepath.Dir(up) {
				break
			}
		}
	}
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", fmt.Errorf("--root %q: %w", root, err)
	}
	if real, err := filepath.EvalSymlinks(home); err == nil && (dir == real || dir == filepath.Dir(dir)) {
		return "", nil
	}
	return dir, nil
}

// run shows a plan, asks, and carries it out.
func (f *installFlags) run(
	cmd *cobra.Command, plan func(context.Context, *install.Installer) (*install.Plan, error),
) error {
	cfg, _, err := cli.Load(cmd)
	if err == nil {
		err = f.validate()
	}
	if err == nil {
		err = cli.GuardState(cfg.StateDir)
	}
	if err != nil {
		return err
	}
	in, err := installer(cfg, f.root, f.command)
	if err != nil {
		return err
	}
	if f.project && in.Env.Project == "" {
		return cli.Hint(errors.New("--project: the home folder and the root of the disk are no projects"),
			"go to the project, or name it with --root")
	}
	if !f.noCommand {
		in.Run = runner.Run
	}
	var server runner.Server
	if !f.noCheck {
		in.Check = func(ctx context.Context, argv []string) (err error) {
			server, err = runner.Handshake(ctx, argv)
			return err
		}
	}
	p, err := plan(cmd.Context(), in)
	if err != nil {
		return err
	}
	defer p.Close()
	if !f.asJSON {
		show(cmd.OutOrStdout(), p)
	}
	write := !f.dryRun && (f.yes || len(p.Changes) == 0)
	if !f.dryRun && !write && !f.asJSON && cli.CanAsk(cmd) {
		cli.Flush(cmd)
		write = cli.Ask(cmd, "write this?")
	}
	if write {
		if err := in.Apply(cmd.Context(), p); err != nil {
			return err
		}
	}
	return cli.Answer(cmd, f.asJSON, planJSON(p, write, server), write || len(p.Changes) == 0,
		cli.Line("%s", outcomeLine(p, write, server)))
}

// show prints the plan.
func show(w io.Writer, p *install.Plan) {
	for _, c := range p.Changes {
		fmt.Fprintf(w, "%s: %s\n%s\n", strings.Join(c.Agents, ", "), strings.Join(toStrings(c.Parts), ", "), c.Diff())
	}
	t := cli.NewTable(nil)
	for _, s := range p.Same {
		t.Row(s.Agent, s.Part, s.Path, s.Reason)
	}
	t.Print(w)
}

// outcomeLine says what became of the plan.
func outcomeLine(p *install.Plan, written bool, server runner.Server) string {
	line := "nothing to change"
	switch {
	case len(p.Changes) > 0 && written:
		line = fmt.Sprintf("done: %d changes", len(p.Changes))
	case len(p.Changes) > 0:
		line = fmt.Sprintf("nothing was written: %d changes are planned; --yes writes them", len(p.Changes))
	}
	if server.Name != "" {
		line += fmt.Sprintf("; the server %s answers with the tools %s", server.Name,
			strings.Join(server.Names(), ", "))
	}
	return line
}

// plannedChange is one change in the JSON of install and uninstall.
type plannedChange struct {
	Path   string        `json:"path"`
	Agents []string      `json:"agents"`
	Parts  []agents.Part `json:"parts"`
	Action string        `json:"action"` // create, edit, remove, run
	Diff   string        `json:"diff"`
}

func planJSON(p *install.Plan, written bool, server runner.Server) map[string]any {
	changes, same := []plannedChange{}, []map[string]string{}
	for _, c := range p.Changes {
		action := "edit"
		switch {
		case len(c.Run) > 0:
			action = "run"
		case c.After == nil:
			action = "remove"
		case c.Before == nil:
			action = "create"
		}
		changes = append(changes, plannedChange{c.Path, c.Agents, c.Parts, action, c.Diff()})
	}
	for _, s := range p.Same {
		same = append(same, map[string]string{"agent": s.Agent, "part": string(s.Part), "path": s.Path,
			"reason": s.Reason})
	}
	return map[string]any{"changes": changes, "same": same, "written": written && len(p.Changes) > 0,
		"tools": server.Names()}
}
