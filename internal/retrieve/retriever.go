package retrieve

import (
	"cmp"
	"context"
	"log/slog"

	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/githist"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
)

// Options of a Retriever: all that it asks.
type Options struct {
	Index     search.Index
	Queue     Queue     // nil: nothing waits
	Asker     Asker     // nil: nobody can be asked for a refresh
	Embedders Embedders // nil: none is here
	Reranker  Reranker  // orders the first candidates; nil: they stay as they rank
	Tasks     Tasks     // nil: none are known
	// Vectors says that a server is to make vectors: an index without any was made while it was down.
	Vectors  bool
	Embedded bool // the index is files of this machine: no fault is Redis's
	Limits   queue.Limits
	Sandbox  sandbox.Options
	Log      *slog.Logger // nil: none
}

// Embedders finds the embedder with the name that an index was made with; nil where there is none here.
type Embedders interface {
	Named(name string) embed.Embedder
}

// Tasks gives the tasks that were done in a project, as notes of package githist; nil where none are known.
type Tasks interface {
	Of(ctx context.Context, project string) *githist.Part
}

// Retriever answers questions. Safe for concurrent use.
type Retriever struct {
	opts      Options
	histories histories
}

// New makes a retriever.
func New(o Options) *Retriever {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return &Retriever{opts: o}
}

// embedder is the one that an index was made with; nil where it is not here.
func (rt *Retriever) embedder(name string) embed.Embedder {
	if rt.opts.Embedders == nil {
		return nil
	}
	return rt.opts.Embedders.Named(name)
}
