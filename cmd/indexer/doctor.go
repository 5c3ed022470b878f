package main

import (
	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/cli"
)

func doctorCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "doctor", Short: "check everything that can be wrong", Args: cli.Args("", 0, 0),
		RunE: withStore(func(cmd *cobra.Command, _ []string, s *setup) error {
			return cli.AnswerChecks(cmd, asJSON, cli.Examine(cmd.Context(), s.cfg, s.log, s.back))
		})}
	jsonFlag(cmd, &asJSON)
	return cmd
}
