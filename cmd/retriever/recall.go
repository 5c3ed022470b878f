package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/safetext"
)

func memoryRecallCommand() *cobra.Command {
	var m agentFlags
	var q prompt.RecallRequest
	cmd := &cobra.Command{Use: "recall QUERY", Short: "ask an agent's memory a question", Args: cli.Args("QUERY", 1, 1),
		Long: `recall prints what the agent's memory says about QUERY ("-": standard input), as POST /v1/recall: fenced, as it may stand in a prompt.
What it returns counts as used. Exit status: 0 with items, 1 with none.`}
	m.flags(cmd)
	cmd.Flags().StringVar(&q.MemoryType, "type", "",
		"only this type: decision, fact, procedure, episode or another kind")
	cmd.Flags().IntVar(&q.Limit, "limit", 0, "how many at most (default 5)")
	run := m.assembler(func(cmd *cobra.Command, args []string, s *app.App, a *prompt.Assembler) (err error) {
		q.Agent = m.agent
		if q.Project, err = m.id(cmd.Context(), s, false); err != nil {
			return err
		}
		if q.Query, err = text(cmd, args[0]); err != nil {
			return err
		}
		found, err := a.Recall(cmd.Context(), q)
		switch {
		case err != nil:
			return err
		case len(found.Items) == 0:
			return cli.Answer(cmd, m.json, found, false, cli.Line("nothing is remembered of that"))
		}
		return cli.Answer(cmd, m.json, found, true, func(w io.Writer) {
			fmt.Fprintln(w, safetext.Text(found.Text))
			printMissing(w, found.Servers)
		})
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := m.wantAgent(); err != nil {
			return err
		}
		return run(cmd, args)
	}
	return cmd
}
