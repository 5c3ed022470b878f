package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/usage"
)

func statsCommand() *cobra.Command {
	var m projectFlags
	cmd := &cobra.Command{Use: "stats",
		Short: "tell which contexts the tasks succeeded with, and what was used of them", Args: cli.Args("", 0, 0),
		Long: `stats joins the completed tasks of the project with the contexts that were compiled for them: how often tasks succeeded, by kind of
agent, profile and shape of context. Of contexts that feedback came of, by hooks of agents or by hand, it counts the pieces that were used,
re-fetched, missed and dead weight, and their tokens. Exit status: 0, or 1 where there is neither.`}
	m.flags(cmd)
	cmd.RunE = m.assembler(func(cmd *cobra.Command, _ []string, s *app.App, a *prompt.Assembler) error {
		if err := useProfiles(cmd, a); err != nil {
			return err
		}
		project, err := m.id(cmd.Context(), s, true)
		if err != nil {
			return err
		}
		o, err := a.Outcomes(cmd.Context(), project)
		if err != nil {
			return err
		}
		learned, err := a.WhatIsLearned(cmd.Context(), project)
		if err != nil {
			return err
		}
		boosts, err := a.Usage.Boosts(cmd.Context(), project)
		if err != nil {
			return err
		}
		used := usageRows(boosts.Precisions())
		doc := map[string]any{"project": project, "agents": o.Agents, "shapes": o.Shapes, "tasks": o.Tasks,
			"learned": learned, "usage": used}
		return cli.Answer(cmd, m.json, doc, len(o.Tasks)+len(used) > 0, func(w io.Writer) {
			printShapes(w, o)
			printLearned(w, learned)
			if len(used) > 0 {
				printUsage(w, used)
			}
		})
	})
	return cmd
}

// printLearned writes what outcomes say about the numbers of profiles.
func printLearned(w io.Writer, learned []prompt.LearnedOf) {
	for _, x := range learned {
		for _, l := range x.Changes {
			state := "learned"
			if !x.On {
				state = "not applied, for learning is off"
			}
			fmt.Fprintf(w, "%s (%s): %s; %s\n", x.Profile, x.AgentKind, learnedText(l), state)
		}
	}
}

// learnedText says what was learnt about one number, and from what.
func learnedText(l receipt.Learned) string {
	if l.RateMuch == 0 && l.RateLittle == 0 {
		return fmt.Sprintf("%s %v → %v by %d outcomes: it gave way to other weights", l.Number, l.From,
			l.To, l.Outcomes)
	}
	return fmt.Sprintf("%s %v → %v by %d outcomes: with much of it %.0f %% succeeded, with little %.0f %%", l.Number,
		l.From, l.To, l.Outcomes, 100*l.RateMuch, 100*l.RateLittle)
}

// printShapes writes how tasks ended by the shapes of their contexts.
func printShapes(w io.Writer, o receipt.Outcomes) {
	if len(o.Tasks) == 0 {
		fmt.Fprintln(w, "no completed task had a context")
		return
	}
	t := cli.NewTable([]string{"AGENT", "PROFILE", "MODE", "COMPLEXITY", "COMPRESSED", "TASKS", "SUCCEEDED", "FAILED",
		"UNKNOWN", "SUCCESS", "KINDS"}, 5, 6, 7, 8, 9)
	for _, x := range o.Shapes {
		rate := "-"
		if x.Succeeded+x.Failed > 0 {
			rate = percent(x.Rate)
		}
		t.Row(x.AgentKind, x.Profile, x.Mode, x.Complexity, x.Compressed, x.Tasks, x.Succeeded, x.Failed, x.Unknown,
			rate, strings.Join(x.Kinds, ", "))
	}
	t.Print(w)
}

// usageRow is what became of the pieces that one kind of agent was given under one profile.
type usageRow struct {
	usage.Precision
	Dead      int     `json:"dead"`
	UsedShare float64 `json:"used_share"` // used of given
	Share     float64 `json:"precision"`  // used or re-fetched of given, as in receipts
}

func usageRows(list []usage.Precision) []usageRow {
	rows := make([]usageRow, len(list))
	for i, p := range list {
		rows[i] = usageRow{Precision: p, Dead: p.Dead(), Share: p.Share()}
		if p.Shown > 0 {
			rows[i].UsedShare = float64(p.Used) / float64(p.Shown)
		}
	}
	return rows
}

// printUsage writes what was used of contexts, and how it is counted.
func printUsage(w io.Writer, rows []usageRow) {
	t := cli.NewTable([]string{"AGENT", "PROFILE", "GIVEN", "USED", "REFETCHED", "DEAD", "MISSED", "USED OF GIVEN",
		"TOKENS GIVEN", "TOKENS OF FILES"}, 2, 3, 4, 5, 6, 7, 8, 9)
	for _, r := range rows {
		share := "-"
		if r.Shown > 0 {
			share = percent(r.UsedShare)
		}
		t.Row(r.AgentKind, r.Profile, r.Shown, r.Used, r.Refetched, r.Dead, r.Missed, share, r.TokensGiven,
			r.TokensFiles)
	}
	fmt.Fprintln(w)
	t.Print(w)
	fmt.Fprint(w, `
Pieces of contexts that feedback came of. Tokens given: all of these pieces, used or not. Tokens of files: each file of which a piece was used, whole,
once a context, estimated from its size; what an agent would have read without contextd is not known.
`)
}

func percent(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }
