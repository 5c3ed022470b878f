package retrieve

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/asked"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/rank"
	"github.com/contextd/contextd/internal/render"
	"github.com/contextd/contextd/internal/search"
)

// A question that names lines is answered with these lines first, see package asked.
const (
	askedPointers = 2   // asked lines that are pointed at, beside those that are shown as text
	askedOpens    = 8   // files that are opened for them
	askedStep     = .01 // by how much each pointer is below a strong result, and below the one before
)

// These say in an explanation why an asked line or file is shown.
var (
	askedExplained = rank.Contribution{Feature: "asked_line", Value: 1, Weight: 1}
	fileExplained  = rank.Contribution{Feature: "asked_file", Value: 1, Weight: 1}
)

// askedPlaces are the places of the index that a request names, the most important first. An index that cannot tell its
// paths leaves them out: the answer is then one by words.
func (l *look) askedPlaces(ctx context.Context, req Request) []askedPlace {
	text := cmp.Or(req.Asked, req.Text)
	places, name := asked.Places(text), strings.TrimSpace(text)
	if len(places) == 0 && !mayBeFile(name) {
		return nil
	}
	paths, err := l.snap.Paths(ctx)
	if err != nil {
		l.rt.opts.Log.Debug("asked lines not looked up", "error", err)
		return nil
	}
	if len(places) == 0 {
		return filesNamed(name, paths, req.Target.Root)
	}
	return locate(places, paths, req.Target.Root, text)
}

// filesOf are the files of places, each once.
func filesOf(places []askedPlace) (files []code.Path) {
	for _, p := range places {
		if !slices.Contains(files, p.path) {
			files = append(files, p.path)
		}
	}
	return files
}

// want asks for the files of places. An index of names does not nominate by paths, so there they are named.
func want(q *search.Query, places []askedPlace, named bool) {
	files := filesOf(places)
	q.Paths = append(files, q.Paths...)
	if named {
		q.Named = slices.Clone(q.Named)
		for _, f := range files {
			q.Named = append(q.Named, search.QuoteGlob(f))
		}
	}
}

// join adds to what was nominated the asked files that were only named, as far as the request's filters let them.
func join(found *search.Nominees, places []askedPlace, globs []string) {
	allowed := search.NewGlobs(globs)
	for _, f := range filesOf(places) {
		is := func(c search.Candidate) bool { return c.Entry.Path == f }
		if i := slices.IndexFunc(found.Named, is); i >= 0 && !slices.ContainsFunc(found.Files, is) &&
			(len(globs) == 0 || allowed.Match(f)) {
			found.Files = append(found.Files, found.Named[i])
		}
	}
}

// showAsked serves the lines that are asked for: the first as text, others as pointers. It returns true if a file has
// changed and its features are new.
func (s *serving) showAsked(ctx context.Context) (changed bool) {
	opened := 0
	for _, p := range s.asked {
		if len(s.reply.Results) > askedPointers || ctx.Err() != nil {
			break
		}
		file := slices.IndexFunc(s.files, func(f rank.File) bool { return f.Path == p.path })
		if file < 0 {
			continue // left out by a filter, or it has no chunks
		}
		if !s.cands[file].opened {
			if opened++; opened > askedOpens {
				break
			}
			changed = s.open(ctx, file) || changed
		}
		s.showPlace(file, p)
	}
	return changed
}

// showPlace serves one place of an opened file, if it has such a line and the gates let it.
func (s *serving) showPlace(file int, p askedPlace) {
	c, o := &s.cands[file], s.budget.Options()
	if p.file {
		p.first = mainLine(p.path, s.files[file].Features.Chunks)
		p.last = p.first
	}
	n := len(c.lines)
	if n > 0 && c.lines[n-1] == "" { // behind the last line end
		n--
	}
	span, ok := spanOf(s.files[file].Features.Chunks, p.first, min(p.last, n))
	if !ok || p.first > n || c.facts.Binary || c.facts.Secret || s.holds(p) {
		return
	}
	span.End = min(span.End, n)
	symbol := around(s.files[file].Features.Chunks, p.first)
	first := len(s.reply.Results) == 0
	res := Result{Path: c.entry.Path, StartLine: span.Start, EndLine: span.End, Symbol: strings.Clone(symbol.Name),
		Kind: symbol.Kind, Language: c.entry.Language, Relevance: 1, Grade: gates.Strong, Freshness: Indexed,
		Asked: true, FileBytes: sizeOf(c.lines)}
	last := min(p.last, n)
	if !first {
		res.Relevance, res.Grade, last = max(max(o.InjectAt, o.MinRelevance)-askedStep*float64(len(s.reply.Results)),
			o.MinRelevance), gates.Likely, p.first
		span = code.Span{Start: p.first, End: p.first}
	}
	if c.facts.Overlay {
		res.Freshness = Overlay
	}
	if s.req.Explain {
		res.Explain = []rank.Contribution{askedExplained}
		if p.quoted {
			res.Explain[0] = quotedExplained
		}
		if p.file {
			res.Explain[0] = fileExplained
		}
	}
	limits := s.limits()
	from, to := window(c.lines, span, code.Span{Start: p.first, End: last}, symbol.Line, limits)
	if res.SnippetLine, res.Snippet = from, strings.Join(c.lines[from-1:to], "\n"); from == to {
		res.Snippet, _, _ = render.Snippet(c.lines[from-1:to], from, s.query.Focus(s.stats), limits)
	}
	res.Truncated = from > res.StartLine || to < res.EndLine || from == to && res.Snippet != c.lines[from-1]
	c.facts.Relevance = res.Relevance
	s.askRules(c)
	if ok, _ := s.budget.Decide(c.facts, res.Path, res.Snippet); ok {
		s.reply.Results = append(s.reply.Results, res)
		s.reply.BestRelevance = max(s.reply.BestRelevance, res.Relevance)
	}
}

// holds reports whether a result shows the first line of a place already.
func (s *serving) holds(p askedPlace) bool {
	return slices.ContainsFunc(s.reply.Results, func(r Result) bool {
		return r.Path == p.path && p.first >= r.SnippetLine && p.first <= r.SnippetLine+strings.Count(r.Snippet, "\n")
	})
}

// byRelevance orders results that were not found in order: asked lines, what ranks, further chunks.
func byRelevance(results []Result) {
	slices.SortStableFunc(results, func(a, b Result) int { return cmp.Compare(b.Relevance, a.Relevance) })
}
