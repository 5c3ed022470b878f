package retrieve

import (
	"context"
	"slices"
	"sync"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/rank"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/search/blob"
)

// openFactor bounds how many files are opened for k results: openFactor × k.
const openFactor = 4

// maxRejected bounds what Explain lists.
const maxRejected = 100

// lookups have room for the features of an answer's candidates.
var lookups = sync.Pool{New: func() any { return blob.NewLookup(nil) }}

// serving is one answer being put together.
type serving struct {
	*look
	req    Request
	reply  *Reply
	query  *rank.Query
	ids    []code.TermID // query.Lookups
	lookup *blob.Lookup  // has read the features of files
	stats  code.Stats
	asked  []askedPlace // lines that are shown whatever ranks
	apart  *like        // a chunk that is not served; nil: none
	second bool         // it is reranked, if there is a Reranker
	quotes *rank.Quotes // texts that the question may quote; nil: none is looked for

	cands   []candidate // beside files
	served  []rank.Scored
	files   []rank.File
	budget  *gates.Budget
	changed []code.Path // files that are not as they were indexed
	ordered []int       // candidates in the order of the second stage; nil: none
}

// candidate is what is known of a nominated file.
type candidate struct {
	entry  search.Entry
	done   bool // served or rejected
	opened bool // facts and lines tell of the file on disk
	late   bool // the deadline was over before its text was searched: it has no lines
	ruled  bool // the rules of the root were asked about it
	facts  gates.Facts
	lines  []string
}

func (l *look) newServing(req Request, q question, found []search.Candidate, stats code.Stats, reply *Reply) *serving {
	s := &serving{look: l, req: req, reply: reply, query: q.Query, ids: q.Lookups(), stats: stats,
		budget: gates.NewBudget(req.Gates), cands: make([]candidate, 0, len(found)),
		files: make([]rank.File, 0, len(found))}
	changes := q.hits.Scores()
	s.lookup = lookups.Get().(*blob.Lookup)
	s.lookup.Reset(s.ids)
	for i := range found {
		c := &found[i]
		f, err := s.lookup.Read(c.Features)
		if err != nil { // a damaged blob scores nothing; its file is still found by its name
			l.rt.opts.Log.Warn("features not read", "path", c.Entry.Path, "error", err)
			f = &blob.Features{}
		}
		s.cands = append(s.cands, candidate{entry: c.Entry})
		s.files = append(s.files, rank.File{Path: c.Entry.Path, Features: f, Blob: c.Features, Cosines: c.Cosines,
			History: changes[c.Entry.Path]})
	}
	return s
}

// serve takes the candidates in order until the wanted number is served. One whose file has changed is analyzed again,
// and then stands where its new score puts it.
func (s *serving) serve(ctx context.Context) {
	order := s.order()
	for _, x := range order {
		s.reply.BestRelevance = max(s.reply.BestRelevance, x.Relevance)
	}
	places, changed := s.quoted(ctx, order)
	s.asked = append(slices.Clip(s.asked), places...)
	if s.showAsked(ctx) || changed {
		order = s.order()
	}
	order = s.take(ctx, s.rerank(ctx, order))
	if s.req.Explain {
		for i := range s.reply.Results {
			s.reply.Results[i].Companions = companions(ctx, s.snap, s.past, s.reply.Results[i].Path)
		}
	}
	s.further()
	byRelevance(s.reply.Results)
	if len(s.reply.Results) == 0 && s.req.Gates.Pointers > 0 {
		s.showNearest(ctx, order)
	}
	s.finish(ctx)
	s.files = nil // features are good until the Lookup is used again
	lookups.Put(s.lookup)
}

// take serves the candidates in order, and returns the order as it is in the end.
func (s *serving) take(ctx context.Context, order []rank.Scored) []rank.Scored {
	opened := 0
	for i := 0; i < len(order); i++ {
		x := order[i]
		c := &s.cands[x.File]
		if c.done {
			continue
		}
		if ctx.Err() != nil {
			s.reply.add(Deadline)
			break
		}
		if reason := s.budget.RejectEarly(x.Relevance); reason != "" {
			s.reject(x, reason)
			continue
		}
		if !c.opened {
			if opened == openFactor*s.budget.Options().MaxResults {
				break
			}
			opened++
			if s.open(ctx, x.File) {
				order, i = s.arrange(s.order()), -1
				continue
			}
			if c.late {
				s.reply.add(Deadline)
				break
			}
		}
		s.decide(x)
	}
	return order
}

// decide passes a candidate through the gates and serves it if they let it.
func (s *serving) decide(x rank.Scored) {
	c := &s.cands[x.File]
	res := s.inspect(x)
	if s.shown(res) { // by a line that is asked for
		c.done, s.served = true, append(s.served, x)
		return
	}
	s.askRules(c)
	if ok, reason := s.budget.Decide(c.facts, c.entry.Path, res.Snippet); !ok {
		s.reject(x, reason)
		return
	}
	c.done = true
	s.reply.BestRelevance = max(s.reply.BestRelevance, x.Relevance) // an overlay may beat what was indexed
	s.reply.Results, s.served = append(s.reply.Results, res), append(s.served, x)
}

// inspect is the best chunk of an opened candidate as a result, empty if none can be shown. It completes the facts.
func (s *serving) inspect(x rank.Scored) (res Result) {
	c := &s.cands[x.File]
	c.facts.Relevance = x.Relevance
	switch {
	case !c.facts.Regular || c.facts.Binary || c.facts.Secret:
	case x.Chunk >= 0 && s.files[x.File].Features.Chunks[x.Chunk].Span.Start <= len(c.lines):
		res = s.result(x, x.Chunk, x.Symbol)
	default:
		c.facts.Fresh, c.facts.Overlay = false, false // no chunk of it can be shown
	}
	return res
}

func (s *serving) reject(x rank.Scored, reason code.Reason) {
	s.cands[x.File].done = true
	if s.reply.Rejected != nil && len(*s.reply.Rejected) < maxRejected {
		*s.reply.Rejected = append(*s.reply.Rejected,
			Reject{Path: s.cands[x.File].entry.Path, Reason: string(reason), Relevance: x.Relevance})
	}
}

// finish asks for what was found changed and, where nothing stale may be served, takes back what was.
func (s *serving) finish(ctx context.Context) {
	if len(s.changed) == 0 {
		return
	}
	if s.rt.opts.Asker != nil {
		s.rt.opts.Asker.Ask(ctx, s.req.Target.Project, s.req.Target.Root, s.changed)
	}
	if s.budget.Options().Stale == gates.Skip {
		for _, r := range s.reply.Results {
			if s.reply.Rejected != nil && r.ShareOfBest == 0 {
				*s.reply.Rejected = append(*s.reply.Rejected,
					Reject{Path: r.Path, Reason: string(gates.Stale), Relevance: r.Relevance})
			}
		}
		s.reply.Results, s.reply.Nearest = []Result{}, nil
		s.reply.add(IndexStale)
	}
}
