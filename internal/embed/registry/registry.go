// Package registry finds embedders by the names that indexes record.
//
// An index is asked, and kept up to date, with the embedder that it was made with, whatever the settings choose by now.
// A [Registry] knows the one that the settings choose and the table inside the binary, which needs no settings; the
// vectors of another are not to be had here.
package registry

import (
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/embed/static"
)

// Registry holds the embedders of a process. Safe for concurrent use.
type Registry struct{ chosen embed.Embedder }

// New makes a registry around the embedder that the settings choose; nil means [embed.None].
func New(chosen embed.Embedder) *Registry {
	if chosen == nil {
		chosen = embed.None{}
	}
	return &Registry{chosen: chosen}
}

// Chosen is the embedder that the settings choose, for what is embedded from now on.
func (r *Registry) Chosen() embed.Embedder { return r.chosen }

// Comparing is Chosen where that makes vectors, to compare texts by; else nil.
func (r *Registry) Comparing() embed.Embedder {
	if r.chosen.Name() == (embed.None{}).Name() {
		return nil
	}
	return r.chosen
}

// Remote reports whether a server makes the vectors of Chosen.
func (r *Registry) Remote() bool {
	_, remote := r.chosen.(embed.Remote)
	return remote
}

// Named is the embedder with the name that an index records; nil where it cannot be had here. The table is loaded once
// it is asked for.
func (r *Registry) Named(name string) embed.Embedder {
	if r.chosen.Name() == name {
		return r.chosen
	}
	if e, err := static.Default(); err == nil && e.Name() == name {
		return e
	}
	return nil
}
