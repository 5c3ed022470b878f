package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/config"
	"github.com/contextd/contextd/internal/lang"
)

// completeTime is how long the shell may wait for the names of projects.
const completeTime = 500 * time.Millisecond

// Complete gives root and its commands what the shell offers after their flags: the values of settings that have few,
// and for the flags named in values what they take. --project is completed from the store, --lang from the known
// languages.
func Complete(root *cobra.Command, values map[string][]string) *cobra.Command {
	for _, s := range config.Settings {
		switch s.Kind {
		case config.Choice:
			completeFlag(root, s.Name, cobra.FixedCompletions(s.Choices, cobra.ShellCompDirectiveNoFileComp))
		case config.Dir, config.Dirs:
			completeFlag(root, s.Name, directories)
		case config.File: // the shell's own
		case config.Text:
			if s.Name != "config" {
				completeFlag(root, s.Name, cobra.NoFileCompletions)
			}
		default:
			completeFlag(root, s.Name, cobra.NoFileCompletions)
		}
	}
	eachCommand(root, func(cmd *cobra.Command) {
		for flag, list := range values {
			completeFlag(cmd, flag, cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp))
		}
		completeFlag(cmd, "project", projects)
		completeFlag(cmd, "lang", languages)
		completeFlag(cmd, "root", directories)
		completeFlag(cmd, "watch", directories)
	})
	return root
}

func eachCommand(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, c := range cmd.Commands() {
		eachCommand(c, visit)
	}
}

// completeFlag registers what completes a flag, where cmd has it.
func completeFlag(cmd *cobra.Command, flag string, f cobra.CompletionFunc) {
	if cmd.Flags().Lookup(flag) != nil || cmd.PersistentFlags().Lookup(flag) != nil {
		_ = cmd.RegisterFlagCompletionFunc(flag, f) // it fails for a flag that is not there or has one
	}
}

func languages(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return lang.All(), cobra.ShellCompDirectiveNoFileComp
}

func directories(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// projects are the ids in the store; none where it does not answer soon, for a shell has no use for an error.
func projects(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	none := cobra.ShellCompDirectiveNoFileComp
	cfg, log, err := Load(cmd)
	if err != nil {
		return nil, none
	}
	back, err := Backend(cfg, log, completeTime)
	if err != nil {
		return nil, none
	}
	defer back.Close()
	ctx, cancel := context.WithTimeout(context.Background(), completeTime)
	defer cancel()
	all, err := back.Index.Projects(ctx)
	if len(all) == 0 && err != nil {
		return nil, none
	}
	ids := make([]cobra.Completion, 0, len(all))
	for _, p := range all {
		ids = append(ids, cobra.CompletionWithDesc(p.ID, p.Root))
	}
	return ids, none
}
