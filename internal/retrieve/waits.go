package retrieve

import (
	"context"
	"sync/atomic"
	"time"
)

// Waits counts the time that a question spends waiting for an index that is being made or for a second stage: no part of what finding costs. Safe for
// concurrent use.
type Waits struct{ ns atomic.Int64 }

// Total is the time so far.
func (w *Waits) Total() time.Duration { return time.Duration(w.ns.Load()) }

type waitsKey struct{}

// CountWaits makes what is asked under the context count its waits.
func CountWaits(ctx context.Context) (context.Context, *Waits) {
	w := &Waits{}
	return context.WithValue(ctx, waitsKey{}, w), w
}

// BeginWait begins a wait, which the function returned ends.
func BeginWait(ctx context.Context) (end func()) {
	w, _ := ctx.Value(waitsKey{}).(*Waits)
	began := time.Now()
	return func() {
		if w != nil {
			w.ns.Add(int64(time.Since(began)))
		}
	}
}
