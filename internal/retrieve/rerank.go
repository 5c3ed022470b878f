package retrieve

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/contextd/contextd/internal/rank"
	"github.com/contextd/contextd/internal/render"
	"github.com/contextd/contextd/internal/rerank"
	"github.com/contextd/contextd/internal/secret"
	"github.com/contextd/contextd/internal/waits"
)

// Reranker is an optional second stage: it returns the places of the candidates, each once, the best first.
type Reranker interface {
	Rerank(ctx context.Context, question string, candidates []rerank.Candidate) ([]int, error)
}

// RerankFault says why a second stage changed nothing.
type RerankFault string

// The faults of a second stage.
const (
	RerankUnavailable RerankFault = "unavailable"
	RerankLate        RerankFault = "deadline"
	RerankBadReply    RerankFault = "bad_reply"
)

// rerankShare of the time that is left is kept for the answer itself: one part in so many.
const rerankShare = 4

// rerank puts the first candidates into the order of the second stage and returns the order of all. A question that is
// one name is left as it is: its definition is no matter of opinion. What the question names the lines of is served
// already and stays first.
func (s *serving) rerank(ctx context.Context, order []rank.Scored) []rank.Scored {
	if s.rt.opts.Reranker == nil || !s.second || s.query.Symbol != nil || ctx.Err() != nil {
		return order
	}
	if end, ok := ctx.Deadline(); ok {
		left := time.Until(end)
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, left-left/rerankShare)
		defer cancel()
	}
	order, first := s.openFirst(ctx, order)
	if len(first) < 2 {
		return order
	}
	places, err := s.preferred(ctx, first)
	if err != nil {
		s.reply.RerankFault = faultOf(err)
		s.rt.opts.Log.Debug("answer not reranked", "error", err)
		return order
	}
	for _, at := range places {
		s.ordered = append(s.ordered, first[at].File)
	}
	s.reply.Reranked = true
	return s.arrange(order)
}

// openFirst opens the first candidates that may be shown. It returns the order as it is then, and what of it was
// opened: no more than the second stage takes.
func (s *serving) openFirst(ctx context.Context, order []rank.Scored) (all, first []rank.Scored) {
	changed := false
	for _, x := range order[:min(len(order), rerank.MaxCandidates)] {
		if c := &s.cands[x.File]; !c.done && !c.opened && x.Relevance > 0 && ctx.Err() == nil {
			changed = s.open(ctx, x.File) || changed
			c.opened = !c.late // take tries again, under the deadline of the whole
			c.late = false
		}
	}
	if changed {
		order = rank.Score(s.query, s.stats, s.files)
	}
	for _, x := range order {
		c := &s.cands[x.File]
		if len(first) == rerank.MaxCandidates || x.Relevance == 0 {
			break
		}
		if c.done || !c.opened || !c.facts.Regular || c.facts.Binary || c.facts.Secret || x.Chunk < 0 ||
			s.files[x.File].Features.Chunks[x.Chunk].Span.Start > len(c.lines) {
			continue
		}
		if s.askRules(c); !c.facts.Secret && !c.facts.Excluded {
			first = append(first, x)
		}
	}
	return order, first
}

// preferred asks the second stage. What it is told has passed the rules for secrets twice: whole files that hold one
// are no candidates, and each text is redacted.
func (s *serving) preferred(ctx context.Context, first []rank.Scored) ([]int, error) {
	question, _, err := secret.RedactWithin(ctx, s.req.Text)
	if err != nil {
		return nil, rerank.ErrLate
	}
	list := make([]rerank.Candidate, len(first))
	for i, x := range first {
		c := &s.cands[x.File]
		span := s.files[x.File].Features.Chunks[x.Chunk].Span
		span.End = min(span.End, len(c.lines))
		text, _, _ := render.Snippet(c.lines[span.Start-1:span.End], span.Start, s.query.Focus(s.stats),
			render.Limits{Lines: 12, Chars: rerank.MaxText, Bytes: rerank.MaxText})
		list[i] = rerank.Candidate{Path: c.entry.Path, Start: span.Start, End: span.End,
			Symbol: x.Symbol.Name, Text: text}
		for _, field := range []*string{&list[i].Path, &list[i].Symbol, &list[i].Text} {
			if *field, _, err = secret.RedactWithin(ctx, *field); err != nil {
				return nil, rerank.ErrLate
			}
		}
	}
	end := waits.Begin(ctx) // the server's time is no cost of finding
	places, err := s.rt.opts.Reranker.Rerank(ctx, question, list)
	end()
	if err == nil && !permutation(places, len(first)) {
		err = rerank.ErrReply
	}
	return places, err
}

// arrange puts the candidates that the second stage ordered into its order, in the places that they have together. Each
// gets the relevance of its place: relevance never contradicts the order, and no more of it is given than there was.
func (s *serving) arrange(order []rank.Scored) []rank.Scored {
	if s.ordered == nil {
		return order
	}
	at := map[int]rank.Scored{} // by candidate
	var places []int
	for i, x := range order {
		if slices.Contains(s.ordered, x.File) {
			at[x.File], places = x, append(places, i)
		}
	}
	out := slices.Clone(order)
	for i, place := range places {
		x := at[s.ordered[i]]
		x.Relevance = order[place].Relevance
		out[place] = x
	}
	return out
}

func permutation(places []int, n int) bool {
	seen := make([]bool, n)
	for _, at := range places {
		if at < 0 || at >= n || seen[at] {
			return false
		}
		seen[at] = true
	}
	return len(places) == n
}

func faultOf(err error) RerankFault {
	switch {
	case errors.Is(err, rerank.ErrReply):
		return RerankBadReply
	case errors.Is(err, rerank.ErrLate), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return RerankLate
	}
	return RerankUnavailable
}
