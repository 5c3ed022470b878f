package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/config"
	"github.com/contextd/contextd/internal/freshness"
	"github.com/contextd/contextd/internal/mcp"
	"github.com/contextd/contextd/internal/mcp/bridge"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/servers"
	"github.com/contextd/contextd/internal/workspace"
)

// projectDir is the variable by which Claude Code tells its servers the folder of the project.
const projectDir = "CLAUDE_PROJECT_DIR"

// mcpFlags are the flags of mcp, as given.
type mcpFlags struct {
	roots []string
	tools string
	agent string
}

func mcpCommand() *cobra.Command {
	var f mcpFlags
	cmd := &cobra.Command{Use: "mcp", Short: "serve agents over standard input and output: the Model Context Protocol",
		Args: cli.Args("", 0, 0),
		Long: `mcp offers the tools search_code, recall and remember to an agent that starts it, until its input ends. The project is --root, else
the folder in CLAUDE_PROJECT_DIR, else the working directory, and the repository around it; of a folder that holds repositories each
is asked. A root that a call names must lie in these, or in an --allow-root. Nothing is listened on, and no other process is started.

  claude mcp add contextd -- retriever mcp`}
	fl := cmd.Flags()
	fl.StringArrayVar(&f.roots, "root", nil,
		"a project's folder, or a folder of repositories; may be repeated; none: the one that the client works in")
	fl.StringVar(&f.tools, "tools", toolsCommon,
		"common: the three; all: why, context, report_outcome and recall_context, too")
	fl.StringVar(&f.agent, "agent", mcpAgent, "the id by which notes are kept")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return f.run(cmd) }
	return cmd
}

// What --tools and --mcp-tools take.
const (
	toolsCommon = "common"
	toolsAll    = "all"
)

// mcpAgent is whose notes those of the protocol are where nobody says.
const mcpAgent = "mcp"

// allTools reads the value of a flag.
func allTools(flag, value string) (bool, error) {
	if value != toolsCommon && value != toolsAll {
		return false, fmt.Errorf("flag --%s: want %s or %s (got %q)", flag, toolsCommon, toolsAll, value)
	}
	return value == toolsAll, nil
}

func (f *mcpFlags) run(cmd *cobra.Command) error {
	all, err := allTools("tools", f.tools)
	if err != nil {
		return err
	}
	if err := (memory.Who{Agent: f.agent}).Check(""); err != nil {
		return fmt.Errorf("flag --agent: %w", err)
	}
	cfg, log, err := cli.Load(cmd)
	if err != nil {
		return err
	}
	named, err := f.named(cfg)
	if err != nil {
		return err
	}
	debug.SetGCPercent(100) // it lives as long as its client
	out, err := cli.Protocol(cmd)
	if err != nil {
		return err
	}
	ctx, cancel := cli.WithParent(cmd.Context())
	defer cancel()
	var opened *app.App
	b := bridge.New(bridge.Options{Agent: f.agent, Refresh: freshness.First, Log: log, Open: func(
		ctx context.Context,
	) (*bridge.Place, error) {
		p, err := openPlace(ctx, cfg, log, named)
		if err == nil {
			opened = p.App
		}
		return p, err
	}})
	s, err := mcp.New(mcp.Options{Engine: b, All: all, Version: cli.Version(), Log: log})
	if err != nil {
		return err
	}
	err = s.Run(ctx, cmd.InOrStdin(), out)
	b.Close()
	if opened != nil {
		closeApp(opened, log)
	}
	return err
}

// named are the folders of --root as real paths.
func (f *mcpFlags) named(cfg config.Config) (named []string, err error) {
	home, _ := os.UserHomeDir()
	for _, root := range f.roots {
		real, err := workspace.Real(root)
		if err == nil {
			err = workspace.Refuse(real, home)
		}
		if err == nil && len(cfg.AllowRoots) > 0 {
			_, err = sandbox.Confine(real, cfg.AllowRoots)
		}
		if err != nil {
			return nil, fmt.Errorf("flag --root: %w", err)
		}
		if !slices.Contains(named, real) {
			named = append(named, real)
		}
	}
	if len(named) > workspace.MostRoots {
		return nil, fmt.Errorf("flag --root: want at most %d (got %d)", workspace.MostRoots, len(named))
	}
	return named, nil
}

// openPlace opens the store for the folders of a client.
func openPlace(ctx context.Context, cfg config.Config, log *slog.Logger, named []string) (*bridge.Place, error) {
	look := lookFor(named)
	if _, err := look(nil); err != nil && len(cfg.AllowRoots) == 0 {
		return nil, err // nothing may be read: each call tells why
	}
	var known map[string]bool
	s, err := openApp(cfg, log, mcpLimit, false, func(o *app.Options) {
		known = knownRoots(ctx, o.Backend.Index)
		if len(o.AllowRoots) > 0 {
			return
		}
		o.AllowRoots = slices.Clone(named)
		if f, err := look(known); err == nil && len(named) == 0 {
			o.AllowRoots = []string{f.Base}
		}
		o.Strict = true
	})
	if err != nil {
		return nil, err
	}
	return &bridge.Place{App: s, Roots: func(context.Context) (workspace.Found, error) { return look(known) }}, nil
}

// mcpLimit bounds one command of Redis.
const mcpLimit = 2 * time.Second

// knownRoots are the roots of the projects of an index; none where it does not answer.
func knownRoots(ctx context.Context, index search.Index) map[string]bool {
	ctx, cancel := context.WithTimeout(ctx, mcpLimit)
	defer cancel()
	projects, err := index.Projects(ctx)
	if err != nil && !servers.Partial(err) {
		return nil // the question will tell
	}
	known := make(map[string]bool, len(projects))
	for _, p := range projects {
		known[p.Root] = true
	}
	return known
}

// lookFor finds the folders that are meant where a call names none: it looks at each call, for repositories come and
// go.
func lookFor(named []string) func(known map[string]bool) (workspace.Found, error) {
	home, _ := os.UserHomeDir()
	wd, _ := os.Getwd() // "" is refused later
	dir := cmp.Or(os.Getenv(projectDir), wd)
	return func(known map[string]bool) (workspace.Found, error) {
		switch len(named) {
		case 0:
			return workspace.Find(dir, home, func(root string) bool { return known[root] })
		case 1:
			return workspace.FindIn(named[0], home)
		}
		return workspace.Found{Roots: named}, nil
	}
}
