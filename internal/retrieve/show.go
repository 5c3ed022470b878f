package retrieve

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/gates"
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
	grade, from := opts.GradeOf(x.Relevance), span.Start
	if grade == gates.Possible { // a guess shows but the line that says what it is
		from = pointed(lines, span.Start, symbol, focus)
		lines = lines[from-span.Start:][:1]
	}
	text, first, cut := render.Snippet(lines, from, focus, s.limits())
	r := Result{Path: c.entry.Path, StartLine: span.Start, EndLine: span.End, Symbol: strings.Clone(symbol.Name),
		Kind: symbol.Kind, Language: c.entry.Language, Relevance: x.Relevance, Grade: grade, Freshness: Indexed,
		SnippetLine: first, Snippet: text, Truncated: cut || grade == gates.Possible, FileBytes: sizeOf(c.lines)}
	if c.facts.Overlay {
		r.Freshness = Overlay
	}
	if s.req.Explain {
		r.Explain = x.Explanation
	}
	return r
}

// sizeOf is how many bytes the lines of a file take.
func sizeOf(lines []string) int {
	n := max(len(lines)-1, 0)
	for _, l := range lines {
		n += len(l)
	}
	return n
}

// limits are those of the next snippet.
func (s *serving) limits() render.Limits {
	o := s.budget.Options()
	return render.Limits{Chars: o.MaxChars, Bytes: s.budget.Left(), Lines: o.MaxLines}
}

// pointed is the line of a chunk that begins on line first that says what the chunk is: the definition of symbol, else
// the line of the greatest focus, the first of them that is not blank.
func pointed(lines []string, first int, symbol code.Symbol, focus func(string) float64) int {
	if symbol.Name != "" && symbol.Line >= first && symbol.Line < first+len(lines) {
		return symbol.Line
	}
	at, best := first, -1.0
	for i, line := range lines {
		if score := focus(line); strings.TrimSpace(line) != "" && score > best {
			at, best = first+i, score
		}
	}
	return at
}

// nearestPlaces is how many places are told where nothing is relevant.
const nearestPlaces = 3

// showNearest tells what came nearest: places that pass every gate but that of relevance, and are worth something.
func (s *serving) showNearest(ctx context.Context, order []rank.Scored) {
	for _, x := range order[:min(len(order), openFactor*nearestPlaces)] {
		if len(s.reply.Nearest) == nearestPlaces || x.Relevance == 0 || ctx.Err() != nil {
			return
		}
		if c := &s.cands[x.File]; !c.opened && s.open(ctx, x.File) {
			continue // it is other than it was found
		}
		o := s.budget.Options()
		o.MinRelevance = gates.NoThreshold
		res := s.inspect(x)
		s.askRules(&s.cands[x.File])
		if ok, _ := gates.NewBudget(o).Decide(s.cands[x.File].facts, res.Path, res.Snippet); ok {
			s.reply.Nearest = append(s.reply.Nearest, Nearest{Path: res.Path, StartLine: res.StartLine,
				EndLine: res.EndLine, Symbol: res.Symbol, Relevance: res.Relevance})
		}
	}
}

// further fills the room that is left with further chunks of the files that are served, the most relevant first. One is
// as relevant as its file times what it is worth, and told as no more relevant than what is served already, guesses
// aside. One that a gate keeps out is no rejected file: its file is served.
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
	least := 1.0
	for _, r := range s.reply.Results {
		if r.Grade != gates.Possible {
			least = min(least, r.Relevance)
		}
	}
	for _, p := range parts {
		c := &s.cands[p.of.File]
		if s.budget.Options().GradeOf(p.of.Relevance) == gates.Possible || p.of.Relevance < s.req.further ||
			s.budget.RejectEarly(p.of.Relevance) != "" ||
			s.files[p.of.File].Features.Chunks[p.Chunk].Span.Start > len(c.lines) {
			continue
		}
		p.of.Relevance = min(p.of.Relevance, least)
		res := s.result(p.of, p.Chunk, p.Symbol)
		res.ShareOfBest = p.Share
		c.facts.Relevance = p.of.Relevance
		if s.shown(res) {
			continue
		}
		if ok, _ := s.budget.Decide(c.facts, c.entry.Path, res.Snippet); ok {
			s.reply.Results, least = append(s.reply.Results, res), p.of.Relevance
		}
	}
}

// shown reports whether lines of a result stand in the reply already, or are those that it is to be without.
func (s *serving) shown(res Result) bool {
	if a := s.apart; a != nil && a.path == res.Path && res.StartLine <= a.span.End && a.span.Start <= res.EndLine {
		return true
	}
	return slices.ContainsFunc(s.reply.Results, func(r Result) bool {
		return r.Path == res.Path && res.StartLine <= r.EndLine && r.StartLine <= res.EndLine
	})
}
