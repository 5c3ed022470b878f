// Package queuetest holds the promises of queue.Queue as tests. Each implementation runs them against a real store.
package queuetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/owner"
	"github.com/contextd/contextd/internal/queue"
)

// Queue is an implementation with the two doors that the tests need.
type Queue interface {
	queue.Queue
	// PushFields appends a message as it is, broken or not.
	PushFields(ctx context.Context, fields map[string]string) (string, error)
	// Pretend has it claim as holder and read a clock that is skew ahead.
	SetHolderAndClock(holder string, skew func() time.Duration)
}

// Opener opens one more handle on a store, as another process would.
type Opener func() Queue

// Run runs the suite. store makes an empty store and closes, with the test, all that was opened on it.
func Run(t *testing.T, store func(t *testing.T) Opener) {
	for _, part := range [][]test{intakeTests, claimTests, leaseTests, deadTests, dropUntilTests} {
		for _, tt := range part {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				b := &bundle{T: t, open: store(t)}
				b.Queue = b.as(owner.Self())
				tt.run(b)
			})
		}
	}
}

type test struct {
	name string
	run  func(b *bundle)
}

// bundle is one test's store with its first handle.
type bundle struct {
	*testing.T
	Queue
	open  Opener
	ahead atomic.Int64 // of the clock, ns
}

// as opens another handle, held by holder.
func (b *bundle) as(holder string) Queue {
	q := b.open()
	q.SetHolderAndClock(holder, func() time.Duration { return time.Duration(b.ahead.Load()) })
	return q
}

// clock sets the store's clock d ahead of (or behind) the real one.
func (b *bundle) clock(d time.Duration) { b.ahead.Store(int64(d)) }

// other is a handle of another live process.
func (b *bundle) other() Queue { return b.as(owner.Self() + "x") }

func (b *bundle) ctx() context.Context { return b.Context() }

func (b *bundle) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bundle) equal(what string, got, want any) {
	b.Helper()
	if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w {
		b.Fatalf("%s:\n got %s\nwant %s", what, g, w)
	}
}

// push asks for paths of project at At("PROJECT"); no path is a rescan.
func (b *bundle) push(project string, paths ...code.Path) string {
	b.Helper()
	return b.pushRoot(project, At(project), paths...)
}

func (b *bundle) pushRoot(project, root string, paths ...code.Path) string {
	b.Helper()
	id, err := b.Push(b.ctx(), queue.Request{Project: project, Root: root, Paths: paths})
	b.ok(err)
	return id
}

// drain takes all n messages of the intake, accepting those that Parse accepts.
func (b *bundle) drain(n int) {
	b.Helper()
	b.drainBy(n, nil)
}

func (b *bundle) drainBy(n int, accept func(*queue.Request) error) {
	b.Helper()
	got, err := b.Drain(b.ctx(), accept)
	b.ok(err)
	b.equal("messages drained", got, n)
}

// claim claims by q a project that must be due in 10 s at the latest.
func (b *bundle) claim(q Queue) *queue.Claim {
	b.Helper()
	c := b.tryClaim(q)
	if c == nil {
		b.Fatal("no project to claim")
	}
	return c
}

// tryClaim claims what is due 10 s after the test's clock.
func (b *bundle) tryClaim(q Queue) *queue.Claim {
	b.Helper()
	was := b.ahead.Load()
	b.clock(time.Duration(was) + 10*time.Second) // past any debounce; leases last 30 s
	c, err := q.Claim(b.ctx())
	b.clock(time.Duration(was))
	b.ok(err)
	return c
}

func (b *bundle) none(q Queue) {
	b.Helper()
	if c := b.tryClaim(q); c != nil {
		b.Fatalf("claimed %+v, want nothing", c)
	}
}

// paths are a claim's paths in order.
func paths(c *queue.Claim) string {
	var all []string
	for _, it := range c.Items {
		all = append(all, it.Path)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func (b *bundle) stats() queue.Stats {
	b.Helper()
	s, err := b.Stats(b.ctx())
	b.ok(err)
	return s
}

func (b *bundle) waiting(project string) []queue.Waiting {
	b.Helper()
	w, err := b.Waiting(b.ctx(), project)
	b.ok(err)
	return w
}

// rootsOf is what waits: index, root and number of paths.
func (b *bundle) rootsOf(project string) (all []string) {
	b.Helper()
	for _, w := range b.waiting(project) {
		all = append(all, fmt.Sprint(w.Project, " ", w.Root, " ", w.Paths))
	}
	return all
}

func (b *bundle) letters() []queue.Letter {
	b.Helper()
	l, err := b.Dead(b.ctx())
	b.ok(err)
	return l
}
