package retrieve

import (
	"fmt"
	"strings"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/githist"
	"github.com/contextd/contextd/internal/render"
	"github.com/contextd/contextd/internal/safetext"
)

// Answer is the reply as text shows it, to people and in prompts.
func (r *Reply) Answer() render.Answer {
	a := render.Answer{Files: r.Searched.Files, Chunks: r.Searched.Chunks, Best: r.BestRelevance,
		Missing: r.MissingWords, Names: r.NearestNames, Paths: r.UnmatchedPaths, Langs: r.UnmatchedLangs,
		Omitted: r.Omitted}
	if r.Omitted > 0 {
		a.MaxTokens = r.MaxTokens
	}
	for _, reason := range r.Reasons {
		a.Reasons = append(a.Reasons, string(reason))
	}
	if len(r.Roots) > 0 { // told by root
		a.Reasons = nil
		for _, root := range r.Roots {
			for _, reason := range root.Reasons {
				a.Reasons = append(a.Reasons, fmt.Sprintf("%s (%s)", reason, root.Root))
			}
		}
	}
	for _, x := range r.Results {
		if x.Pointer {
			a.MaxTokens = r.MaxTokens
		}
		a.Results = append(a.Results, render.Result{Root: x.Root, Path: x.Path,
			Span: code.Span{Start: x.StartLine, End: x.EndLine}, Shown: x.Shown(), Relevance: x.Relevance,
			Possible: x.Grade == gates.Possible, Language: x.Language, Snippet: x.Snippet, Pointer: x.Pointer,
			Symbol: x.Symbol, Note: Together(x.Companions)})
	}
	for _, x := range r.Nearest {
		a.Nearest = append(a.Nearest, render.Place{Root: x.Root, Path: x.Path,
			Span: code.Span{Start: x.StartLine, End: x.EndLine}, Symbol: x.Symbol})
	}
	return a
}

// Together tells people which files usually changed along with one; "" for none.
func Together(companions []githist.Companion) string {
	if len(companions) == 0 {
		return ""
	}
	var each []string
	for _, c := range companions {
		each = append(each, fmt.Sprintf("%s (%.0f %%)", c.Path, 100*c.Share))
	}
	return "Usually changed together: " + strings.Join(each, ", ")
}

// Sentence is the verdict for people and models; what stands in files is neutralised.
func (v Verdict) Sentence() string {
	path, detail := safetext.Line(v.Path), safetext.Line(v.Detail)
	switch {
	case v.Indexed:
		s := fmt.Sprintf("%s: indexed, %d chunks, generation %d", path, v.Chunks, v.Generation)
		if note := Together(v.Companions); note != "" {
			s += "\n" + safetext.Line(note)
		}
		return s
	case v.Reason == "":
		return fmt.Sprintf("%s: %s", path, detail)
	case detail == "":
		return fmt.Sprintf("%s: not indexed: %s", path, v.Reason)
	}
	return fmt.Sprintf("%s: not indexed: %s (%s)", path, v.Reason, detail)
}
