package eviction

import "context"

// rooms look how much room there is.
type rooms interface {
	// look measures. keep is the project that was just written.
	look(ctx context.Context, keep string) (room, error)
	// forget removes what is noted of the size of a project that was removed.
	forget(ctx context.Context, project string)
}

// room tells how much must go. Only what can be removed counts: what is remembered, the audit log and the queue are
// never removed for room, and if they alone are too large, removing indexes would help nobody.
type room interface {
	// over is by how many bytes the indexes, and what else may be removed, are over the limit.
	over(ctx context.Context) (int64, error)
	// removed notes that a project was removed.
	removed(ctx context.Context, project string)
	// size is how many bytes of that are a project's.
	size(ctx context.Context, project string) (int64, error)
}

// sizer is an index whose projects can be measured one by one.
type sizer interface {
	Size(ctx context.Context, project string) (int64, error)
}
