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
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/contextd/contextd/internal/assemble"
	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/breaker"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/embed/static"
	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/profile"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
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
	StateDir   string            // absolute; audit logs go there
	Embedder   embed.Embedder    // the one that the settings choose; nil means embed.None
	Reranker   retrieve.Reranker // the second stage; nil: none
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
	if o.Embedder == nil {
		o.Embedder = embed.None{}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Session is an open store and what reads it. Safe for concurrent use.
type Session struct {
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
	owed      []retrieve.Target    // projects whose git history is to be read behind the answer
	done      map[string]readTasks // by project
}

// New makes a session on an open store, which Close closes.
func New(o Options) *Session {
	o = o.WithDefaults()
	switch {
	case len(o.AllowRoots) > 0:
		o.Sandbox.Allowed = sandbox.Allow(o.AllowRoots)
		if o.Ingester != nil {
			o.Ingester = o.Ingester.WithAllowedRoots(o.Sandbox.Allowed)
		}
	case o.Strict:
		o.Sandbox.NoLinks = true // the roots that the index names are real paths
	}
	s := &Session{opts: o, log: o.Log, store: o.Backend, next: map[string]pace{}}
	s.ctx, s.stop = context.WithCancel(context.Background())
	_, remote := o.Embedder.(embed.Remote)
	s.retriever = &retrieve.Retriever{Index: o.Backend.Index, Queue: s, Asker: s, Embedder: s.embedder, Reranker: o.Reranker, Vectors: remote,
		Embedded: o.Backend.Name == backend.Embedded, Limits: o.Backend.Limits(), Tasks: s.tasks, Sandbox: o.Sandbox, Log: o.Log}
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

// embedder is the embedder that an index names.
func (s *Session) embedder(name string) embed.Embedder {
	if s.opts.Embedder.Name() == name {
		return s.opts.Embedder
	}
	if e, err := static.Default(); err == nil && e.Name() == name {
		return e
	}
	return nil
}

// Query finds the project, sees to its index as bring says, and asks. progress, which may be nil, is called by First. An error is one
// of the question: no such root, or one that may not be read.
func (s *Session) Query(ctx context.Context, req retrieve.Request, w retrieve.Where, bring Bring, progress func(done, total int)) (*retrieve.Reply, error) {
	req, fault, err := s.aim(ctx, req, w)
	if err != nil {
		return nil, err
	}
	return s.answer(ctx, req, fault, bring, progress)
}

// aim gives a request its target and its paths as that has them.
func (s *Session) aim(ctx context.Context, req retrieve.Request, w retrieve.Where) (_ retrieve.Request, fault, err error) {
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
func (s *Session) Usages(ctx context.Context, u retrieve.UsagesRequest, w retrieve.Where, bring Bring, progress func(done, total int)) (*retrieve.Usages, error) {
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

// Resolve finds the project of a question and makes sure that its root may be read. fault: the store could not be asked within
// the limit, and the target is a guess.
func (s *Session) Resolve(ctx context.Context, w retrieve.Where, limit time.Duration) (t retrieve.Target, fault, err error) {
	find, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	projects, fault := s.projects(find)
	if backend.NeverServes(fault) {
		return t, nil, fault
	}
	if w.Root == "" && w.Dir == "" { // whoever asks has no working directory here: what is not indexed has no root
		if err := code.CheckProjectID(w.Project); err != nil {
			return t, fault, err
		}
		i := slices.IndexFunc(projects, func(p search.Project) bool { return p.ProjectID() == w.Project })
		if i < 0 {
			return retrieve.Target{Project: w.Project, Foreign: true}, fault, nil
		}
	}
	t, err = s.target(projects, w)
	return t, fault, err
}

// target finds the project of a question among projects. A root that is named is checked before anything is told of it.
func (s *Session) target(projects []search.Project, w retrieve.Where) (t retrieve.Target, err error) {
	if w.Root != "" {
		if w.Root, err = s.confine(projects, w.Root); err != nil {
			return t, err
		}
		w.Real = true
	}
	if t, err = retrieve.Resolve(projects, w); err != nil {
		return t, err
	}
	if t.Larger != "" && s.readable(projects, t.Larger) != nil {
		t.Larger = ""
	}
	return t, s.readable(projects, t.Root)
}

// TargetOf is the target of a project's root, a real path that may be read. Where the store does not tell, it is the project's first.
func (s *Session) TargetOf(ctx context.Context, project, root string) retrieve.Target {
	projects, err := s.projects(ctx)
	if err != nil {
		s.log.Debug("roots of a project not read", "project", project, "error", err)
	}
	t, err := retrieve.Resolve(projects, retrieve.Where{Project: project, Root: root, Real: true})
	if err != nil {
		return retrieve.Target{Project: project, Root: root}
	}
	return t
}

// projects lists the projects; a fault of the files of the embedded index is not one of the answer.
func (s *Session) projects(ctx context.Context) ([]search.Project, error) {
	if s.store.Name == backend.Embedded {
		ctx = context.WithoutCancel(ctx)
	}
	return s.store.Index.Projects(ctx)
}

// readable refuses a root outside of the roots that the settings allow, where they name any. A strict session with none reads what
// is indexed.
func (s *Session) readable(projects []search.Project, root string) error {
	known := slices.ContainsFunc(projects, func(p search.Project) bool { return p.Root == root })
	if len(s.opts.AllowRoots) > 0 {
		_, err := s.opts.Sandbox.Allowed.Confine(root)
		if known && errors.Is(err, sandbox.ErrMissing) {
			return nil // an allowed root that went away: its project is asked, and answers that it is stale
		}
		return err
	}
	if s.opts.Strict && !known {
		return fmt.Errorf("root %q: %w", root, sandbox.ErrNotAllowed)
	}
	return nil
}

// Confine is the real path of a root that may be read here.
func (s *Session) Confine(ctx context.Context, root string) (string, error) {
	var projects []search.Project
	if len(s.opts.AllowRoots) == 0 && s.opts.Strict {
		var err error
		if projects, err = s.projects(ctx); err != nil {
			return "", err
		}
	}
	return s.confine(projects, root)
}

// confine is Confine among projects. All that is not allowed gets one answer: it tells neither what is there nor where links lead.
func (s *Session) confine(projects []search.Project, root string) (string, error) {
	abs, err := filepath.Abs(root)
	if err != nil {
		return "", fmt.Errorf("root %q: %w", root, err)
	}
	if len(s.opts.AllowRoots) > 0 {
		return s.opts.Sandbox.Allowed.Confine(abs)
	}
	real, err := retrieve.RealDir(root)
	if !s.opts.Strict {
		return real, err
	}
	if err != nil && s.readable(projects, abs) == nil {
		return "", err // the root of a project went away
	}
	if err != nil || s.readable(projects, real) != nil {
		return "", fmt.Errorf("root %q: %w", root, sandbox.ErrNotAllowed)
	}
	return real, nil
}

// May reports whether this session may index root.
func (s *Session) May(root string) bool {
	if len(s.opts.AllowRoots) == 0 {
		return !s.opts.Strict
	}
	_, err := s.opts.Sandbox.Allowed.Confine(root)
	return err == nil
}

// Skipped lists what is left out of the index of a project.
func (s *Session) Skipped(ctx context.Context, w retrieve.Where, reason code.Reason, limit int) (*retrieve.Skipped, error) {
	projects, err := s.store.Index.Projects(ctx)
	if err != nil {
		return nil, err
	}
	t, err := s.target(projects, w)
	if err != nil {
		return nil, err
	}
	return s.retriever.Skipped(ctx, t, reason, limit, s.opts.Caps)
}

// Why tells what is known of one path.
func (s *Session) Why(ctx context.Context, w retrieve.Where, path string) (retrieve.Verdict, error) {
	projects, err := s.store.Index.Projects(ctx)
	if err != nil {
		return retrieve.Verdict{}, err
	}
	t, err := s.target(projects, w)
	if err != nil {
		return retrieve.Verdict{}, err
	}
	return s.retriever.Why(ctx, t, w.Dir, path, s.opts.Caps)
}
