package retrieve

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/githist"
	"github.com/contextd/contextd/internal/rank"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
)

// maxFilters is the greatest number of path patterns, and of languages, of a request.
const maxFilters = 100

// Thresholds past which the queue counts as backed up, and a project as stale.
const (
	backlogProjects = 100
	backlogPaths    = 10_000
	staleAfter      = time.Minute
)

// Queue tells what waits to be indexed.
type Queue interface {
	Waiting(ctx context.Context, project string) (Waiting, error)
}

// Waiting is what a Queue holds.
type Waiting struct {
	Paths       int           // waiting changes of the project
	Oldest      time.Duration // age of the oldest of them
	AllProjects int           // projects that wait
	AllPaths    int           // changes that wait
}

// Asker asks whoever keeps a project fresh for a refresh: of paths, or of all if paths is nil. It decides whether there is
// somebody to ask and whether it was asked only just now, and never waits for the work.
type Asker interface {
	Ask(ctx context.Context, project, root string, paths []code.Path)
}

// Request is one question.
type Request struct {
	Text     string
	Target   Target
	Globs    []string      // path patterns, one must match; none: all
	Langs    []string      // languages; none: all
	Deadline time.Duration // for the whole; 0 means 200 ms
	Gates    gates.Options
	Explain  bool
}

// WithDefaults fills what is zero.
func (r Request) WithDefaults() Request {
	r.Deadline = cmp.Or(r.Deadline, 200*time.Millisecond)
	r.Gates = r.Gates.WithDefaults()
	return r
}

// Validate names the first field that is out of range.
func (r Request) Validate() error {
	if len(r.Globs) > maxFilters || len(r.Langs) > maxFilters {
		return fmt.Errorf("want at most %d paths and as many languages", maxFilters)
	}
	for _, g := range r.Globs {
		if err := search.CheckGlob(g); err != nil {
			return err
		}
	}
	if r.Deadline < 0 {
		return fmt.Errorf("deadline must be positive (got %s)", r.Deadline)
	}
	return r.Gates.Validate()
}

// Retriever answers questions. Safe for concurrent use.
type Retriever struct {
	Index search.Index
	Queue Queue
	Asker Asker
	// Embedder is the embedder with the name that an index was made with; nil if there is none here.
	Embedder func(name string) embed.Embedder
	// Vectors says that a server is to make vectors: an index without any was made while it was down.
	Vectors  bool
	Embedded bool // the index is files of this machine: no fault is Redis's
	// Tasks are the tasks that were done in a project, as notes of package githist; nil: none are known.
	Tasks   func(ctx context.Context, project string) *githist.Part
	Sandbox sandbox.Options
	Log     *slog.Logger

	histories histories
}

// NewReply is an empty reply to a question.
func NewReply(r Request) *Reply {
	reply := &Reply{Query: r.Text, Project: r.Target.Project, Root: r.Target.Root, Reasons: []Reason{}, Results: []Result{}}
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
	for _, r := range reasons {
		reply.add(r)
	}
	if req.Target.Foreign {
		reply.add(IndexMissing)
		return reply.finish(began)
	}
	snap, err := rt.Index.Open(ctx, req.Target.Project)
	if err != nil {
		rt.missing(ctx, req, reply, err)
		return reply.finish(began)
	}
	defer snap.Close()
	p := snap.Project()
	if p.Root != req.Target.Root {
		reply.add(IndexMissing)
		return reply.finish(began)
	}
	reply.Generation, reply.Searched = p.Generation, Searched{Files: p.Files, Chunks: p.Chunks}
	if !p.IndexedAt.IsZero() {
		reply.IndexedAt = p.IndexedAt.UTC().Format(time.RFC3339Nano)
	}
	if p.Rebuilt {
		reply.add(StateRebuilt)
	}
	if rt.stale(ctx, req, p, reply) {
		return reply.finish(began)
	}
	if err := rt.search(ctx, req, snap, reply); err != nil {
		rt.missing(ctx, req, reply, err)
	}
	return reply.finish(began)
}

// missing explains why a project could not be opened or searched and, if it or a part just is not there, asks for it.
func (rt *Retriever) missing(ctx context.Context, req Request, reply *Reply, err error) {
	if rt.note(reply, err) == IndexMissing && rt.Asker != nil {
		rt.Asker.Ask(ctx, req.Target.Project, req.Target.Root, nil)
	}
}

// stale notes what waits to be indexed. It returns true when nothing may be served because of it.
func (rt *Retriever) stale(ctx context.Context, req Request, p search.Project, reply *Reply) bool {
	w, err := rt.waiting(ctx, p.ID)
	if err != nil {
		rt.note(reply, err)
	}
	if req.Gates.Stale == gates.Skip && (err != nil || w.Paths > 0 || p.Failed != "") {
		reply.add(IndexStale)
		return true
	}
	if p.Failed != "" || w.Paths > 0 && w.Oldest > staleAfter {
		reply.add(IndexStale)
	}
	if w.AllProjects > backlogProjects || w.AllPaths > backlogPaths {
		reply.add(Backlog)
	}
	return false
}

// waiting asks the queue, in half of the time that is left: a long one must not cost the answer.
func (rt *Retriever) waiting(ctx context.Context, project string) (Waiting, error) {
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(end)/2)
		defer cancel()
	}
	return rt.Queue.Waiting(ctx, project)
}

// search nominates, ranks and serves.
func (rt *Retriever) search(ctx context.Context, req Request, snap search.Snapshot, reply *Reply) error {
	p := snap.Project()
	mode, err := rt.Index.Mode(ctx)
	if err != nil {
		return err
	}
	if mode == search.Names {
		reply.add(SearchUnsupported)
	}
	q := rank.Parse(req.Text)
	embedder, vector := rt.embed(ctx, req, p.Model, mode, reply)
	q.Embedder = embedder.Name()
	past := rt.past(ctx, p.ID)
	hits := githist.Search(q.Terms(), past...)
	found, err := snap.Nominate(ctx, search.Query{Words: q.Words, Names: q.Names, Vector: vector, Langs: req.Langs, Globs: req.Globs,
		Paths: hits.Paths(maxWanted)})
	if err != nil {
		return err
	}
	if found.Building {
		reply.add(IndexBuilding)
	}
	if found.Partial {
		reply.add(Deadline)
	}
	root, err := sandbox.Open(p.Root, rt.Sandbox)
	if err != nil { // the root went away under its index
		reply.add(IndexStale)
		return nil
	}
	defer root.Close()
	s := rt.newServing(req, q, found, hits, reply)
	s.past, s.snap = past, snap
	s.root, s.embedder, s.vector = root, embedder, vector
	s.serve(ctx)
	return nil
}

// embed makes the question's vector with the embedder that the index names, in half of the time that is left. Without a vector the
// answer is found by words.
func (rt *Retriever) embed(ctx context.Context, req Request, m search.Model, mode search.Mode, reply *Reply) (embed.Embedder, []float32) {
	if m.Dims == 0 || mode != search.Full {
		if mode == search.Full && rt.Vectors {
			reply.add(EmbedderUnavailable)
		}
		return embed.None{}, nil
	}
	e := rt.Embedder(m.Embedder)
	if e == nil {
		reply.add(EmbedderUnavailable)
		return embed.None{}, nil
	}
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(end)/2)
		defer cancel()
	}
	vector, err := e.Query(ctx, req.Text)
	if err == nil && len(vector) != m.Dims {
		err = fmt.Errorf("embed the question: %d numbers where the index has %d: %w", len(vector), m.Dims, embed.ErrDimensions)
	}
	if err != nil {
		rt.Log.Debug("question not embedded", "error", err)
		reply.add(EmbedderUnavailable)
		return embed.None{}, nil
	}
	return e, vector
}
