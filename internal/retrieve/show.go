package retrieve

import (
	"cmp"
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/rank"
	"github.com/contextd/contextd/internal/render"
)

// result shows a chunk of a candidate, which defines symbol.
func (s *serving) result(x rank.Scored, chunk int, symbol code.Symbol) Result {
	c := &s.cands[x.File]
	span := s.files[x.File].Features.Chunks[chunk].Span
	span.End = min(span.End, len(c.lines))
	lines := c.lines[span.Start-1 : span.End]
	focus := s.query.Focus(s.stats)
	if symbol.Name != "" && symbol.Line >= span.Start && symbol.Line <= span.End {
		words, definition := focus, c.lines[symbol.Line-1]
		focus = func(line string) float64 {
			if line == definition {
				return 2*words(line) + 1
			}
			return words(line)
		}
	}
	opts := s.budget.Options()
	text, first, cut := render.Snippet(lines, span.Start, focus, opts.MaxChars, s.budget.Left())
	r := Result{Path: c.entry.Path, StartLine: span.Start, EndLine: span.End, Symbol: strings.Clone(symbol.Name), Kind: symbol.Kind,
		Language: c.entry.Language, Relevance: x.Relevance, Freshness: Indexed, SnippetLine: first, Snippet: text, Truncated: cut}
	if c.facts.Overlay {
		r.Freshness = Overlay
	}
	if s.req.Explain {
		r.Explain = x.Explanation
	}
	return r
}

// further fills the room that is left with further chunks of the files that are served, the most relevant first. One is as relevant
// as its file times what it is worth. One that a gate keeps out is no rejected file: its file is served.
func (s *serving) further() {
	type part struct {
		of rank.Scored
		rank.Further
	}
	var parts []part
	for _, x := range s.served {
		for _, f := range x.Further {
			p := part{x, f}
			p.of.Relevance *= f.Worth
			parts = append(parts, p)
		}
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(b.of.Relevance, a.of.Relevance) })
	for _, p := range parts {
		c := &s.cands[p.of.File]
		if p.of.Relevance < s.req.further || s.budget.Closed(p.of.Relevance) != "" || s.files[p.of.File].Features.Chunks[p.Chunk].Span.Start > len(c.lines) {
			continue
		}
		res := s.result(p.of, p.Chunk, p.Symbol)
		res.ShareOfBest = p.Share
		c.facts.Relevance = p.of.Relevance
		if s.shown(res) {
			continue
		}
		if ok, _ := s.budget.Decide(c.facts, c.entry.Path, res.Snippet); ok {
			s.reply.Results = append(s.reply.Results, res)
		}
	}
}

// shown reports whether lines of a result stand in the reply already.
func (s *serving) shown(res Result) bool {
	return slices.ContainsFunc(s.reply.Results, func(r Result) bool {
		return r.Path == res.Path && res.StartLine <= r.EndLine && r.StartLine <= res.EndLine
	})
}
