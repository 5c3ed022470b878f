package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/retrieve"
)

// usagesFlags are the flags of usages, as given.
type usagesFlags struct {
	root, project string
	k             int
	deadline      time.Duration
	noIndex, json bool
}

func usagesCommand() *cobra.Command {
	var f usagesFlags
	cmd := &cobra.Command{Use: "usages NAME", Short: "list where a name is defined and used",
		Args: cli.Args("NAME", 1, 1),
		Long: `usages prints the definitions of the identifier NAME, then each line that calls or names it, grouped by file: code and documents, then
tests, then generated files. Lines are read from the disk. NAME is compared as a whole, with its capitals.
Exit status: 0 with lines, 1 where it stands nowhere (the nearest names are told), 2 on an error.`}
	fl := cmd.Flags()
	fl.StringVar(&f.root, "root", "",
		"the project's folder; none: the nearest parent that is a project or a repository")
	fl.StringVar(&f.project, "project", "", "the project's id; none: the one last indexed with this root")
	fl.IntVar(&f.k, "k", 50, "greatest number of lines besides the definitions, at most 1000")
	fl.DurationVar(&f.deadline, "deadline", 2*time.Second, "how long the answer may take")
	fl.BoolVar(&f.noIndex, "no-index", false, "never index, only read")
	fl.BoolVar(&f.json, "json", false, "print one JSON document")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) }
	return cmd
}

func (f *usagesFlags) run(cmd *cobra.Command, name string) error {
	if f.k < 1 {
		return fmt.Errorf("flag --k: want a whole number from 1 (got %d)", f.k)
	}
	if f.deadline <= 0 {
		return fmt.Errorf("flag --deadline: want a duration above 0 (got %s)", f.deadline)
	}
	if f.project != "" {
		if err := code.CheckProjectID(f.project); err != nil {
			return err
		}
	}
	req := retrieve.UsagesRequest{Name: name, Deadline: f.deadline, Lines: f.k}
	if err := req.Validate(); err != nil {
		return err
	}
	cfg, log, err := cli.Load(cmd)
	if err != nil {
		return err
	}
	s, err := open(cfg, log, f.deadline, false)
	if err != nil {
		return err
	}
	defer end(s, log)
	bar := cli.NewBar(cmd.ErrOrStderr(), "indexing")
	u, err := s.Answers.Usages(cmd.Context(), req, where(f.project, f.root), refreshWhen(f.noIndex), bar.Set)
	bar.Clear()
	if err != nil {
		return err
	}
	if f.json {
		err = cli.PrintJSON(cmd.OutOrStdout(), u)
	} else {
		_, err = io.WriteString(cmd.OutOrStdout(), u.Text())
	}
	if err != nil {
		return err
	}
	cli.Flush(cmd)
	if !f.json {
		noteRoot(cmd.ErrOrStderr(), u.Root, u.LargerRoot)
	}
	s.Fresh.Afterwards(cmd.Context())
	if u.None() {
		return cli.ErrNothing
	}
	return nil
}
