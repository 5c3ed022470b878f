package daemon

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/presence"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

// told checks what others see of a daemon: whether it holds changes back, and whether its project is stale.
func (b *bundle) told(url, metric string, held bool) {
	b.t.Helper()
	id := code.DefaultProjectID(b.root)
	b.eventually(fmt.Sprintf("%s, held back %v", metric, held), func() string {
		states, err := b.back.Projects(b.t.Context(), id)
		ready, body := get(b.t, url+"/readyz")
		_, metrics := get(b.t, url+"/metrics")
		if err != nil || len(states) != 1 || states[0].Stale != held || (ready == 503) != held ||
			b.back.HoldsBack("") != held ||
			!strings.Contains(metrics, "\n"+metric+"\n") {
			return fmt.Sprintf("%+v, %v; readyz %d %s", states, err, ready, body)
		}
		return ""
	})
}

// lines are those of the log about what is held back: one when it begins and one when it ends.
func (b *bundle) lines() (began, ended int) {
	return strings.Count(b.log.String(), "the store takes no changes"),
		strings.Count(b.log.String(), "the store takes changes again")
}

func TestChangesThatRedisRefusesAreSaidUntilTheyAreQueued(t *testing.T) {
	for name, refuse := range map[string][2][]any{
		"over its memory": {{"config", "set", "maxmemory", "1"}, {"config", "set", "maxmemory", "0"}},
		"a replica":       {{"replicaof", "127.0.0.1", "1"}, {"replicaof", "no", "one"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBundle(t, rdbtest.Own(t, rdbtest.Search))
			url, _ := b.start(nil)
			id := code.DefaultProjectID(b.root)
			b.indexed(id, "a.go")
			if err := b.redis.Client(t).Do(t.Context(), refuse[0]...).Err(); err != nil {
				t.Fatal(err)
			}
			b.write("b.go", "package b\n")
			b.told(url, "contextd_queue_held_back 1", true)
			if err := b.redis.Client(t).Do(t.Context(), refuse[1]...).Err(); err != nil {
				t.Fatal(err)
			}
			b.indexed(id, "a.go", "b.go")
			b.told(url, "contextd_queue_held_back 0", false)
			if began, ended := b.lines(); began != 1 || ended != 1 {
				t.Errorf("%d and %d lines, want one each; log:\n%s", began, ended, b.log.String())
			}
		})
	}
}

// full is a queue that takes nothing while its disk is full.
type full struct {
	queue.Queue
	is atomic.Bool
}

func (f *full) Push(ctx context.Context, r queue.Request) (string, error) {
	if f.is.Load() {
		return "", errors.New("push to queue: database or disk is full")
	}
	return f.Queue.Push(ctx, r)
}

func TestHeldBackChangesAreLoggedOnceAtTheStartAndOnceAtTheEnd(t *testing.T) {
	b := newBundle(t, nil)
	d := idle(b)
	mark, err := presence.MarkHeldBack(b.opts.StateDir, "")
	if err != nil {
		t.Fatal(err)
	}
	d.held.mark = mark
	q := &full{Queue: d.queue}
	d.queue = q
	q.is.Store(true)
	ctx, stop := context.WithCancel(t.Context())
	p, done := newPump(d, b.root), make(chan struct{})
	go func() { p.run(ctx); close(done) }()
	p.add([]code.Path{"a.go", "b.go"}, false)
	want := func(n int, held bool) {
		b.eventually(fmt.Sprintf("%d held back", n), func() string {
			if d.held.count() != n || b.back.HoldsBack("") != held || (d.ready(t.Context()) != nil) != held {
				return fmt.Sprint(d.held.count(), b.back.HoldsBack(""), d.held.err())
			}
			return ""
		})
	}
	want(2, true)
	p.add([]code.Path{"c.go"}, false)
	want(3, true)
	q.is.Store(false)
	want(0, false)
	stop()
	<-done
	if n := b.depth(); n != 1 {
		t.Errorf("%d projects wait, want 1", n)
	}
	if began, ended := b.lines(); began != 1 || ended != 1 {
		t.Errorf("%d and %d lines, want one each; log:\n%s", began, ended, b.log.String())
	}
}
