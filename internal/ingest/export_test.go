package ingest

import "github.com/contextd/contextd/internal/search"

// NewSliced is New of an Ingester whose slices end after Options.Slice, however long the refresh before them took.
func NewSliced(index search.Index, o Options) *Ingester {
	in := New(index, o)
	in.sliceFactor = 0
	return in
}
