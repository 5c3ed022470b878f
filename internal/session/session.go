// Package session answers questions on an open store, for commands and for the server alike.
//
// It joins what a question needs beyond package retrieve: which project is meant and whether its root may be read, whether this process
// is to bring the index up to date, and whom to ask for a refresh otherwise.
//
// # Who indexes
//
// A question leaves an index with the embedder that it was made with, whatever the settings are; "index" and the daemon change that.
// Only on the embedded backing, and only where no live daemon covers the root, does a session index at all. A command does it
// before it answers ([First]). A server never keeps a prompt waiting for that: it answers from the generation that is there, each
// snippet verified against the disk, while the index is brought up to date behind the answer ([Behind]); with no generation yet it
// waits for one until the deadline, then says index_building. Behind answers a project is indexed by one run at a time, and a
// run that took t is not repeated within 100 t, nor within a second.
package session

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/assemble"
	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/breaker"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/embed/registry"
	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/profile"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/tasknotes"
)

// Bring says when a session brings an index up to date for a question.
type Bring int

// The values of Bring.
const (
	Never  Bring = iota
	First        // before the answer, whose deadline counts from the end of that
	Behind       // while and after it is answered
)

// Options of a session.
type Options struct {
	Backend    *backend.Backend
	StateDir   string             // absolute; audit logs go there
	Embedders  *registry.Registry // nil: none
	Reranker   retrieve.Reranker  // the second stage; nil: none
	Ingester   *ingest.Ingester
	Sandbox    sandbox.Options
	AllowRoots []string // roots that may be read and indexed; none: any that is named
	// Strict: with no AllowRoots, only roots of projects that are indexed may be read, and none is indexed. For servers.
	Strict   bool
	Caps     retrieve.Caps
	Profiles *profile.Set   // of agents; nil: the built-in ones
	Policy   history.Policy // what tasks are given and show where they do not say so
	Learn    history.Policy // by project and profile: whose numbers outcomes move, where a profile does not say so
	Breaker  breaker.Rule   // turns retrieval off where it is slow; the zero one never does
	Log      *slog.Logger   // nil: none
}

// WithDefaults fills what is not set.
func (o Options) WithDefaults() Options {
	if o.Embedders == nil {
		o.Embedders = registry.New(nil)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Session is an open store and what reads it. Safe for concurrent use.
type Session struct {
	*access.Finder
	opts      Options
	log       *slog.Logger
	store     *backend.Backend
	retriever *retrieve.Retriever

	ctx  context.Context // of the runs behind answers
	stop context.CancelFunc
	runs sync.WaitGroup
	full atomic.Bool     // the store had no room for the last request of a refresh
	mu   sync.Mutex      // guards next and shut
	next map[string]pace // by index
	shut bool

	mind    sync.Mutex // guards what is below
	history *history.History
	memory  *memory.Memory

	assembler *assemble.Assembler
	owed      []access.Target // projects whose git history is to be read behind the answer
	tasks     *tasknotes.Source
}

// New makes a session on an open store, which Close closes.
func New(o Options) *Session {
	o = o.WithDefaults()
	find := access.New(access.Options{Index: o.Backend.Index, Embedded: o.Backend.Name == backend.Embedded, Roots: o.AllowRoots, Strict: o.Strict, Log: o.Log})
	o.Sandbox = find.Sandbox(o.Sandbox)
	if allowed := find.Allowed(); allowed != nil && o.Ingester != nil {
		o.Ingester = o.Ingester.Confined(allowed)
	}
	s := &Session{Finder: find, opts: o, log: o.Log, store: o.Backend, next: map[string]pace{}, tasks: tasknotes.New(o.Log)}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.retriever = &retrieve.Retriever{Index: o.Backend.Index, Queue: s, Asker: s, Embedder: o.Embedders.Named, Reranker: o.Reranker, Vectors: o.Embedders.Remote(),
		Embedded: o.Backend.Name == backend.Embedded, Limits: o.Backend.Limits(), Tasks: s.tasks.Of, Sandbox: o.Sandbox, Log: o.Log}
	return s
}

// Close ends the runs behind answers and closes the store.
func (s *Session) Close() error {
	s.mu.Lock()
	s.shut = true
	s.mu.Unlock()
	s.stop()
	s.runs.Wait()
	return s.store.Close()
}

// Retriever is what answers in this session.
func (s *Session) Retriever() *retrieve.Retriever { return s.retriever }

func (s *Session) embedded() bool { return s.store.Name == backend.Embedded }

// Backend is the open store.
func (s *Session) Backend() *backend.Backend { return s.store }

// Query finds the project, sees to its index as bring says, and asks. progress, which may be nil, is called by First. An error is one
// of the question: no such root, or one that may not be read.
func (s *Session) Query(ctx context.Context, req retrieve.Request, w access.Where, bring Bring, progress func(done, total int)) (*retrieve.Reply, error) {
	req, fault, err := s.aim(ctx, req, w)
	if err != nil {
		return nil, err
	}
	return s.answer(ctx, req, fault, bring, progress)
}

// aim gives a request its target and its paths as that has them.
func (s *Session) aim(ctx context.Context, req retrieve.Request, w access.Where) (_ retrieve.Request, fault, err error) {
	began := time.Now()
	req = req.WithDefaults()
	t, fault, err := s.Resolve(ctx, w, req.Deadline)
	if err != nil {
		return req, fault, err
	}
	req.Target = t
	if req, err = req.Within(w); err != nil {
		return req, fault, err
	}
	if s.store.Name != backend.Embedded {
		req.Deadline = max(req.Deadline-time.Since(began), time.Millisecond)
	}
	return req, fault, nil
}

// Usages finds the lines that name an identifier, as Query answers a question: w and bring mean the same.
func (s *Session) Usages(ctx context.Context, u retrieve.UsagesRequest, w access.Where, bring Bring, progress func(done, total int)) (*retrieve.Usages, error) {
	req, fault, err := s.aim(ctx, retrieve.Request{Deadline: u.Deadline}, w)
	if err != nil {
		return nil, err
	}
	u.Target, u.Deadline = req.Target, req.Deadline
	if fault != nil {
		return s.retriever.FailedUsages(u, fault), nil
	}
	if req.Target.Foreign {
		return s.retriever.Usages(ctx, u), nil
	}
	_, also, clock, err := s.ready(ctx, &req, bring, progress)
	if err != nil {
		return nil, err
	}
	s.store.Queried(req.Target.IndexID())
	clock.set(&req)
	u.Deadline = req.Deadline
	return s.retriever.Usages(ctx, u, also...), nil
}

// answer asks about a target that was found, with what Resolve said of it.
func (s *Session) answer(ctx context.Context, req retrieve.Request, fault error, bring Bring, progress func(done, total int)) (*retrieve.Reply, error) {
	if fault != nil {
		return s.retriever.Failed(req, fault), nil
	}
	if req.Target.Foreign {
		return s.retriever.Query(ctx, req), nil
	}
	k, also, clock, err := s.ready(ctx, &req, bring, progress)
	if err != nil {
		return nil, err
	}
	s.store.Queried(req.Target.IndexID())
	clock.set(&req)
	whole := s.checkWhole(ctx, req)
	reply := s.retriever.Query(ctx, req, also...)
	if reply.Err != nil {
		whole()
		return nil, reply.Err
	}
	if lost := whole(); len(lost) > 0 {
		reply.Without(retrieve.IndexBuilding) // what is gone is not coming
		reply.With(lost...)
	}
	if clock.set(&req); reply.Status == retrieve.Empty && (k == watches || !s.embedded()) {
		reply.With(s.nothing(ctx, req, k)...)
	}
	return reply, nil
}

// ready sees to the index of a request's target as bring says. also is what is to be said against the answer, clock what is left of the
// request's deadline.
func (s *Session) ready(ctx context.Context, req *retrieve.Request, bring Bring, progress func(done, total int)) (k keeper, also []retrieve.Reason, clock clock, err error) {
	k, clock = nobody, newClock(req)
	switch {
	case !s.embedded():
		find, cancel := context.WithTimeout(ctx, req.Deadline/compareShare)
		k = s.keeper(find, req.Target.Root)
		cancel()
		if k == covers {
			also = s.compare(ctx, *req, k)
		}
	case bring == First:
		k, also, err = s.bringUp(ctx, *req, progress)
		clock = newClock(req) // the deadline counts from here
	case bring == Behind:
		k, also = s.behind(ctx, *req)
	}
	return k, also, clock, err
}

// Skipped lists what is left out of the index of a project.
func (s *Session) Skipped(ctx context.Context, w access.Where, reason code.Reason, limit int) (*retrieve.Skipped, error) {
	projects, err := s.store.Index.Projects(ctx)
	if err != nil {
		return nil, err
	}
	t, err := s.Target(projects, w)
	if err != nil {
		return nil, err
	}
	return s.retriever.Skipped(ctx, t, reason, limit, s.opts.Caps)
}

// Why tells what is known of one path.
func (s *Session) Why(ctx context.Context, w access.Where, path string) (retrieve.Verdict, error) {
	projects, err := s.store.Index.Projects(ctx)
	if err != nil {
		return retrieve.Verdict{}, err
	}
	t, err := s.Target(projects, w)
	if err != nil {
		return retrieve.Verdict{}, err
	}
	return s.retriever.Why(ctx, t, w.Dir, path, s.opts.Caps)
}
