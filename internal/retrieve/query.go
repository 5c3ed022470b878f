package retrieve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/lang"
	"github.com/contextd/contextd/internal/obs"
	"github.com/contextd/contextd/internal/rank"
	"github.com/contextd/contextd/internal/search"
)

// maxFilters is the greatest number of path patterns, and of languages, of a request.
const maxFilters = 100

// Request is one question.
type Request struct {
	Text     string
	Target   access.Target
	Globs    []string      // path patterns, one must match; none: all
	Langs    []string      // languages; none: all
	Content  lang.Content  // kind of files; "" means all
	Deadline time.Duration // for the whole; 0 means 200 ms
	Gates    gates.Options
	Explain  bool
	Named    *Named // asks for files besides; nil: for none
	Like     *Place // asks for what is nearest to the chunk at a place, without that, in place of what answers Text
	Asked    string // the text whose named lines are shown, see package asked; "": Text
	// MinGeneration is the least generation of the root's index that is wanted. The caller waits for it; an answer from
	// an earlier one says GenerationBehind. 0: any.
	MinGeneration int64

	filters []filter // Globs as they were given, once Within has read them
	further float64  // relevance below which no further chunk is served, whatever Gates let through
}

// Named asks for the best of certain files besides, whatever their relevance: of the same generation, by the same
// vector and within the same deadline.
type Named struct {
	// by what they are ranked: the question's text, and how it names them. The vector is that of the question alone
	Text  string
	Globs []string // path patterns, one must match
	// greatest number of results, 0 means that of Gates; further chunks are among them from the least relevance of
	// Gates on
	Most int
}

// Guesses are the pointers that an answer may hold below the least relevance of its results, where the caller did not
// name one.
const Guesses = 3

// WithGuesses lets an answer hold results of grade possible too.
func (r Request) WithGuesses() Request {
	r.Gates.Pointers, r.Gates.Floor = Guesses, rank.Floor
	return r
}

// WithDefaults fills what is zero.
func (r Request) WithDefaults() Request {
	r.Deadline = cmp.Or(r.Deadline, 200*time.Millisecond)
	r.Gates = r.Gates.WithDefaults()
	return r
}

// named is the request for the named files.
func (r Request) named() Request {
	n := r.Named
	r.Text, r.Globs, r.filters, r.Explain, r.Named = n.Text, n.Globs, nil, false, nil
	r.further, r.Gates.MinRelevance, r.Gates.MaxResults = r.Gates.MinRelevance, gates.NoThreshold,
		cmp.Or(n.Most, r.Gates.MaxResults)
	r.Gates.Pointers, r.MinGeneration = 0, 0
	return r
}

// Validate names the first field that is out of range.
func (r Request) Validate() error {
	if len(r.Globs) > maxFilters || len(r.Langs) > maxFilters {
		return fmt.Errorf("want at most %d paths and as many languages", maxFilters)
	}
	for _, g := range r.Globs {
		if err := search.CheckGlob(g); err != nil {
			return &FilterError{Field: "paths", err: err}
		}
	}
	if _, err := Languages(r.Langs); err != nil {
		return err
	}
	if r.Like != nil && (r.Like.Path == "" || r.Like.Line < 1) {
		return fmt.Errorf("place %q: want a path and a line from 1, such as \"web/app.go:12\"", r.Like.String())
	}
	if err := r.checkContent(); err != nil {
		return err
	}
	if r.Deadline < 0 {
		return fmt.Errorf("deadline must be positive (got %s)", r.Deadline)
	}
	if r.MinGeneration < 0 {
		return fmt.Errorf("least generation: want a whole number from 0 (got %d)", r.MinGeneration)
	}
	if r.Named != nil {
		if err := r.named().Validate(); err != nil {
			return fmt.Errorf("named files: %w", err)
		}
	}
	return r.Gates.Validate()
}

// NewReply is an empty reply to a question.
func NewReply(r Request) *Reply {
	reply := &Reply{Query: r.Text, Project: r.Target.Project, Root: r.Target.Root, LargerRoot: r.Target.Larger,
		Content: r.contentShown(), Reasons: []Reason{}, Results: []Result{}, least: r.MinGeneration}
	if r.Explain {
		reply.Rejected = &[]Reject{}
	}
	return reply
}

// Failed is the reply to a request that could not even be put to the store.
func (rt *Retriever) Failed(req Request, err error) *Reply {
	reply := NewReply(req)
	rt.note(reply, err)
	return reply.finish(time.Now())
}

// Query answers a valid request within its deadline. reasons are what the caller knows already against the reply's
// strength.
func (rt *Retriever) Query(ctx context.Context, req Request, reasons ...Reason) *Reply {
	began := time.Now()
	req = req.WithDefaults()
	ctx, cancel := context.WithTimeout(ctx, req.Deadline)
	defer cancel()
	reply := NewReply(req)
	ctx, end := obs.Stage(ctx, "search")
	defer func() {
		end(nil, obs.Word("project", req.Target.Project), obs.Word("status", reply.Status),
			obs.Count("results", len(reply.Results)), obs.Count("reasons", len(reply.Reasons)))
	}()
	for _, r := range reasons {
		reply.add(r)
	}
	snap := rt.enter(ctx, req, reply)
	if snap == nil {
		return reply.finish(began)
	}
	defer snap.Close()
	look := rt.search
	if req.Like != nil {
		look = rt.related
	}
	err := look(ctx, req, snap, reply)
	var place *PlaceError
	switch {
	case errors.As(err, &place):
		return reply.fault(err, began)
	case err != nil:
		rt.missing(ctx, req, reply, err)
	}
	reply.unmatched(ctx, req, snap)
	return reply.finish(began)
}

// enter opens the index of a request's target and notes in reply what is known of it. nil: nothing may be served, and
// reply says why.
func (rt *Retriever) enter(ctx context.Context, req Request, reply *Reply) search.Snapshot {
	if req.Target.Foreign {
		reply.add(IndexMissing)
		return nil
	}
	// Asked before the project is opened: what is indexed in between is in the answer, and what is not is told of.
	waiting, queueErr := rt.waiting(ctx, req.Target)
	snap, err := rt.opts.Index.Open(ctx, req.Target.IndexID())
	if err != nil {
		rt.missing(ctx, req, reply, err)
		return nil
	}
	p := snap.Project()
	if p.Root != req.Target.Root {
		snap.Close()
		reply.add(IndexMissing)
		return nil
	}
	reply.Generation, reply.Searched = p.Generation, Searched{Files: p.Files, Chunks: p.Chunks}
	if !p.IndexedAt.IsZero() {
		reply.IndexedAt = p.IndexedAt.UTC().Format(time.RFC3339Nano)
	}
	if p.Rebuilt {
		reply.add(StateRebuilt)
	}
	if rt.stale(req, p, waiting, queueErr, reply) {
		snap.Close()
		return nil
	}
	return snap
}
