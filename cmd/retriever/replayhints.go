package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/githist"
)

// Which commits are replayed: those that say what they do and change few files.
const (
	replayWords  = 3  // of the subject, at least
	replayFiles  = 8  // changed, at most
	replayLook   = 30 // commits looked at for each that is replayed
	replayNoise  = "merge revert bump release version changelog typo format lint deps"
	fewQuestions = 30 // under which intervals are wide
)

// missing counts the changed files that are left out of the index.
func (r *replay) missing(ctx context.Context, c replayed) error {
	snap, err := r.index.Open(ctx, replayProject)
	if err != nil {
		return err
	}
	defer snap.Close()
	for _, p := range c.Relevant {
		e, ok, err := snap.Entry(ctx, p.Path)
		switch {
		case err != nil:
			return err
		case !ok:
			r.left["not walked"]++
		case e.Skip != "":
			r.left[e.Skip]++
		}
	}
	return nil
}

// suggestions say what would help.
func (r *replay) suggestions(e *evaluation, embedder embed.Embedder) []string {
	out := []string{}
	n := 0
	for _, k := range r.left {
		n += k
	}
	if n > 0 {
		var reasons []string
		for reason, k := range r.left {
			reasons = append(reasons, fmt.Sprintf("%s %d", reason, k))
		}
		slices.Sort(reasons)
		out = append(out,
			fmt.Sprintf("%d of the changed files are left out of the index (%s): \"retriever why PATH\" names the rule",
				n, strings.Join(reasons, ", ")))
	}
	if embedder.Name() == (embed.None{}).Name() {
		out = append(out,
			"questions are answered by words alone: --embedder static adds vectors, most of all for tasks")
	}
	if e.Recall10.Mean-e.Recall1.Mean > .2 {
		out = append(out,
			fmt.Sprintf("%.0f %% of the right files come first, %.0f %% among the first ten: "+
				"let an agent see more than one result (--k)", 100*e.Recall1.Mean, 100*e.Recall10.Mean))
	}
	if p, err := githist.Open(r.past); err != nil || p.Notes() < 100 {
		out = append(out, "the history is short: a clone that is not shallow lets past commits point at files")
	}
	if e.Questions < fewQuestions {
		out = append(out, "few commits were replayed and the intervals are wide: replay more")
	}
	return out
}
