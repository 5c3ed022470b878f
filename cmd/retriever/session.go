package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/config"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/embed/static"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
)

// askEvery is how often a project's refresh is asked for at most.
const askEvery = 10 * time.Second

// session is one run of the command: an open store and what reads it.
type session struct {
	cfg       config.Config
	log       *slog.Logger
	store     *backend.Backend
	embed     embed.Embedder // the one that the settings choose
	retriever *retrieve.Retriever
}

func open(cfg config.Config, log *slog.Logger, deadline time.Duration) (*session, error) {
	e, err := cli.Embedder(cfg, log, true)
	if err != nil {
		return nil, err
	}
	store, err := cli.Backend(cfg, log, deadline)
	if err != nil {
		return nil, err
	}
	s := &session{cfg: cfg, log: log, store: store, embed: e}
	_, remote := e.(embed.Remote)
	s.retriever = &retrieve.Retriever{Index: store.Index, Queue: s, Asker: s, Embedder: s.embedder, Vectors: remote,
		Embedded: store.Name == backend.Embedded, Sandbox: cli.Sandbox(cfg), Log: log}
	return s, nil
}

func (s *session) close() {
	if err := s.store.Close(); err != nil {
		s.log.Debug("store not closed", "error", err)
	}
}

// embedder is the embedder that an index names.
func (s *session) embedder(name string) embed.Embedder {
	if s.embed.Name() == name {
		return s.embed
	}
	if e, err := static.Default(); err == nil && e.Name() == name {
		return e
	}
	return nil
}

// query finds the project, brings its index up to date where that is this command's task, and asks.
func (s *session) query(ctx context.Context, req retrieve.Request, w retrieve.Where, noIndex bool, progress func(done, total int)) (*retrieve.Reply, error) {
	began := time.Now()
	find, cancel := context.WithTimeout(ctx, req.Deadline)
	defer cancel()
	projects, fault := s.projects(find)
	var err error
	if req.Target, err = retrieve.Resolve(projects, w); err != nil {
		return nil, err
	}
	if err := s.allowed(req.Target.Root); err != nil {
		return nil, err
	}
	if fault != nil {
		return s.retriever.Failed(req, fault), nil
	}
	if s.store.Name != backend.Embedded {
		req.Deadline = max(req.Deadline-time.Since(began), time.Millisecond)
		return s.retriever.Query(ctx, req), nil
	}
	var also []retrieve.Reason
	if !noIndex && !req.Target.Foreign {
		if also, err = s.bringUp(ctx, req, progress); err != nil {
			return nil, err
		}
	}
	s.store.Queried(req.Target.Project)
	return s.retriever.Query(ctx, req, also...), nil
}

// projects lists the projects; a fault of the files of the embedded index is not one of the answer.
func (s *session) projects(ctx context.Context) ([]search.Project, error) {
	if s.store.Name == backend.Embedded {
		ctx = context.WithoutCancel(ctx)
	}
	return s.store.Index.Projects(ctx)
}

// allowed refuses a root outside of the roots that the settings allow, where they name any.
func (s *session) allowed(root string) error {
	if len(s.cfg.AllowRoots) == 0 {
		return nil
	}
	_, err := sandbox.Confine(root, s.cfg.AllowRoots)
	return err
}

// bringUp makes the embedded index equal to the disk, unless a daemon does that or another process is at it.
func (s *session) bringUp(ctx context.Context, req retrieve.Request, progress func(done, total int)) ([]retrieve.Reason, error) {
	t := req.Target
	daemons, err := s.store.Daemons(ctx)
	if err != nil {
		s.log.Warn("daemons not known", "error", err)
	}
	if backend.Covers(daemons, t.Root) {
		return nil, nil
	}
	in, err := cli.IngesterWith(s.cfg, s.embed, s.store.Index, s.log)
	if err != nil {
		return nil, err
	}
	settle := s.settler(ctx, t)
	report, err := in.Refresh(ctx, ingest.Request{Project: t.Project, Root: t.Root, Progress: progress})
	var locked *search.LockedError
	switch {
	case err == nil:
		settle()
		if report.Added+report.Changed > 0 {
			if err := s.store.Evict(ctx, t.Project); err != nil {
				s.log.Warn("state not kept within its limit", "error", err)
			}
		}
		if report.Project.Rebuilt {
			return []retrieve.Reason{retrieve.StateRebuilt}, nil
		}
		return nil, nil
	case errors.As(err, &locked):
		return s.await(ctx, req)
	case ctx.Err() != nil:
		return nil, err
	case report != nil: // an index of words alone, because the embedder failed
		s.log.Warn("indexed without vectors", "project", t.Project, "error", err)
		return []retrieve.Reason{retrieve.EmbedderUnavailable}, nil
	}
	if snap, openErr := s.store.Index.Open(ctx, t.Project); openErr == nil { // an older answer is better than none
		s.log.Warn("not refreshed", "project", t.Project, "error", err)
		return []retrieve.Reason{retrieve.IndexStale}, snap.Close()
	}
	return nil, err
}

// await waits, where there is no generation yet, for another process to finish the first one, until the deadline.
func (s *session) await(ctx context.Context, req retrieve.Request) ([]retrieve.Reason, error) {
	ctx, cancel := context.WithTimeout(ctx, req.Deadline)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		snap, err := s.store.Index.Open(ctx, req.Target.Project)
		if err == nil {
			return nil, snap.Close()
		}
		select {
		case <-ctx.Done():
			return []retrieve.Reason{retrieve.IndexBuilding}, nil
		case <-tick.C:
		}
	}
}

// settler notes what waits for a project now; the function it returns takes that from the queue, for it is done.
func (s *session) settler(ctx context.Context, t retrieve.Target) func() {
	nothing := func() {}
	if waiting, err := s.store.Waiting(ctx, t.Project); err != nil || len(waiting) == 0 {
		return nothing
	}
	q, err := s.store.Queue()
	if err != nil {
		return nothing
	}
	mark, err := q.Mark(ctx)
	if err != nil {
		return nothing
	}
	return func() {
		if err := q.Settle(ctx, t.Project, t.Root, mark); err != nil {
			s.log.Warn("queue not settled", "project", t.Project, "error", err)
		}
	}
}

// Waiting implements retrieve.Queue.
func (s *session) Waiting(ctx context.Context, project string) (w retrieve.Waiting, err error) {
	list, err := s.store.Waiting(ctx, "") // a full intake takes long to read: once
	for _, x := range list {
		if x.Paths == 0 {
			continue
		}
		w.AllProjects, w.AllPaths = w.AllProjects+1, w.AllPaths+x.Paths
		if x.Project == project {
			w.Paths, w.Oldest = x.Paths, x.Oldest
		}
	}
	return w, err
}

// Ask implements retrieve.Asker: a daemon that covers the root is asked, once in a while.
func (s *session) Ask(ctx context.Context, project, root string, paths []code.Path) {
	if err := s.ask(context.WithoutCancel(ctx), project, root, paths); err != nil {
		s.log.Debug("refresh not asked for", "project", project, "error", err)
	}
}

func (s *session) ask(ctx context.Context, project, root string, paths []code.Path) error {
	ctx, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancel()
	daemons, err := s.store.Daemons(ctx)
	if err != nil || !backend.Covers(daemons, root) {
		return err
	}
	if first, err := s.store.Once(ctx, "ask:"+project, askEvery); err != nil || !first {
		return err
	}
	q, err := s.store.Queue()
	if err != nil {
		return err
	}
	if _, err = q.Push(ctx, queue.Request{Project: project, Root: root, Paths: paths, At: time.Now()}); err != nil {
		return fmt.Errorf("ask for a refresh of project %q: %w", project, err)
	}
	return nil
}
