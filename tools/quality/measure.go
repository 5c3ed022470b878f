package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/embed/registry"
	"github.com/contextd/contextd/internal/eval"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/rank"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/tools/benchset"
)

// result is what was measured of one set on one backing.
type result struct {
	set, backing string
	questions    int
	all          means
	by           map[string]means // category or language
	answers      [][]string       // paths, in the order of the questions
	// share of the questions with the same ten files in the same order as on the first backing; 0: not compared
	same     float64
	relevant float64 // of questions that are more than a name: share of the results from .85 on that are right
	shown    int     // how many those are
}

// means are taken over repositories.
type means struct{ ndcg, recall5, mrr float64 }

func (r *result) String() string {
	return fmt.Sprintf("%-9s %-8s %d questions: NDCG@10 %.4f recall@5 %.4f MRR %.4f", r.set, r.backing, r.questions,
		r.all.ndcg, r.all.recall5, r.all.mrr)
}

// ask answers one question with ten files.
func ask(ctx context.Context, rt *retrieve.Retriever, project, root, text string) ([]retrieve.Result, error) {
	r := rt.Query(ctx, retrieve.Request{Text: text, Target: access.Target{Project: project, Root: root},
		Deadline: time.Minute, Gates: gates.Options{MinRelevance: gates.NoThreshold, MaxResults: eval.Depth,
			MaxBytes: 1 << 20}})
	if r.Status == retrieve.Degraded {
		return nil, fmt.Errorf("%q of project %q: %v", text, project, r.Reasons)
	}
	return r.Results, nil
}

func places(results []retrieve.Result) (out []eval.Place, paths []string) {
	for _, r := range results {
		out = append(out, eval.Place{Path: r.Path, Start: r.StartLine, End: r.EndLine})
		paths = append(paths, r.Path)
	}
	return out, paths
}

func retriever(b backing, e embed.Embedder) *retrieve.Retriever {
	return retrieve.New(retrieve.Options{Index: b.index, Embedders: registry.New(e), Embedded: !b.remove})
}

// visit asks each question in the index of its repository, which is made when its first one comes and, where the
// backing is to be left clean, removed after its last. Questions about one repository stand together.
func visit(
	ctx context.Context, s benchset.Set, b backing, e embed.Embedder, questions []benchset.Question,
	repos map[string]benchset.Repository, each func(q benchset.Question, project, root string) error,
) (err error) {
	repo, root := "", ""
	for i, q := range questions {
		if q.Repo != repo {
			repo = q.Repo
			if root, err = s.Root(repo, repos[repo]); err != nil {
				return err
			}
			if err := s.Index(ctx, b.index, e, repo, repos[repo]); err != nil {
				return err
			}
		}
		if err := each(q, s.Project(repo), root); err != nil {
			return err
		}
		if last := i+1 == len(questions) || questions[i+1].Repo != repo; last && b.remove {
			if err := b.index.Remove(ctx, s.Project(repo), time.Minute); err != nil {
				return err
			}
		}
	}
	return nil
}

func measure(ctx context.Context, name string, s benchset.Set, b backing, e embed.Embedder) (*result, error) {
	questions, repos, err := s.Read()
	if err != nil {
		return nil, err
	}
	rt := retriever(b, e)
	res := &result{set: name, backing: b.name, questions: len(questions), by: map[string]means{}}
	scores, right := map[string]map[string][]eval.Measures{}, 0
	err = visit(ctx, s, b, e, questions, repos, func(q benchset.Question, project, root string) error {
		results, err := ask(ctx, rt, project, root, q.Query)
		if err != nil {
			return err
		}
		at, paths := places(results)
		res.answers = append(res.answers, paths)
		m := eval.Score(q.Question, at)
		for _, group := range []string{"", "category " + q.Category, "language " + q.Language} {
			if scores[group] == nil {
				scores[group] = map[string][]eval.Measures{}
			}
			scores[group][q.Repo] = append(scores[group][q.Repo], m)
		}
		name := rank.Parse(q.Query).Symbol != nil // its relevance is no chance: docs/QUALITY.md
		for k, r := range results {
			if r.Relevance >= .85 && !name && r.ShareOfBest == 0 {
				res.shown++
				if eval.Score(q.Question, at[k:k+1]).MRR > 0 {
					right++
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	res.relevant = float64(right) / float64(max(res.shown, 1))
	for group, of := range scores {
		res.by[group] = macro(of)
	}
	res.all = res.by[""]
	return res, nil
}

// macro is the mean over repositories of the means over their questions.
func macro(of map[string][]eval.Measures) (m means) {
	for _, list := range of {
		for _, x := range list {
			k := 1 / float64(len(of)*len(list))
			m.ndcg, m.recall5, m.mrr = m.ndcg+k*x.NDCG, m.recall5+k*x.Recall5, m.mrr+k*x.MRR
		}
	}
	return m
}

// agreement is the share of the questions that both answer with the same files in the same order.
func agreement(a, b *result) float64 {
	same := 0
	for i := range a.answers {
		if slices.Equal(a.answers[i], b.answers[i]) {
			same++
		}
	}
	return float64(same) / float64(max(len(a.answers), 1))
}

// round cuts a score to three digits.
func round(x float64) float64 { return math.Round(x*1000) / 1000 }
