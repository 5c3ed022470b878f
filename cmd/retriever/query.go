package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/config"
	"github.com/contextd/contextd/internal/freshness"
	"github.com/contextd/contextd/internal/render"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/tokens"
)

// maxRoots bounds the roots that are asked side by side.
const maxRoots = 20

func queryCommand() *cobra.Command {
	var f queryFlags
	cmd := &cobra.Command{Use: "query TEXT", Short: "answer a question with verified snippets",
		Args: cli.Args("TEXT", 1, 1),
		Long: `query prints the pieces of code that answer TEXT, best first. TEXT "-" is read from standard input.
Strong (relevance from 0.85) and likely results (from 0.3) are shown with their text; below that up to three guesses are told in one line each, unless
--min-relevance says that only what is sure is wanted. TEXT may name lines: "web/app.go:12", a stack trace, a compiler's message, a diff.
With --git the files are those of a commit: a branch, a tag, a hash, HEAD~3. They are indexed apart when they are first asked, and nothing in
the working tree is read or changed; the first line of the answer names the commit.
Exit status: 0 with results, 1 when nothing is relevant, 2 on an error.`}
	f.flags(cmd.Flags())
	cmd.Flags().StringVar(&f.git, "git", "",
		"ask the files of this commit of the root's repository: a branch, a tag, a hash, HEAD~3; none: the working tree")
	cmd.Flags().Int64Var(&f.generation, "min-generation", 0, generationHelp)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) }
	return cmd
}

func (f *queryFlags) run(cmd *cobra.Command, question string) error {
	req, err := f.request(question)
	if err != nil {
		return err
	}
	if !cmd.Flags().Changed("min-relevance") {
		req = req.WithGuesses()
	}
	if f.like == nil {
		if req.Text, err = text(cmd, question); err != nil {
			return err
		}
	}
	if cmd.Flags().Changed("git") {
		if err := f.checkRevision(); err != nil {
			return err
		}
	}
	shown := !f.json && cli.Styled(cmd) && len(f.roots) < 2 // links lead into one root
	if shown {
		req.Gates = terminalLimits(cmd.Flags(), req.Gates)
	}
	return withApp(cmd, req.Deadline, func(s *app.App, cfg config.Config, log *slog.Logger) error {
		return f.answer(cmd, s, cfg, log, req, shown)
	})
}

// answer asks and prints the answer. styled: for a terminal.
func (f *queryFlags) answer(
	cmd *cobra.Command, s *app.App, cfg config.Config, log *slog.Logger, req retrieve.Request, styled bool,
) (err error) {
	revised := cmd.Flags().Changed("git")
	bar := cli.NewBar(cmd.ErrOrStderr(), "indexing")
	var reply *retrieve.Reply
	var rev askedRevision
	if revised {
		reply, rev, err = f.askRevision(cmd.Context(), s, cfg, log, req, bar.Set)
	} else {
		reply, err = f.ask(cmd.Context(), s, req, bar.Set)
	}
	bar.Clear()
	if err != nil {
		return err
	}
	if f.maxTokens > 0 {
		counter, err := tokens.For("")
		if err != nil {
			return err
		}
		head := 0
		if revised && !f.json {
			head = counter.Count(rev.line())
		}
		reply.Fit(max(f.maxTokens-head, 1), counter.Count)
		reply.MaxTokens, reply.Tokens = f.maxTokens, reply.Tokens+head
	}
	switch {
	case f.json && revised:
		err = cli.PrintJSON(cmd.OutOrStdout(), revisionReply{reply, rev})
	case f.json:
		err = cli.PrintJSON(cmd.OutOrStdout(), reply)
	default:
		a := reply.Answer()
		if styled {
			a.Terminal = styles(reply)
		}
		if revised {
			fmt.Fprint(cmd.OutOrStdout(), rev.line()) // it fails as what follows does
			if styled {
				a.Terminal.Plain = true
			}
		}
		err = render.Text(cmd.OutOrStdout(), a)
		if f.explain {
			explain(cmd.OutOrStdout(), reply)
		}
	}
	if err == nil {
		cli.Flush(cmd)
		if !f.json {
			hintAtLargerRoot(cmd.ErrOrStderr(), reply.Root, reply.LargerRoot)
		}
		if !revised {
			s.Fresh.Afterwards(cmd.Context())
		}
	}
	if err == nil && len(reply.Results)+reply.Omitted == 0 {
		if !f.json && len(reply.Nearest) == 0 && reply.BestRelevance > 0 && reply.BestRelevance < f.minRelevance {
			fmt.Fprintln(cmd.ErrOrStderr(), "hint: --min-relevance 0 shows what came nearest")
		}
		err = cli.ErrNothing
	}
	return err
}

// hintAtLargerRoot says which of two roots was asked, where the user named none and a larger one is known.
func hintAtLargerRoot(w io.Writer, root, larger string) {
	if larger != "" {
		fmt.Fprintf(w,
			"hint: only the folder %q was searched, which was indexed by itself; --root %q searches the larger one around it\n",
			root, larger)
	}
}

// refreshWhen is when a command indexes.
func refreshWhen(noIndex bool) freshness.When {
	if noIndex {
		return freshness.Never
	}
	return freshness.First
}

// ask asks the root, or each of several side by side: the answers are merged.
func (f *queryFlags) ask(
	ctx context.Context, s *app.App, req retrieve.Request, progress func(done, total int),
) (*retrieve.Reply, error) {
	if len(f.roots) < 2 {
		root := ""
		if len(f.roots) == 1 {
			root = f.roots[0]
		}
		return s.Answers.Query(ctx, req, where(f.project, root), refreshWhen(f.noIndex), progress)
	}
	began := time.Now()
	replies, errs := make([]*retrieve.Reply, len(f.roots)), make([]error, len(f.roots))
	var asking sync.WaitGroup
	for i, root := range f.roots {
		asking.Go(func() {
			replies[i], errs[i] = s.Answers.Query(ctx, req, where("", root), refreshWhen(f.noIndex), nil)
		})
	}
	asking.Wait()
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	return retrieve.Merge(replies, req.Gates, began), nil
}

func where(project, root string) access.Where {
	dir, _ := os.Getwd() // "" fails later, with the name of what is wanted
	home, _ := os.UserHomeDir()
	return access.Where{Project: project, Root: root, Dir: dir, Home: home}
}

// explain prints each result's contributions and each rejected candidate.
func explain(w io.Writer, r *retrieve.Reply) {
	t := cli.NewTable([]string{"RESULT", "FEATURE", "VALUE", "WEIGHT", "ADDS"}, 2, 3, 4)
	for i, x := range r.Results {
		if x.ShareOfBest > 0 { // a further chunk: its file's score is explained above
			t.Row(i+1, "share_of_best", fmt.Sprintf("%.3f", x.ShareOfBest), "", "")
			continue
		}
		for _, c := range x.Explain {
			t.Row(i+1, c.Feature, fmt.Sprintf("%.3f", c.Value), c.Weight, fmt.Sprintf("%.3f", c.Value*c.Weight))
		}
	}
	t.Print(w)
	t = cli.NewTable([]string{"REJECTED", "REASON", "RELEVANCE"}, 2)
	for _, x := range *r.Rejected {
		t.Row(x.Path, x.Reason, fmt.Sprintf("%.2f", x.Relevance))
	}
	t.Print(w)
}
