package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/cli"
)

// whyDeadline bounds what why waits for a store.
const whyDeadline = 5 * time.Second

func whyCommand() *cobra.Command {
	var root, project string
	var json bool
	cmd := &cobra.Command{Use: "why PATH", Short: "is a file indexed, and if not, by which rule",
		Args: cli.Args("PATH", 1, 1),
		Long: `why tells whether PATH is in the index, and if not, the reason: the rule, its file and its line. It never indexes.
Exit status: 0 indexed, 1 not, 2 on an error.`}
	cmd.Flags().StringVar(&root, "root", "",
		"the project's folder; none: the nearest parent that is a project or a repository")
	cmd.Flags().StringVar(&project, "project", "", "the project's id; none: the one last indexed with this root")
	cmd.Flags().BoolVar(&json, "json", false, "print one JSON document")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		cfg, log, err := cli.Load(cmd)
		if err != nil {
			return err
		}
		s, err := open(cfg, log, whyDeadline, false)
		if err != nil {
			return err
		}
		defer end(s, log)
		v, err := s.Answers.Why(cmd.Context(), where(project, root), args[0])
		if err != nil {
			return err
		}
		return cli.Answer(cmd, json, v, v.Indexed, func(w io.Writer) { fmt.Fprintln(w, v.Sentence()) })
	}
	return cmd
}
