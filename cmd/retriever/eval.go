package main

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"os"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/config"
	"github.com/contextd/contextd/internal/eval"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/retrieve"
)

// evalDeadline is generous: eval asks how good answers are, not how fast.
const evalDeadline = 10 * time.Second

// evaluation is what eval prints.
type evaluation struct {
	Project string `json:"project"`
	Root    string `json:"root"`
	eval.Summary
	Degraded int      `json:"degraded"` // answers of less than full strength
	Missed   []missed `json:"missed"`   // questions without anything right among the first ten, at most maxMissed
	// Suggestions say what would help; only of a replay.
	Suggestions []string `json:"suggestions,omitempty"`

	all []eval.Measures
}

type missed struct {
	ID    string `json:"id"`
	Query string `json:"query"`
	First string `json:"first"` // what came first instead; "" for nothing
}

const maxMissed = 20

func evalCommand() *cobra.Command {
	var m projectFlags
	var noIndex bool
	var replay int
	cmd := &cobra.Command{Use: "eval QUERIES", Short: "measure answers against known ones", Args: func(
		cmd *cobra.Command, args []string,
	) error {
		if replay != 0 {
			return cli.Args("", 0, 0)(cmd, args)
		}
		return cli.Args("QUERIES", 1, 1)(cmd, args)
	},
		Long: `eval asks each question of the file QUERIES ("-": standard input) and measures how early the right files come. A line is
{"id": …, "query": …, "relevant": [{"path": …, "start": …, "end": …}], "secondary": […]}; start and end may be missing.
With --replay-commits N there is no file: the last N commits that say what they do and change few files are asked for, each on the
tree before it and with the history up to there, in a temporary index.
Intervals are of 95 %, by resampling the questions. Exit status: 0, or 1 when nothing right was found at all, 2 on an error.`}
	m.flags(cmd)
	cmd.Flags().BoolVar(&noIndex, "no-index", false, "never index, only read")
	cmd.Flags().IntVar(&replay, "replay-commits", 0,
		"ask for the last commits of the project's own git history, at most this many")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if replay < 0 {
			return fmt.Errorf("flag --replay-commits: want a whole number from 1 (got %d)", replay)
		}
		cfg, log, err := cli.Load(cmd)
		if err != nil {
			return err
		}
		e, err := evaluate(cmd, cfg, log, args, where(m.project, m.root), replay, noIndex)
		if err != nil {
			return err
		}
		return cli.Answer(cmd, m.json, e, e.Recall10.Mean > 0, e.print)
	}
	return cmd
}

func evaluate(
	cmd *cobra.Command, cfg config.Config, log *slog.Logger, args []string, w access.Where, replay int, noIndex bool,
) (*evaluation, error) {
	bar := cli.NewBar(cmd.ErrOrStderr(), "replaying")
	defer bar.Clear()
	if replay > 0 {
		return runReplay(cmd.Context(), cfg, log, w, replay, bar.Set)
	}
	questions, err := readQuestions(cmd, args[0])
	if err != nil {
		return nil, err
	}
	s, err := openApp(cfg, log, evalDeadline, false)
	if err != nil {
		return nil, err
	}
	defer closeApp(s, log)
	return ask(cmd, s, questions, w, noIndex)
}

func readQuestions(cmd *cobra.Command, name string) ([]eval.Question, error) {
	in := cmd.InOrStdin()
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	questions, err := eval.Read(in)
	if err != nil {
		return nil, fmt.Errorf("questions of %q: %w", name, err)
	}
	if len(questions) == 0 {
		return nil, fmt.Errorf("questions of %q: want at least one", name)
	}
	return questions, nil
}

// ask asks all questions, the first of which brings the index up to date.
func ask(cmd *cobra.Command, s *app.App, questions []eval.Question, w access.Where, noIndex bool) (*evaluation, error) {
	bar := cli.NewBar(cmd.ErrOrStderr(), "indexing")
	defer bar.Clear()
	out := &evaluation{Missed: []missed{}}
	for i, q := range questions {
		req := retrieve.Request{Text: q.Query, Deadline: evalDeadline,
			Gates: gates.Options{MinRelevance: gates.NoThreshold, MaxResults: eval.Depth, MaxBytes: 1 << 20}}
		reply, err := s.Answers.Query(cmd.Context(), req, w, refreshWhen(noIndex || i > 0), bar.Set)
		if err != nil {
			return nil, err
		}
		if err := cmd.Context().Err(); err != nil {
			return nil, err
		}
		out.Project, out.Root = reply.Project, reply.Root
		out.take(q, reply)
	}
	out.Summary = eval.Summarize(out.all)
	return out, nil
}

// take measures one answer.
func (e *evaluation) take(q eval.Question, reply *retrieve.Reply) {
	if reply.Status == retrieve.Degraded {
		e.Degraded++
	}
	places := make([]eval.Place, 0, len(reply.Results))
	for _, r := range reply.Results {
		places = append(places, eval.Place{Path: r.Path, Start: r.StartLine, End: r.EndLine})
	}
	m := eval.Score(q, places)
	e.all = append(e.all, m)
	if m.Recall10 == 0 && len(e.Missed) < maxMissed {
		miss := missed{ID: q.ID, Query: q.Query}
		if len(places) > 0 {
			miss.First = places[0].Path
		}
		e.Missed = append(e.Missed, miss)
	}
}

// print writes an evaluation for people.
func (e *evaluation) print(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%d questions\tmean\t95 %%\n", e.Questions)
	for _, row := range []struct {
		name string
		eval.Mean
	}{
		{"NDCG@10", e.NDCG}, {"recall@1", e.Recall1}, {"recall@5", e.Recall5}, {"recall@10", e.Recall10},
		{"MRR", e.MRR},
	} {
		fmt.Fprintf(t, "%s\t%.3f\t%.3f to %.3f\n", row.name, row.Mean.Mean, row.Low, row.High)
	}
	if e.Degraded > 0 {
		fmt.Fprintf(t, "degraded\t%d\n", e.Degraded)
	}
	_ = t.Flush() // told at the end, as what follows
	for _, m := range e.Missed {
		cli.Line("missed %s: %s (first: %s)", m.ID, m.Query, cmp.Or(m.First, "nothing"))(w)
	}
	for _, s := range e.Suggestions {
		cli.Line("hint: %s", s)(w)
	}
}
