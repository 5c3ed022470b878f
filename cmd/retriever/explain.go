package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/store"
)

func explainCommand() *cobra.Command {
	var m projectFlags
	var limit int
	var again bool
	cmd := &cobra.Command{Use: "explain [ID]", Short: "tell what stood in a context, what did not, and why",
		Args: cli.Args("ID", 0, 1),
		Long: `explain prints the receipt of the context ID: each piece with its score, what was decided, and why. Without ID it lists the last
contexts of the project. With --prompt it compiles the prompt of ID again: a receipt keeps no text, so what has changed since is a line in
brackets that says so. Exit status: 0, or 1 where there is none.`}
	m.flags(cmd)
	cmd.Flags().BoolVar(&again, "prompt", false, "print the prompt, compiled again, in place of the receipt")
	cmd.Flags().IntVar(&limit, "limit", 20, "how many contexts are listed at most")
	cmd.RunE = m.assembler(func(cmd *cobra.Command, args []string, s *app.App, a *prompt.Assembler) error {
		if err := atLeast("limit", limit, 1); err != nil {
			return err
		}
		if again && len(args) == 0 {
			return errors.New("flag --prompt: want the ID of a context")
		}
		if len(args) == 0 {
			project, err := m.id(cmd.Context(), s, true)
			if err != nil {
				return err
			}
			list, err := a.Receipts(cmd.Context(), project, limit)
			if err != nil {
				return err
			}
			return m.list(cmd, list)
		}
		var r *receipt.Receipt
		var p *prompt.Prompt
		var err error
		if again {
			p, err = a.Prompt(cmd.Context(), args[0])
		} else {
			r, err = a.Receipt(cmd.Context(), args[0])
		}
		switch {
		case errors.Is(err, store.ErrNotFound):
			return cli.Answer(cmd, m.json, nil, false, cli.Line("no such context is kept"))
		case err != nil:
			return err
		case again:
			return cli.Answer(cmd, m.json, p, true, func(w io.Writer) { printPrompt(w, p) })
		}
		return cli.Answer(cmd, m.json, r, true, func(w io.Writer) { printReceipt(w, r) })
	})
	return cmd
}

// list prints receipts, the newest first.
func (m *projectFlags) list(cmd *cobra.Command, list []*receipt.Receipt) error {
	doc := map[string]any{"receipts": append([]*receipt.Receipt{}, list...)}
	if len(list) == 0 {
		return cli.Answer(cmd, m.json, doc, false, cli.Line("no context was compiled yet"))
	}
	t := cli.NewTable([]string{"ID", "AGE", "AGENT", "PROFILE", "TASK", "STATUS", "TOKENS", "BUDGET"}, 6, 7)
	for _, r := range list {
		t.Row(r.ID, cli.Age(max(0, time.Since(r.At))), r.Agent, r.Profile, r.TaskID, r.Status, r.Tokens, r.BudgetTokens)
	}
	return cli.Answer(cmd, m.json, doc, true, t.Print)
}

// printReceipt writes a receipt for people.
func printReceipt(w io.Writer, r *receipt.Receipt) {
	head := cli.NewTable(nil)
	row := func(name string, format string, args ...any) { head.Row(name, fmt.Sprintf(format, args...)) }
	row("context", "%s, %s", r.ID, r.At.UTC().Format(time.RFC3339))
	row("agent", "%s (%s), profile %s", r.Agent, r.AgentKind, r.Profile)
	row("task", "%s; mode %q, frame %s", r.TaskID, r.Mode, r.Frame)
	row("searched for", "%s", strings.Join(strings.Fields(r.Query), " "))
	row("status", "%s %s", r.Status, strings.Join(r.Reasons, ", "))
	row("weights", "task %.2f, project %.2f, global %.2f", r.Weights.Task, r.Weights.Project, r.Weights.Global)
	row("code", "strong from %.2f, likely from %.2f, generation %d", r.InjectAt, r.MinRelevance, r.Generation)
	row("tokens", "%d of %d (%s)", r.Tokens, r.BudgetTokens, r.Encoding)
	for _, l := range r.Learned {
		row("learned", "%s", learnedText(l))
	}
	if f := r.Fingerprint; f != nil {
		row("fingerprint", "%s, %s, %d files, compressed to %.2f", f.ID, f.Complexity, f.FileCount, f.CompressionRatio)
	}
	head.Print(w)
	fmt.Fprintln(w)
	t := cli.NewTable([]string{"DECISION", "SCORE", "RELEVANCE", "IMPORTANCE", "BOOST", "TOKENS", "KIND", "SOURCE",
		"WHY"}, 1, 2, 3, 4, 5)
	for _, l := range r.Items {
		why := l.Reason
		if l.NeededBudget > 0 {
			why += fmt.Sprintf(" (a budget of %d keeps more)", l.NeededBudget)
		}
		if l.Verify {
			why = strings.TrimSpace(why + " verify")
		}
		relevance := fmt.Sprintf("%.2f", l.Relevance)
		if l.Hash == "" && l.Relevance == 0 {
			// kept away by a gate, in a receipt that does not tell how relevant it was
			relevance = "-"
		}
		t.Row(l.Decision, fmt.Sprintf("%.3f", l.Score), relevance, fmt.Sprintf("%.2f", l.Importance),
			fmt.Sprintf("%.2f", l.Boost), l.Tokens, l.Kind, l.Source, why)
	}
	t.Print(w)
	if r.Omitted > 0 {
		fmt.Fprintf(w, "%d further pieces were dropped\n", r.Omitted)
	}
	if o := r.Outcome; o != nil {
		fmt.Fprintf(w, "\nused %d, opened all the same %d, dead weight %d, missed %d; precision %.2f\n",
			len(o.Used), len(o.Refetched), len(o.Dead), len(o.Missed), o.Precision)
	}
}

func diffCommand() *cobra.Command {
	var m projectFlags
	cmd := &cobra.Command{Use: "diff A B", Short: "tell what changed from one context to another, and why",
		Args: cli.Args("A B", 2, 2),
		Long: "diff compares the receipts of two contexts. Exit status: 0, or 1 where one of them is not kept."}
	m.flags(cmd)
	cmd.RunE = m.assembler(func(cmd *cobra.Command, args []string, _ *app.App, a *prompt.Assembler) error {
		d, err := a.Diff(cmd.Context(), args[0], args[1])
		switch {
		case errors.Is(err, store.ErrNotFound):
			return cli.Answer(cmd, m.json, nil, false, cli.Line("one of the contexts is not kept"))
		case err != nil:
			return err
		}
		return cli.Answer(cmd, m.json, d, true, func(w io.Writer) { printChanges(w, d) })
	})
	return cmd
}

// printChanges writes what differs for people.
func printChanges(w io.Writer, d *receipt.Changes) {
	if d.Same && len(d.Settings) == 0 {
		fmt.Fprintln(w, "the same")
		return
	}
	fmt.Fprintf(w, "causes: %s; %+d tokens\n", strings.Join(toStrings(d.Causes), ", "), d.Tokens)
	t := cli.NewTable([]string{"WHAT", "FROM", "TO", "CAUSE", "WHY"})
	for _, s := range d.Settings {
		t.Row(s.Name, s.From, s.To, s.Cause, "")
	}
	for _, i := range d.Items {
		t.Row(i.Source, cmp.Or(string(i.From), "-"), cmp.Or(string(i.To), "-"), i.Cause, i.Why)
	}
	for _, s := range d.Sections {
		t.Row("section "+s.Name, fmt.Sprintf("%d tokens", s.From), fmt.Sprintf("%d tokens", s.To), "", "")
	}
	t.Print(w)
}
