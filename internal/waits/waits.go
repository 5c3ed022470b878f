// Package waits counts the time that a question spends waiting for others: for an index that is being made, for a
// second stage. That time is no part of what finding costs, by which retrieval is turned off where it is slow.
package waits

import (
	"context"
	"sync/atomic"
	"time"
)

// Counter counts waits. Safe for concurrent use.
type Counter struct{ ns atomic.Int64 }

// Total is the time so far.
func (c *Counter) Total() time.Duration { return time.Duration(c.ns.Load()) }

type counterKey struct{}

// Count makes what is asked under the context count its waits.
func Count(ctx context.Context) (context.Context, *Counter) {
	c := &Counter{}
	return context.WithValue(ctx, counterKey{}, c), c
}

// Begin begins a wait, which the function returned ends.
func Begin(ctx context.Context) (end func()) {
	c, _ := ctx.Value(counterKey{}).(*Counter)
	began := time.Now()
	return func() {
		if c != nil {
			c.ns.Add(int64(time.Since(began)))
		}
	}
}
