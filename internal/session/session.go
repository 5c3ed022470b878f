// Package session joins what one process of the retriever has open.
package session

import (
	"log/slog"
	"sync"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/answer"
	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/breaker"
	"github.com/contextd/contextd/internal/embed/registry"
	"github.com/contextd/contextd/internal/freshness"
	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/profile"
	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/roots"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/tasknotes"
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
	*answer.Answerer
	Fresh     *freshness.Keeper
	Roots     *roots.Reader
	opts      Options
	log       *slog.Logger
	store     *backend.Backend
	retriever *retrieve.Retriever

	mind    sync.Mutex // guards what is below
	history *history.History
	memory  *memory.Memory

	assembler *prompt.Assembler
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
	fresh := freshness.New(freshness.Options{Backend: o.Backend, Ingester: o.Ingester, Access: find, Log: o.Log})
	tasks := tasknotes.New(o.Log)
	retriever := retrieve.New(retrieve.Options{Index: o.Backend.Index, Queue: fresh, Asker: fresh, Embedders: o.Embedders, Reranker: o.Reranker, Vectors: o.Embedders.Remote(),
		Embedded: o.Backend.Name == backend.Embedded, Limits: o.Backend.Limits(), Tasks: tasks, Sandbox: o.Sandbox, Log: o.Log})
	return &Session{Finder: find, Fresh: fresh, Roots: roots.New(o.Backend, o.Sandbox), opts: o, log: o.Log, store: o.Backend, retriever: retriever, tasks: tasks,
		Answerer: answer.New(answer.Options{Access: find, Fresh: fresh, Retriever: retriever, Embedded: o.Backend.Name == backend.Embedded, Caps: o.Caps, Log: o.Log})}
}

// Close ends the runs behind answers and closes the store.
func (s *Session) Close() error {
	s.Fresh.Close()
	return s.store.Close()
}

// Retriever is what answers in this session.
func (s *Session) Retriever() *retrieve.Retriever { return s.retriever }

// Backend is the open store.
func (s *Session) Backend() *backend.Backend { return s.store }
