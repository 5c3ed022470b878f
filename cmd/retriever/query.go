package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/config"
	"github.com/contextd/contextd/internal/freshness"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/lang"
	"github.com/contextd/contextd/internal/render"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/tokens"
)

// maxRoots bounds the roots that are asked side by side.
const maxRoots = 20

// queryFlags are the flags of query, as given.
type queryFlags struct {
	roots        []string
	project      string
	k            int
	maxChars     int
	maxBytes     int
	maxTokens    int
	paths, langs []string
	content      string
	minRelevance float64
	stale        string
	deadline     time.Duration
	noIndex      bool
	explain      bool
	json         bool
	git          string          // a revision; "" for the working tree
	generation   int64           // the least one of the index; 0: any
	like         *retrieve.Place // of related
}

// generationHelp is the help of --min-generation.
const generationHelp = "least generation of the root's index, as indexer index --json tells it: waited for within the deadline; 0: any"

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

// flags are those of query and related.
func (f *queryFlags) flags(fl *pflag.FlagSet) {
	fl.StringArrayVar(&f.roots, "root", nil,
		"the project's folder; none: the nearest parent that is a project or a repository; may be repeated: each is asked")
	fl.StringVar(&f.project, "project", "", "the project's id; none: the one last indexed with this root")
	fl.IntVar(&f.k, "k", 3, "greatest number of results")
	fl.IntVar(&f.maxChars, "max-chars", 200,
		"greatest length of a snippet in characters; at a terminal 1200, in 12 lines at most")
	fl.IntVar(&f.maxBytes, "max-bytes", 2048, "greatest length of all snippets together in bytes; at a terminal 6144")
	fl.IntVar(&f.maxTokens, "max-tokens", 0,
		"greatest length of the answer's text in tokens (o200k_base): what does not fit becomes a pointer, a line without text; 0: no limit")
	fl.StringArrayVar(&f.paths, "path", nil,
		"only this file, files below this folder, or files whose path matches this glob (** crosses folders); may be repeated")
	fl.StringArrayVar(&f.langs, "lang", nil, "only files in this language, such as go, py or c++; may be repeated")
	fl.StringVar(&f.content, "content", string(lang.AllContent),
		"only files of this kind: code, docs (texts for people), config (settings and data), all")
	fl.Float64Var(&f.minRelevance, "min-relevance", .3,
		"least relevance of a result, 0 to 1; if given, no guesses are shown below it")
	fl.StringVar(&f.stale, "stale", "verify",
		"verify: check each snippet against the disk; skip: show nothing where anything is stale")
	fl.DurationVar(&f.deadline, "deadline", 200*time.Millisecond, "how long the answer may take")
	fl.BoolVar(&f.noIndex, "no-index", false, "never index, only read")
	fl.BoolVar(&f.explain, "explain", false, "add each result's score and each rejected candidate's reason")
	fl.BoolVar(&f.json, "json", false, "print one JSON document")
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

// request is the question with its limits, checked.
func (f *queryFlags) request(text string) (retrieve.Request, error) {
	err := cmp.Or(atLeast("k", f.k, 1), atLeast("max-chars", f.maxChars, 1), atLeast("max-bytes", f.maxBytes, 1),
		atLeast("max-tokens", f.maxTokens, 0), atLeast("min-generation", f.generation, 0),
		checkDeadline(f.deadline), checkProject(f.project))
	switch {
	case err != nil:
	case len(f.roots) > 1 && (f.project != "" || f.like != nil):
		err = errors.New("flag --root: want one, as a project and a line have")
	case len(f.roots) > maxRoots:
		err = fmt.Errorf("flag --root: want at most %d (got %d)", maxRoots, len(f.roots))
	case !(f.minRelevance >= 0 && f.minRelevance <= 1):
		err = fmt.Errorf("flag --min-relevance: want a number from 0 to 1 (got %v)", f.minRelevance)
	case f.generation > 0 && len(f.roots) > 1:
		err = errors.New("flag --min-generation: want one --root, as each root counts its own generations")
	case f.stale != string(gates.Verify) && f.stale != string(gates.Skip):
		err = fmt.Errorf("flag --stale: want verify or skip (got %q)", f.stale)
	}
	if err != nil {
		return retrieve.Request{}, err
	}
	req := retrieve.Request{Text: text, Globs: f.paths, Content: lang.Content(f.content), Deadline: f.deadline,
		Explain: f.explain, Like: f.like, MinGeneration: f.generation, Gates: gates.Options{
			MinRelevance: gates.Threshold(f.minRelevance), MaxResults: f.k, MaxChars: f.maxChars, MaxBytes: f.maxBytes,
			Stale: gates.Mode(f.stale)}}
	if req.Langs, err = retrieve.Languages(f.langs); err != nil {
		return req, err
	}
	return req, req.Validate()
}

// atLeast is an error of a flag whose number is less than least.
func atLeast[N int | int64](flag string, n, least N) error {
	if n < least {
		return fmt.Errorf("flag --%s: want a whole number from %d (got %d)", flag, least, n)
	}
	return nil
}

func checkDeadline(d time.Duration) error {
	if d <= 0 {
		return fmt.Errorf("flag --deadline: want a duration above 0 (got %s)", d)
	}
	return nil
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
