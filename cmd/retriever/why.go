package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/cli"
)

func whyCommand() *cobra.Command {
	var m projectFlags
	cmd := &cobra.Command{Use: "why PATH", Short: "is a file indexed, and if not, by which rule",
		Args: cli.Args("PATH", 1, 1),
		Long: `why tells whether PATH is in the index, and if not, the reason: the rule, its file and its line. It never indexes.
Exit status: 0 indexed, 1 not, 2 on an error.`}
	m.flags(cmd)
	cmd.RunE = m.with(func(cmd *cobra.Command, args []string, s *app.App) error {
		v, err := s.Answers.Why(cmd.Context(), where(m.project, m.root), args[0])
		if err != nil {
			return err
		}
		return cli.Answer(cmd, m.json, v, v.Indexed, func(w io.Writer) { fmt.Fprintln(w, v.Sentence()) })
	})
	return cmd
}
