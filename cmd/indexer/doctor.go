package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/doctor"
)

func doctorCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "doctor", Short: "check everything that can be wrong", Args: cli.Args("", 0, 0),
		RunE: withStore(func(cmd *cobra.Command, _ []string, s *setup) error {
			checks := doctor.Examine(cmd.Context(),
				doctor.Options{Backend: s.back, StateDir: s.cfg.StateDir, ConfigFile: s.cfg.File,
					NamesOnly: s.cfg.NamesOnly, Embedder: cli.Probe(cmd.Context(), s.cfg, s.log)})
			failed := false
			for _, c := range checks {
				failed = failed || !c.OK
			}
			var err error
			if asJSON {
				err = cli.PrintJSON(cmd.OutOrStdout(), map[string]any{"checks": checks})
			} else {
				t := cli.NewTable(nil)
				for _, c := range checks {
					mark := "ok"
					if !c.OK {
						mark = "FAIL"
					}
					t.Row(mark, c.Name, strings.TrimSuffix(c.Detail+"; "+c.Hint, "; "))
				}
				_, err = t.WriteTo(cmd.OutOrStdout())
			}
			if err == nil && failed {
				return cli.ErrNothing
			}
			return err
		})}
	jsonFlag(cmd, &asJSON)
	return cmd
}
