package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/eval"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/tools/benchset"
)

// seen is what users see of the answers to terse queries, as shares of the queries. Order is judged on ten files
// whatever their relevance, the rest on the answer as it comes by default: its first three results.
type seen struct {
	Queries     int     `json:"queries"`
	NDCG        float64 `json:"ndcg@10"` // right files count 2, those beside them 1
	First       float64 `json:"first"`   // a right file stands first
	InThree     float64 `json:"in3"`
	InTen       float64 `json:"in10"`
	Silent      float64 `json:"silent"`       // nothing is shown
	Hidden      float64 `json:"hidden"`       // a right file stands in the first three and is not shown
	Served      float64 `json:"served"`       // a right file is shown
	Strong      float64 `json:"strong"`       // the first result is strong
	StrongRight float64 `json:"strong_right"` // share of these that are right
	Likely      float64 `json:"likely"`       // a result is likely or strong
	Error       float64 `json:"error"`        // of relevance as a probability: ECE over ten bins, the five best files
}

// add counts one query; mean divides in the end.
func (s *seen) add(x judgement) {
	s.Queries++
	s.NDCG += x.ndcg
	for _, c := range []struct {
		sum *float64
		is  bool
	}{{&s.First, x.place == 1}, {&s.InThree, x.place > 0 && x.place <= 3}, {&s.InTen, x.place > 0},
		{&s.Silent, !x.shown},
		{&s.Hidden, x.place > 0 && x.place <= 3 && !x.served}, {&s.Served, x.served}, {&s.Strong, x.strong},
		{&s.StrongRight, x.strong && x.strongRight}, {&s.Likely, x.likely}} {
		if c.is {
			*c.sum++
		}
	}
}

func (s *seen) mean() {
	s.StrongRight /= max(s.Strong, 1)
	n := float64(max(s.Queries, 1))
	for _, x := range []*float64{
		&s.NDCG, &s.First, &s.InThree, &s.InTen, &s.Silent, &s.Hidden, &s.Served, &s.Strong, &s.Likely,
	} {
		*x /= n
	}
	for _, x := range []*float64{
		&s.NDCG, &s.First, &s.InThree, &s.InTen, &s.Silent, &s.Hidden, &s.Served, &s.Strong, &s.StrongRight,
		&s.Likely, &s.Error,
	} {
		*x = round(*x)
	}
}

func (s *seen) String() string {
	return fmt.Sprintf("%d queries: NDCG@10 %.3f first %.3f in3 %.3f in10 %.3f silent %.3f hidden %.3f served %.3f strong %.3f right %.3f likely %.3f error %.3f", s.Queries,
		s.NDCG, s.First, s.InThree, s.InTen, s.Silent, s.Hidden, s.Served, s.Strong, s.StrongRight, s.Likely, s.Error)
}

// judgement is what one query showed.
type judgement struct {
	ndcg                                       float64
	place                                      int // of the first right file among ten, from 1; 0: none
	shown, served, strong, strongRight, likely bool
	told                                       []chance // of the five best files
}

// chance is a relevance, and whether its file was right.
type chance struct {
	told  float64
	right bool
}

// judge compares the ten best files and the default answer with what is right.
func judge(q eval.Question, order, shown []retrieve.Result) (j judgement) {
	gain := map[string]float64{}
	for _, p := range q.Secondary {
		gain[p.Path] = 1
	}
	for _, p := range q.Relevant {
		gain[p.Path] = 2
	}
	var ideal []float64
	for _, g := range gain {
		ideal = append(ideal, g)
	}
	slices.SortFunc(ideal, func(a, b float64) int { return int(b - a) })
	best, got := 0.0, 0.0
	for i, g := range ideal[:min(eval.Depth, len(ideal))] {
		best += g / math.Log2(float64(i+2))
	}
	files := map[string]bool{}
	for _, r := range order {
		if files[r.Path] || len(files) == eval.Depth {
			continue
		}
		files[r.Path] = true
		n := len(files)
		got += gain[r.Path] / math.Log2(float64(n+1))
		if gain[r.Path] == 2 && j.place == 0 {
			j.place = n
		}
		if n <= 5 {
			j.told = append(j.told, chance{r.Relevance, gain[r.Path] == 2})
		}
	}
	if best > 0 {
		j.ndcg = got / best
	}
	j.shown = len(shown) > 0
	for i, r := range shown {
		right := gain[r.Path] == 2
		j.served = j.served || right && i < 3
		j.likely = j.likely || r.Grade != gates.Possible
		if i == 0 && r.Grade == gates.Strong {
			j.strong, j.strongRight = true, right
		}
	}
	return j
}

// calibration is the expected calibration error of chances, over ten bins.
func calibration(all []chance) (e float64) {
	var n, told, right [10]float64
	for _, c := range all {
		b := min(int(c.told*10), 9)
		n[b]++
		told[b] += c.told
		if c.right {
			right[b]++
		}
	}
	for b := range n {
		e += math.Abs(told[b]-right[b]) / float64(max(len(all), 1))
	}
	return e
}

// absentKind is the category of queries that nothing in their tree answers.
const absentKind = "absent"

// look measures what users see of a set of terse queries, by category; "" holds all that can be answered.
func look(ctx context.Context, s benchset.Set, b backing, e embed.Embedder) (map[string]*seen, error) {
	questions, repos, err := s.Read()
	if err != nil {
		return nil, err
	}
	rt, out, told := retriever(b, e), map[string]*seen{}, map[string][]chance{}
	slices.SortStableFunc(questions, func(a, b benchset.Question) int { return strings.Compare(a.Repo, b.Repo) })
	err = visit(ctx, s, b, e, questions, repos, func(q benchset.Question, project, root string) error {
		order, err := ask(ctx, rt, project, root, q.Query)
		if err != nil {
			return err
		}
		shown := rt.Query(ctx, retrieve.Request{Text: q.Query, Target: access.Target{Project: project, Root: root},
			Deadline: time.Minute}.WithGuesses())
		j := judge(q.Question, order, shown.Results)
		groups := []string{q.Category}
		if q.Category != absentKind {
			groups = append(groups, "")
		}
		for _, g := range groups {
			if out[g] == nil {
				out[g] = &seen{}
			}
			out[g].add(j)
			told[g] = append(told[g], j.told...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for g, x := range out {
		x.Error = calibration(told[g])
		x.mean()
	}
	return out, nil
}

// agentTable is what users see of terse queries, as Markdown, a row a backing and category.
func agentTable(of map[string]map[string]*seen, backings []string) string {
	var b strings.Builder
	b.WriteString("\n| queries of agents | n | NDCG@10 | first | in 3 | in 10 | silent | hidden | served | strong (right) | likely or more | error |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, name := range backings {
		kinds := []string{}
		for k := range of[name] {
			kinds = append(kinds, k)
		}
		slices.Sort(kinds)
		for _, k := range kinds {
			x, title := of[name][k], k
			if k == "" {
				title = "**all that can be answered**, " + name
			} else if name != backings[0] {
				continue
			}
			if k == absentKind {
				fmt.Fprintf(&b, "| absent | %d | – | – | – | – | %s | – | – | %s | %s | %s |\n", x.Queries,
					digits(x.Silent), digits(x.Strong), digits(x.Likely), digits(x.Error))
				continue
			}
			fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s | %s | %s | %s | %s (%s) | %s | %s |\n", title, x.Queries,
				digits(x.NDCG), digits(x.First), digits(x.InThree), digits(x.InTen), digits(x.Silent), digits(x.Hidden),
				digits(x.Served), digits(x.Strong), digits(x.StrongRight), digits(x.Likely), digits(x.Error))
		}
	}
	return b.String()
}
