package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/agents"
	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/install"
)

// installFlags are what install and uninstall take.
type installFlags struct {
	agents, parts       []string
	user, project       bool
	root                string
	dryRun, yes, asJSON bool
	noCommand, noCheck  bool
	command             string
}

func installCommand() *cobra.Command {
	f := &installFlags{}
	cmd := &cobra.Command{Use: "install", Short: "add contextd to the coding agents of this machine",
		Args: cli.Args("", 0, 0),
		Long: `install finds coding agents, shows what it would change in their settings as a diff, asks, and writes. Every other byte of a file stays as it
is, "retriever uninstall" gives the files back as they were. At the end it starts the server that it wrote and asks for its tools; if that does not answer,
everything is taken back.

Parts: mcp (the server), hook (context for each prompt, and what was used of it), skill (the command line, for sub-agents too), instructions (a marked
section in CLAUDE.md, AGENTS.md …; only if it is named).

Without --yes and without a terminal it only shows the plan. Exit status: 0 done, or nothing to change; 1 there is something to change, and nothing was
written; 2 an error, and everything is as it was.`,
		Example: `  retriever install
  retriever install --agent claude-code,codex --yes
  retriever install --type mcp,instructions --project --dry-run`}
	f.add(cmd, []string{"mcp", "hook", "skill"})
	cmd.Flags().BoolVar(&f.noCheck, "no-check", false, "do not start the server that was written")
	cmd.Flags().StringVar(&f.command, "command", "",
		"absolute path of the retriever that agents start (default this one)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return f.run(cmd, func(ctx context.Context, in *install.Installer) (*install.Plan, error) {
			p, err := in.Install(ctx, f.selection(agents.User))
			if errors.Is(err, install.ErrNone) {
				err = cli.Hint(err, "name one: --agent %s", strings.Join(agents.IDs(), ", "))
			}
			return p, err
		})
	}
	return cmd
}

func uninstallCommand() *cobra.Command {
	f := &installFlags{noCheck: true}
	cmd := &cobra.Command{Use: "uninstall", Short: "take contextd out of the coding agents again",
		Args: cli.Args("", 0, 0),
		Long: `uninstall removes what install wrote, for the user and in this project: a file that nobody else has edited since is as it was before, byte for byte;
from others only the part of contextd goes. Like install it shows the plan and asks. Exit status: as of install.`,
		Example: `  retriever uninstall
  retriever uninstall --agent cursor --yes`}
	f.add(cmd, []string{"mcp", "hook", "skill", "instructions"})
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return f.run(cmd, func(ctx context.Context, in *install.Installer) (*install.Plan, error) {
			return in.Uninstall(ctx, f.selection(agents.User, agents.Project))
		})
	}
	return cmd
}

func (f *installFlags) add(cmd *cobra.Command, parts []string) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.agents, "agent", nil,
		"agents, by id (repeatable, or with commas; default those that are found)")
	flags.StringSliceVar(&f.parts, "type", parts, "parts: mcp, hook, skill, instructions (repeatable, or with commas)")
	flags.BoolVar(&f.user, "user", false, "in the settings of this user")
	flags.BoolVar(&f.project, "project", false, "in the files of the project, which others may share")
	flags.StringVar(&f.root, "root", "",
		"folder of the project (default the nearest that holds .git, else the working directory)")
	flags.BoolVar(&f.dryRun, "dry-run", false, "show the plan and write nothing")
	flags.BoolVarP(&f.yes, "yes", "y", false, "write without a question")
	flags.BoolVar(&f.asJSON, "json", false, "print JSON")
	flags.BoolVar(&f.noCommand, "no-agent-command", false,
		"edit files also where an agent has a command of its own for it")
	none := cobra.ShellCompDirectiveNoFileComp
	// it fails for flags that are not there
	_ = cmd.RegisterFlagCompletionFunc("agent", cobra.FixedCompletions(agents.IDs(), none))
	_ = cmd.RegisterFlagCompletionFunc("type", cobra.FixedCompletions(toStrings(agents.Parts()), none))
}

// selection is what the flags choose; without --user and --project the scopes are those given.
func (f *installFlags) selection(scopes ...agents.Scope) install.Selection {
	s := install.Selection{Agents: f.agents, Scopes: scopes}
	if f.user || f.project {
		s.Scopes = nil
	}
	if f.user {
		s.Scopes = append(s.Scopes, agents.User)
	}
	if f.project {
		s.Scopes = append(s.Scopes, agents.Project)
	}
	for _, p := range agents.Parts() {
		if slices.Contains(f.parts, string(p)) {
			s.Parts = append(s.Parts, p)
		}
	}
	return s
}

func (f *installFlags) validate() error {
	for _, p := range f.parts {
		if !slices.Contains(agents.Parts(), agents.Part(p)) {
			return fmt.Errorf("flag --type: %q: want mcp, hook, skill or instructions", p)
		}
	}
	if len(f.parts) == 0 {
		return errors.New("flag --type: want mcp, hook, skill or instructions")
	}
	return nil
}
