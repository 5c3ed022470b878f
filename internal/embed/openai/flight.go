package openai

import (
	"context"

	"github.com/contextd/contextd/internal/embed"
)

// flight is one batch under way. It is given up when no call waits for it any more; calls join it meanwhile.
type flight struct {
	line   *batcher
	items  []*item
	ctx    context.Context
	cancel context.CancelFunc

	calls map[*call]func() bool // how to no longer watch each call's context; guarded by line.mu
	live  int                   // calls whose context has not ended; guarded by line.mu
}

// takeOff makes a flight of a batch. The caller holds l.mu.
func (l *batcher) takeOff(batch []*item) *flight {
	f := &flight{line: l, items: batch, calls: map[*call]func() bool{}}
	f.ctx, f.cancel = context.WithCancel(l.ctx)
	for _, it := range batch {
		it.flight = f
		for _, c := range it.calls {
			f.add(c)
		}
	}
	return f
}

// add makes a call one that waits for the flight. The caller holds line.mu.
func (f *flight) add(c *call) {
	if f.calls[c] != nil {
		return
	}
	f.live++
	f.calls[c] = context.AfterFunc(c.ctx, func() {
		f.line.mu.Lock()
		defer f.line.mu.Unlock()
		if f.live--; f.live == 0 {
			f.forget() // whoever has such a text now must not end with this flight
			f.cancel()
		}
	})
}

// forget makes its items ones that nobody joins. The caller holds line.mu.
func (f *flight) forget() {
	for _, it := range f.items {
		if f.line.items[it.text] == it {
			delete(f.line.items, it.text)
		}
	}
}

// land ends the flight. The caller holds line.mu.
func (f *flight) land() {
	for _, stop := range f.calls {
		stop()
	}
	f.forget()
}

// progressed tells each call that waits that the server has got further.
func (f *flight) progressed() {
	f.line.mu.Lock()
	waiting := make([]context.Context, 0, len(f.calls))
	for c := range f.calls {
		waiting = append(waiting, c.ctx)
	}
	f.line.mu.Unlock()
	for _, ctx := range waiting {
		embed.ReportProgress(ctx)
	}
}
