package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// The marks in the document between which the tables stand.
const (
	begin = "<!-- make bench-quality: begin -->"
	end   = "<!-- make bench-quality: end -->"
)

// peers are the published figures for the same questions, by rows of the table: NDCG@10 over the development
// repositories.
var peers = []struct{ name, questions string }{
	{"137M transformer, BM25 and ranking rules (published)", ".866"},
	{"16M static embedding, BM25 and ranking rules (published)", ".860"},
	{"BM25 and ranking rules (published)", ".838"},
	{"BM25, chunks of 1,500 characters", ".685"},
}

// tables are what was measured, as Markdown.
func tables(all []result, more string) string {
	var b strings.Builder
	fmt.Fprintf(&b,
		"%s\n| | questions | whole | commits (recall@5 / MRR) | long (recall@5 / MRR) |\n|---|---|---|---|---|\n",
		begin)
	names := []string{}
	for _, r := range all {
		if !slices.Contains(names, r.backing) {
			names = append(names, r.backing)
		}
	}
	of := func(backing, set string) *result {
		for i := range all {
			if all[i].backing == backing && all[i].set == set {
				return &all[i]
			}
		}
		return nil
	}
	for _, name := range names {
		row := []string{"**contextd**, " + name}
		for _, set := range []string{"questions", "whole", "commits", "long"} {
			r := of(name, set)
			switch {
			case r == nil:
				row = append(row, "–")
			case set == "commits" || set == "long":
				row = append(row, fmt.Sprintf("%s (%s / %s)", digits(r.all.ndcg), digits(r.all.recall5),
					digits(r.all.mrr)))
			default:
				row = append(row, digits(r.all.ndcg))
			}
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
	}
	for _, p := range peers {
		fmt.Fprintf(&b, "| %s | %s | – | – | – |\n", p.name, p.questions)
	}
	for _, set := range []string{"questions", "whole", "commits", "long"} {
		if len(names) == 0 {
			break
		}
		r := of(names[0], set)
		if r == nil {
			continue
		}
		fmt.Fprintf(&b, "\n%s: %s", set, groups(r, "category "))
		if set != "long" {
			fmt.Fprintf(&b, "; %s", groups(r, "language "))
		}
		fmt.Fprintf(&b, ". Results from .85 on, single names apart: %d, right %s.", r.shown, digits(r.relevant))
		for _, name := range names[1:] {
			if o := of(name, set); o != nil {
				fmt.Fprintf(&b, " The same ten files in the same order on %s: %.1f %%.", name, 100*o.same)
			}
		}
		b.WriteString("\n")
	}
	b.WriteString(more + end + "\n")
	return b.String()
}

func groups(r *result, kind string) string {
	var out []string
	for g, m := range r.by {
		if name, ok := strings.CutPrefix(g, kind); ok {
			out = append(out, name+" "+digits(m.ndcg))
		}
	}
	slices.Sort(out)
	return strings.Join(out, " · ")
}

// digits is a share as the document writes it: .917.
func digits(x float64) string { return strings.TrimPrefix(fmt.Sprintf("%.3f", x), "0") }

// replace puts text between the marks of a document.
func replace(name, text string) error {
	old, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(old), begin+"\n")
	_, after, ok2 := strings.Cut(rest, end+"\n")
	if !ok || !ok2 {
		return fmt.Errorf("write %q: want lines %q and %q", name, begin, end)
	}
	return os.WriteFile(name, []byte(before+text+after), 0o644)
}
