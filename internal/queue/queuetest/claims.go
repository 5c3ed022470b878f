package queuetest

import (
	"fmt"
	"sync"
	"time"

	"github.com/contextd/contextd/internal/queue"
)

var claimTests = []test{
	{"projects come in the order in which they became due", func(b *bundle) {
		for i := range 5 {
			b.push(fmt.Sprintf("p%d", 9-i), "a")
			b.drain(1)
			time.Sleep(2 * time.Millisecond) // ids and due times count milliseconds
		}
		for i := range 5 {
			b.equal("project", b.claim(b).Project, fmt.Sprintf("p%d", 9-i))
		}
		b.none(b)
	}},
	{"a claimed project is not claimed again", func(b *bundle) {
		b.push("web", "a")
		b.drain(1)
		b.claim(b)
		b.push("web", "b")
		b.drain(1)
		b.none(b)
		b.none(b.other())
	}},
	{"a change that comes during a run stays", func(b *bundle) {
		b.push("web", "a", "b")
		b.drain(1)
		c := b.claim(b)
		id := b.push("web", "a", "new")
		b.drain(1)
		b.ok(b.Done(b.ctx(), c, c.Items))
		b.equal("pending", b.waiting("web")[0].Paths, 2)
		c = b.claim(b)
		b.equal("items", paths(c), "a new")
		b.equal("id", c.Items[0].ID, id)
	}},
	{"a rescan that comes during a run stays", func(b *bundle) {
		b.push("web")
		b.drain(1)
		c := b.claim(b)
		id := b.push("web")
		b.drain(1)
		b.push("web", "a")
		b.drain(1)
		b.ok(b.Done(b.ctx(), c, c.Items))
		c = b.claim(b)
		b.equal("items", paths(c), "* a")
		if c.Items[0].ID != id && c.Items[1].ID != id {
			b.Fatalf("items %v, want the rescan of %s", c.Items, id)
		}
	}},
	{"what a run did not handle is due again", func(b *bundle) {
		b.push("web", "a", "b")
		b.drain(1)
		c := b.claim(b)
		b.ok(b.Done(b.ctx(), c, c.Items[:1]))
		b.equal("items", paths(b.claim(b)), c.Items[1].Path)
	}},
	{"retry counts an attempt and waits", func(b *bundle) {
		b.push("web", "a")
		b.drain(1)
		for n := range 3 {
			c := b.claim(b)
			b.equal("attempts", c.Attempts, n)
			b.ok(b.Retry(b.ctx(), c, 5*time.Minute))
			b.none(b)
			b.push("web", "b")
			b.drain(1)
			b.none(b) // a new change does not cut the delay short
			b.equal("delayed", b.stats().Delayed, 1)
			b.clock(time.Duration(n+1) * 5 * time.Minute)
		}
		c := b.claim(b)
		b.equal("items", paths(c), "a b")
		b.ok(b.Done(b.ctx(), c, c.Items))
		b.push("web", "c")
		b.drain(1)
		b.equal("attempts after a success", b.claim(b).Attempts, 0)
	}},
	{"release counts no attempt", func(b *bundle) {
		b.push("web", "a")
		b.drain(1)
		b.ok(b.Release(b.ctx(), b.claim(b), 5*time.Minute))
		b.none(b)
		b.clock(5 * time.Minute)
		c := b.claim(b.other())
		b.equal("attempts", c.Attempts, 0)
		b.equal("items", paths(c), "a")
	}},
	{"a run that ends with its process counts an attempt", func(b *bundle) {
		b.push("web", "a")
		b.drain(1)
		c := b.claim(b)
		b.equal("first", []any{c.Attempts, c.Abandoned}, []any{0, false})
		for n := range 3 {
			b.clock(time.Duration(n+1) * (queue.LeaseTime + time.Minute))
			c = b.claim(b.other())
			b.equal("after lost runs", []any{c.Attempts, c.Abandoned}, []any{n + 1, true})
		}
		b.ok(b.other().Release(b.ctx(), c, time.Minute))
		b.clock(10 * time.Minute)
		c = b.claim(b)
		b.equal("after a release", []any{c.Attempts, c.Abandoned}, []any{3, false})
		b.ok(b.Done(b.ctx(), c, c.Items))
		b.push("web", "b")
		b.drain(1)
		b.equal("after a success", b.claim(b).Attempts, 0)
	}},
	{"many workers never share a project", func(b *bundle) {
		const projects = 12
		for i := range projects {
			b.push(fmt.Sprintf("p%d", i), "a", "b")
		}
		b.drain(projects)
		b.clock(10 * time.Second)
		var mu sync.Mutex
		running, runs := map[string]bool{}, 0
		var wg sync.WaitGroup
		for _, q := range []Queue{b, b, b.other(), b.other()} {
			wg.Go(func() {
				for {
					c, err := q.Claim(b.ctx())
					if err != nil {
						b.Error(err)
					}
					if c == nil {
						return
					}
					mu.Lock()
					if running[c.Project] {
						b.Errorf("%s is claimed twice", c.Project)
					}
					running[c.Project] = true
					runs++
					mu.Unlock()
					// One item a run: the other makes the project due again for somebody.
					mu.Lock()
					running[c.Project] = false
					mu.Unlock()
					if err := q.Done(b.ctx(), c, c.Items[:1]); err != nil {
						b.Error(err)
					}
				}
			})
		}
		wg.Wait()
		b.equal("runs", runs, 2*projects)
		b.equal("left", b.stats(), queue.Stats{})
	}},
}
