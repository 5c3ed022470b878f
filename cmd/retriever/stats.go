package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/assemble"
	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/session"
)

func statsCommand() *cobra.Command {
	var m rememberer
	cmd := &cobra.Command{Use: "stats", Short: "tell which shapes of context the tasks succeeded with", Args: cli.Args("", 0, 0),
		Long: `stats joins the completed tasks of the project with the contexts that were compiled for them: how often tasks succeeded, by kind of
agent, profile and shape of context. Exit status: 0, or 1 where no completed task had a context.`}
	m.flags(cmd)
	cmd.RunE = m.assembler(func(ctx context.Context, cmd *cobra.Command, _ []string, s *session.Session, a *assemble.Assembler) error {
		if err := useProfiles(cmd, a); err != nil {
			return err
		}
		project, err := m.id(ctx, s, true)
		if err != nil {
			return err
		}
		o, err := a.Outcomes(ctx, project)
		if err != nil {
			return err
		}
		learned, err := a.WhatIsLearned(ctx, project)
		if err != nil {
			return err
		}
		switch {
		case m.json:
			err = cli.PrintJSON(cmd.OutOrStdout(), map[string]any{"project": project, "agents": o.Agents, "shapes": o.Shapes, "tasks": o.Tasks, "learned": learned})
		case len(o.Tasks) == 0:
			_, err = fmt.Fprintln(cmd.OutOrStdout(), "no completed task had a context")
		default:
			t := cli.NewTable([]string{"AGENT", "PROFILE", "MODE", "COMPLEXITY", "COMPRESSED", "TASKS", "SUCCEEDED", "FAILED", "UNKNOWN", "SUCCESS", "KINDS"}, 5, 6, 7, 8, 9)
			for _, x := range o.Shapes {
				rate := "-"
				if x.Succeeded+x.Failed > 0 {
					rate = fmt.Sprintf("%.0f %%", 100*x.Rate)
				}
				t.Row(x.AgentKind, x.Profile, x.Mode, x.Complexity, x.Compressed, x.Tasks, x.Succeeded, x.Failed, x.Unknown, rate, strings.Join(x.Kinds, ", "))
			}
			if _, err = t.WriteTo(cmd.OutOrStdout()); err == nil {
				err = printLearned(cmd.OutOrStdout(), learned)
			}
		}
		if err == nil && len(o.Tasks) == 0 {
			return cli.ErrNothing
		}
		return err
	})
	return cmd
}

// printLearned writes what outcomes say about the numbers of profiles.
func printLearned(w io.Writer, learned []assemble.LearnedOf) error {
	for _, x := range learned {
		for _, l := range x.Changes {
			state := "learned"
			if !x.On {
				state = "not applied, for learning is off"
			}
			if _, err := fmt.Fprintf(w, "%s (%s): %s; %s\n", x.Profile, x.AgentKind, learnedText(l), state); err != nil {
				return err
			}
		}
	}
	return nil
}

// learnedText says what was learnt about one number, and from what.
func learnedText(l receipt.Learned) string {
	if l.RateMuch == 0 && l.RateLittle == 0 {
		return fmt.Sprintf("%s %v → %v by %d outcomes: it gave way to other weights", l.Number, l.From, l.To, l.Outcomes)
	}
	return fmt.Sprintf("%s %v → %v by %d outcomes: with much of it %.0f %% succeeded, with little %.0f %%", l.Number, l.From, l.To, l.Outcomes, 100*l.RateMuch, 100*l.RateLittle)
}
