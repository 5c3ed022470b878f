package main

import (
	"fmt"
	"io"
	"slices"
)

// categories are those of LoCoMo, by their numbers.
var categories = []string{"", "several turns", "time", "open", "one turn", "adversarial"}

// print writes the tables: by conversation, by category, and all, for the first half of the conversations and the
// second.
func print(w io.Writer, all []conversation, results []result) {
	half := map[string]int{}
	for i, c := range all {
		half[c.id] = i * 2 / max(1, len(all))
	}
	fmt.Fprintf(w, "| | questions | recall@5 | recall@10 |\n|---|---|---|---|\n")
	for i, c := range all {
		row(w, fmt.Sprintf("conversation %d, %d turns", i+1, len(c.turns)), results, func(r result) bool {
			return r.conversation == c.id
		})
	}
	for h, name := range []string{"first half", "second half"} {
		for k, category := range categories {
			if k > 0 {
				row(w, name+", "+category, results, func(r result) bool {
					return half[r.conversation] == h && r.category == k
				})
			}
		}
		row(w, "**"+name+"**", results, func(r result) bool { return half[r.conversation] == h })
	}
	row(w, "**all**", results, func(result) bool { return true })
	slices.SortFunc(results, func(a, b result) int { return int(a.took - b.took) })
	if n := len(results); n > 0 {
		fmt.Fprintf(w, "\nA recall took %.1f ms (median), %.1f ms (99 of 100), with what it writes.\n",
			float64(results[n/2].took.Microseconds())/1000, float64(results[n*99/100].took.Microseconds())/1000)
	}
}

// row writes the means of the results that belong to it, if any do.
func row(w io.Writer, name string, results []result, belongs func(result) bool) {
	n, at5, at10 := 0, 0., 0.
	for _, r := range results {
		if belongs(r) {
			n, at5, at10 = n+1, at5+r.at5, at10+r.at10
		}
	}
	if n > 0 {
		fmt.Fprintf(w, "| %s | %d | %.3f | %.3f |\n", name, n, at5/float64(n), at10/float64(n))
	}
}
