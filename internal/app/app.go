package app

import (
	"cmp"
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
	"github.com/contextd/contextd/internal/profile"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/roots"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/tasknotes"
)

// Options of an App.
type Options struct {
	Backend    *backend.Backend
	StateDir   string             // absolute; audit logs go there
	Embedders  *registry.Registry // nil: none
	Reranker   retrieve.Reranker  // the second stage; nil: none
	Ingester   *ingest.Ingester
	Sandbox    sandbox.Options
	AllowRoots []string // roots that may be read and indexed; none: any that is named
	// Strict: with no AllowRoots, only roots of projects that are indexed may be read, and none is indexed. For
	// servers.
	Strict bool
	// Refresh is when an index is brought up to date for a prompt: Behind for servers, Never for a command, which brings
	// it up itself.
	Refresh  freshness.When
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
	if o.Profiles == nil {
		o.Profiles = profile.Builtin()
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return o
}

// App is an open store and what reads it. Safe for concurrent use.
type App struct {
	Backend  *backend.Backend
	Access   *access.Finder    // which project is meant, and may it be read
	Fresh    *freshness.Keeper // who indexes, and when
	Answers  *answer.Answerer  // of questions about code
	Roots    *roots.Reader     // files as they are now
	Profiles *profile.Set
	Policy   history.Policy

	opts  Options
	tasks *tasknotes.Source
	mu    sync.Mutex  // guards kept
	kept  *remembered // nil: not opened yet
}

// New makes an app on an open store, which Close closes.
func New(o Options) *App {
	o = o.WithDefaults()
	embedded := o.Backend.Name == backend.Embedded
	find := access.New(access.Options{Index: o.Backend.Index, Embedded: embedded, Roots: o.AllowRoots, Strict: o.Strict,
		Log: o.Log})
	o.Sandbox = find.Sandbox(o.Sandbox)
	if allowed := find.Allowed(); allowed != nil && o.Ingester != nil {
		o.Ingester = o.Ingester.WithAllowedRoots(allowed)
	}
	fresh := freshness.New(freshness.Options{Backend: o.Backend, Ingester: o.Ingester, Access: find, Log: o.Log})
	tasks := tasknotes.New(o.Log)
	retriever := retrieve.New(retrieve.Options{Index: o.Backend.Index, Queue: fresh, Asker: fresh,
		Embedders: o.Embedders, Reranker: o.Reranker, Tasks: tasks, Vectors: o.Embedders.Remote(), Embedded: embedded,
		Limits: o.Backend.Limits(), Sandbox: o.Sandbox, Log: o.Log})
	return &App{Backend: o.Backend, Access: find, Fresh: fresh, Roots: roots.New(o.Backend, o.Sandbox),
		Profiles: o.Profiles, Policy: o.Policy, opts: o, tasks: tasks,
		Answers: answer.New(answer.Options{Access: find, Fresh: fresh, Retriever: retriever, Embedded: embedded,
			Caps: o.Caps, Log: o.Log})}
}

// Close ends the runs behind answers and closes the store.
func (a *App) Close() error {
	a.Fresh.Close()
	return a.Backend.Close()
}
