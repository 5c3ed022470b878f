package retrieve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/githist"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/rank"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
)

// look is one look into a project: what the answers to a request have in common.
type look struct {
	rt       *Retriever
	snap     search.Snapshot
	root     *sandbox.Root
	rules    *sandbox.Checker // of root
	embedder embed.Embedder
	vector   []float32 // of the question
	past     []*githist.Part
}

// search nominates, ranks and serves: the answer, and what is named beside it.
func (rt *Retriever) search(ctx context.Context, req Request, snap search.Snapshot, reply *Reply) error {
	p := snap.Project()
	mode, err := search.ModeOf(ctx, rt.opts.Index, p.ID)
	if err != nil {
		return err
	}
	if mode == search.Names {
		reply.add(SearchUnsupported)
		req.Gates.Pointers = 0 // file names alone are no ground for a guess
	}
	l := &look{rt: rt, snap: snap}
	embedding, embedded := obs.Stage(ctx, "embed")
	l.embedder, l.vector = rt.embed(embedding, req, p, mode, reply)
	embedded(nil)
	l.past = rt.past(ctx, p.ID)
	main := l.parse(req.Text)
	q := search.Query{Words: main.Words, Names: main.Names, Vector: l.vector, Langs: req.languages(), Globs: req.Globs,
		Paths: main.hits.Paths(maxWanted)}
	var beside question
	if req.Named != nil {
		beside = l.parse(req.Named.Text)
		q.Named, q.Count = req.Named.Globs, beside.without(main.Words)
	}
	places := l.askedPlaces(ctx, req)
	want(&q, places, req.Named != nil || mode == search.Names)
	reply.Asked = filesOf(places)
	nominating, nominated := obs.Stage(ctx, "nominate")
	found, err := snap.Nominate(nominating, q)
	nominated(err)
	if err != nil {
		return err
	}
	reply.addOf(found)
	if mode == search.Full && !found.Building && !found.Partial { // else what is not counted may stand there
		reply.MissingWords = main.Missing(found.Stats)
		main, found = l.respelt(ctx, q, main, beside, found, reply)
	}
	l.root, err = sandbox.Open(p.Root, rt.opts.Sandbox)
	if err != nil { // the root went away under its index
		reply.add(IndexStale)
		return nil
	}
	defer l.root.Close()
	l.rules = l.root.NewChecker()
	join(found, places, req.Globs)
	var named *serving
	var group sync.WaitGroup
	if req.Named != nil && len(found.Named) > 0 {
		r := req.named()
		named = l.newServing(r, beside, found.Named, beside.stats(found.Stats, main.Words), NewReply(r))
		group.Go(func() { named.serve(ctx) })
	}
	found.Stats.DF = found.Stats.DF[:len(main.Words)]
	s := l.newServing(req, main, found.Files, found.Stats, reply)
	s.second = true
	s.asked, s.quotes = places, main.Quotes()
	ranking, ranked := obs.Stage(ctx, "rank")
	s.serve(ranking)
	ranked(nil, obs.Count("candidates", len(found.Files)), obs.Count("results", len(reply.Results)))
	if group.Wait(); named != nil {
		reply.Named = named.reply.finish(time.Now()).Results
		for _, reason := range named.reply.Reasons {
			reply.add(reason)
		}
	}
	return nil
}

// question is a text as it is searched for.
type question struct {
	*rank.Query
	hits githist.Hits
}

func (l *look) parse(text string) question { return l.read(rank.Parse(text)) }

// read is a question that was read, with what was done for the like.
func (l *look) read(as *rank.Query) question {
	q := question{Query: as}
	q.Embedder = l.embedder.Name()
	q.hits = githist.Search(q.Terms(), l.past...)
	return q
}

// without are its words that are not among words; none of no question.
func (q question) without(words []code.Term) (rest []code.Term) {
	if q.Query == nil {
		return nil
	}
	for _, w := range q.Words {
		if !slices.Contains(words, w) {
			rest = append(rest, w)
		}
	}
	return rest
}

// stats are the counts for its own words, of those for words and, behind them, for what is without them.
func (q question) stats(of code.Stats, words []code.Term) code.Stats {
	counted, df := append(slices.Clip(words), q.without(words)...), of.DF
	of.DF = make([]int, len(q.Words))
	for i, w := range q.Words {
		of.DF[i] = df[slices.Index(counted, w)]
	}
	return of
}

// embed makes the question's vector with the embedder that the index names, in half of the time that is left. Without a
// vector the answer is found by words.
func (rt *Retriever) embed(
	ctx context.Context, req Request, p search.Project, mode search.Mode, reply *Reply,
) (embed.Embedder, []float32) {
	return rt.embedWith(ctx, req, p, mode, reply, func(ctx context.Context, e embed.Embedder) ([]float32, error) {
		return e.Query(ctx, req.Text)
	})
}

// embedWith is embed of what vectorOf makes a vector of. Where the embedder makes vectors of another length than the
// index holds, whoever keeps the index fresh is asked to look: another model answers under that name now, and no change
// of a file would tell.
func (rt *Retriever) embedWith(
	ctx context.Context, req Request, p search.Project, mode search.Mode, reply *Reply,
	vectorOf func(context.Context, embed.Embedder) ([]float32, error),
) (embed.Embedder, []float32) {
	m := p.Model
	if m.Dims == 0 || mode != search.Full {
		if mode == search.Full && rt.opts.Vectors {
			reply.add(EmbedderUnavailable)
		}
		return embed.None{}, nil
	}
	e := rt.embedder(m.Embedder)
	if e == nil {
		reply.add(EmbedderUnavailable)
		return embed.None{}, nil
	}
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(end)/2)
		defer cancel()
	}
	vector, err := vectorOf(ctx, e)
	if err == nil && len(vector) == 0 {
		err = fmt.Errorf("embed the question: no vector: %w", embed.ErrUnavailable)
	} else if err == nil && len(vector) != m.Dims {
		err = fmt.Errorf("embed the question: %d numbers where the index has %d: %w", len(vector), m.Dims,
			embed.ErrDimensions)
	}
	if err != nil {
		rt.opts.Log.Debug("question not embedded", "error", err)
		if errors.Is(err, embed.ErrDimensions) && !p.Next.Exists() && rt.opts.Asker != nil {
			rt.opts.Asker.AskModel(ctx, req.Target)
		}
		reply.add(EmbedderUnavailable)
		return embed.None{}, nil
	}
	return e, vector
}
