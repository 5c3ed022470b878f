package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/config"
	"github.com/contextd/contextd/internal/retrieve"
)

// usagesFlags are the flags of usages, as given.
type usagesFlags struct {
	projectFlags
	k        int
	deadline time.Duration
	noIndex  bool
}

func usagesCommand() *cobra.Command {
	var f usagesFlags
	cmd := &cobra.Command{Use: "usages NAME", Short: "list where a name is defined and used",
		Args: cli.Args("NAME", 1, 1),
		Long: `usages prints the definitions of the identifier NAME, then each line that calls or names it, grouped by file: code and documents, then
tests, then generated files. Lines are read from the disk. NAME is compared as a whole, with its capitals.
Exit status: 0 with lines, 1 where it stands nowhere (the nearest names are told), 2 on an error.`}
	f.flags(cmd)
	fl := cmd.Flags()
	fl.IntVar(&f.k, "k", 50, "greatest number of lines besides the definitions, at most 1000")
	fl.DurationVar(&f.deadline, "deadline", 2*time.Second, "how long the answer may take")
	fl.BoolVar(&f.noIndex, "no-index", false, "never index, only read")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) }
	return cmd
}

func (f *usagesFlags) run(cmd *cobra.Command, name string) error {
	req := retrieve.UsagesRequest{Name: name, Deadline: f.deadline, Lines: f.k}
	if err := cmp.Or(atLeast("k", f.k, 1), checkDeadline(f.deadline), checkProject(f.project),
		req.Validate()); err != nil {
		return err
	}
	return withApp(cmd, f.deadline, func(s *app.App, _ config.Config, _ *slog.Logger) error {
		bar := cli.NewBar(cmd.ErrOrStderr(), "indexing")
		u, err := s.Answers.Usages(cmd.Context(), req, where(f.project, f.root), refreshWhen(f.noIndex), bar.Set)
		bar.Clear()
		if err != nil {
			return err
		}
		err = cli.Answer(cmd, f.json, u, !u.None(), func(w io.Writer) { fmt.Fprint(w, u.Text()) })
		if err != nil && !errors.Is(err, cli.ErrNothing) {
			return err
		}
		cli.Flush(cmd)
		if !f.json {
			hintAtLargerRoot(cmd.ErrOrStderr(), u.Root, u.LargerRoot)
		}
		s.Fresh.Afterwards(cmd.Context())
		return err
	})
}
