package openai

import (
	"context"
	"slices"
)

// item is one text on its way to a vector, for all calls that have it. Its fields are guarded by line.mu.
type item struct {
	text   string
	calls  []*call
	flight *flight   // what it is in once it is sent
	vector []float32 // set before the calls' done is closed
}

// wanted reports whether a call still waits for the item.
func (it *item) wanted() bool {
	return slices.ContainsFunc(it.calls, func(c *call) bool { return c.ctx.Err() == nil && c.err == nil })
}

// end ends the item for all its calls.
func (it *item) end(err error) {
	for _, c := range it.calls {
		c.end(err)
	}
}

// call is one call of Documents.
type call struct {
	ctx  context.Context
	done chan struct{}

	left int   // items without an end; guarded by line.mu
	err  error // the first; guarded by line.mu until done is closed
}

// end notes the end of one item. line.mu is held.
func (c *call) end(err error) {
	if c.err == nil {
		c.err = err
	}
	if c.left--; c.left == 0 {
		close(c.done)
	}
}
