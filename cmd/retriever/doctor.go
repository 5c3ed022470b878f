package main

import (
	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/doctor"
)

func doctorCommand() *cobra.Command {
	var asJSON bool
	var root string
	cmd := &cobra.Command{Use: "doctor", Short: "check the coding agents, and everything else that can be wrong",
		Args: cli.Args("", 0, 0),
		Long: `doctor has a row for each coding agent of this machine: whether contextd is installed there, and whether its settings start this binary, one that is
gone, or another version. Before them stand the checks of "indexer doctor". It changes and starts nothing. Exit status: 0, 1 if a check
fails, 2 on an error.`}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().StringVar(&root, "root", "",
		"folder of the project (default the nearest that holds .git, else the working directory)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, log, err := cli.Load(cmd)
		if err != nil {
			return err
		}
		back, err := cli.Backend(cfg, log, 0)
		if err != nil {
			return err
		}
		defer back.Close()
		checks := cli.Examine(cmd.Context(), cfg, log, back)
		in, err := installer(cfg, root, "")
		if err != nil {
			checks = append(checks, doctor.Check{Name: "agents", Detail: err.Error()})
		} else {
			for _, s := range in.Status() {
				checks = append(checks, doctor.Check{Name: "agent " + s.Agent, OK: s.OK, Detail: s.Detail,
					Hint: s.Hint})
			}
		}
		return cli.AnswerChecks(cmd, asJSON, checks)
	}
	return cmd
}
