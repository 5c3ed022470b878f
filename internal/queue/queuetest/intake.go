package queuetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/queue"
)

var intakeTests = []test{
	{"pushed requests come out as one claim of their project", func(b *bundle) {
		b.push("web", "a.go", "b/c.go")
		id := b.push("web", "a.go")
		b.drain(2)
		c := b.claim(b)
		b.equal("claim", []any{c.Project, c.Root, paths(c), c.Attempts}, []any{"web", At("web"), "a.go b/c.go", 0})
		for _, it := range c.Items {
			if it.Path == "a.go" && it.ID != id {
				b.Fatalf("a.go has id %s, want that of the newest request, %s", it.ID, id)
			}
		}
		if age := time.Since(c.Since); age < -time.Minute || age > time.Minute {
			b.Fatalf("since %v, want about now", c.Since)
		}
		b.ok(b.Done(b.ctx(), c, c.Items))
		b.none(b)
		b.equal("stats", b.stats(), queue.Stats{})
	}},
	{"ids increase", func(b *bundle) {
		seen := map[string]bool{}
		for range 20 {
			id := b.push("web")
			if id == "" || seen[id] {
				b.Fatalf("id %q given twice", id)
			}
			seen[id] = true
		}
	}},
	{"push checks the form of a request", func(b *bundle) {
		for _, r := range []queue.Request{{Project: "a b", Root: At("")}, {Project: "web", Root: "srv"}, {Project: "web", Root: At(""), Paths: []string{"../x"}}} {
			if id, err := b.Push(b.ctx(), r); err == nil {
				b.Errorf("push of %+v gave id %s, want an error", r, id)
			}
		}
	}},
	{"a thousand messages are one run", func(b *bundle) {
		for i := range 1000 {
			b.push("web", fmt.Sprintf("f%d.go", i%40))
		}
		b.equal("waiting before they are drained", b.stats().Paths, 40)
		total := 0
		for total < 1000 {
			n, err := b.Drain(b.ctx(), nil)
			b.ok(err)
			total += n
		}
		c := b.claim(b)
		b.equal("items", len(c.Items), 40)
		b.ok(b.Done(b.ctx(), c, c.Items))
		b.none(b)
	}},
	{"too many paths collapse into a rescan", func(b *bundle) {
		for i := range 3 {
			var ps []string
			for j := range 2000 {
				ps = append(ps, fmt.Sprintf("d%d/f%d", i, j))
			}
			b.push("web", ps...)
			b.drain(1)
		}
		b.equal("paths", paths(b.claim(b)), queue.Rescan)
	}},
	{"a rescan covers paths, before and after", func(b *bundle) {
		b.push("web", "a")
		b.drain(1)
		b.push("web")
		b.drain(1)
		last := b.push("web", "b")
		b.drain(1)
		b.equal("pending", b.waiting("web")[0].Paths, 1)
		c := b.claim(b)
		b.equal("items", c.Items, []queue.Item{{Path: queue.Rescan, ID: last}})
	}},
	{"a project waits for more before it is due", func(b *bundle) {
		b.push("web", "a")
		b.drain(1)
		b.clock(-10 * time.Second)
		c, err := b.Claim(b.ctx())
		b.ok(err)
		if c != nil {
			b.Fatal("claimed before it is due")
		}
		s := b.stats()
		b.equal("depth and delayed", []int{s.Depth, s.Delayed}, []int{1, 1})
		b.clock(5 * time.Second)
		s = b.stats()
		b.equal("depth and delayed", []int{s.Depth, s.Delayed}, []int{1, 0})
		b.claim(b)
	}},
	{"accept may refuse, change and postpone", func(b *bundle) {
		b.push("no", "a")
		b.push("moved", "a")
		b.push("later", "a")
		b.drainBy(3, func(r *queue.Request) error {
			switch r.Project {
			case "no":
				return errors.New("not allowed")
			case "later":
				return fmt.Errorf("no such root: %w", queue.ErrRetryLater)
			}
			r.Root = "/real/moved"
			return nil
		})
		b.equal("letters", len(b.letters()), 1)
		b.equal("reason", b.letters()[0].Reason, "not allowed")
		b.equal("root", b.waiting("moved")[0].Root, "/real/moved")
		b.equal("postponed", b.waiting("later")[0].Paths, 1)
		b.equal("refused", len(b.waiting("no")), 0)
	}},
	{"two roots of a project wait beside each other", func(b *bundle) {
		further := code.RootIndexID("web", At("two"))
		b.pushRoot("web", At("one"), "a", "b")
		b.drain(1)
		b.pushRoot("web", At("two"), "c")
		b.equal("undrained", fmt.Sprint(b.rootsOf("")), "[web "+At("one")+" 2 web "+At("two")+" 1]")
		b.drain(1)
		b.equal("drained", fmt.Sprint(b.rootsOf("")), "[web "+At("one")+" 2 "+further+" "+At("two")+" 1]")
		b.pushRoot("web", At("two"), "d")
		b.pushRoot("web", At("one"), "b")
		b.equal("of one index", fmt.Sprint(b.rootsOf(further)), "["+further+" "+At("two")+" 2]")
		b.drain(2)
		b.equal("neither was taken for the other's", fmt.Sprint(b.rootsOf("")), "[web "+At("one")+" 2 "+further+" "+At("two")+" 2]")
		b.equal("depth", b.stats().Depth, 2)
		for range 2 {
			c := b.claim(b)
			b.equal("claim", paths(c), map[string]string{At("one"): "a b", At("two"): "c d"}[c.Root])
			b.ok(b.Done(b.ctx(), c, c.Items))
		}
		b.none(b)
	}},
	{"a batch of a new project's roots keeps them apart", func(b *bundle) {
		b.pushRoot("web", At("one"), "a")
		b.pushRoot("web", At("two"), "b")
		b.pushRoot("web", At("one"), "c")
		b.drain(3)
		b.equal("waiting", fmt.Sprint(b.rootsOf("")), "[web "+At("one")+" 2 "+code.RootIndexID("web", At("two"))+" "+At("two")+" 1]")
	}},
	{"accept chooses the index of a root", func(b *bundle) {
		b.pushRoot("web", At("two"), "b")
		b.drainBy(1, func(r *queue.Request) error {
			r.Project = code.RootIndexID(r.Project, r.Root)
			return nil
		})
		c := b.claim(b)
		b.equal("claim", []string{c.Project, c.Root, paths(c)}, []string{code.RootIndexID("web", At("two")), At("two"), "b"})
		b.ok(b.Bury(b.ctx(), c, "no use"))
		b.equal("the letter names the project", []string{b.letters()[0].Project, b.letters()[0].Root}, []string{"web", At("two")})
		_, err := b.RetryDead(b.ctx(), nil)
		b.ok(err)
		b.drain(1)
		b.equal("sent again", len(b.letters()), 0)
	}},
	{"two drainers take each message once", func(b *bundle) {
		const n = 300
		for i := range n {
			fields := map[string]string{queue.FieldProject: fmt.Sprintf("p%d", i), queue.FieldRoot: At("")}
			if i%2 == 0 {
				delete(fields, queue.FieldRoot)
			}
			_, err := b.PushFields(b.ctx(), fields)
			b.ok(err)
		}
		var wg sync.WaitGroup
		for _, q := range []Queue{b, b.other()} {
			wg.Go(func() {
				for left := 1; left > 0; {
					var err error
					if left, err = q.Drain(b.ctx(), nil); err != nil {
						b.Error(err)
					}
				}
			})
		}
		wg.Wait()
		b.equal("letters and projects", []int{len(b.letters()), b.stats().Depth}, []int{n / 2, n / 2})
	}},
	{"drain ends with its context", func(b *bundle) {
		ctx, cancel := context.WithCancel(b.ctx())
		cancel()
		if _, err := b.Drain(ctx, nil); !errors.Is(err, context.Canceled) {
			b.Fatalf("error %v, want that of the context", err)
		}
	}},
	{"counts tell what waits, drained or not", func(b *bundle) {
		b.push("a", "x", "y")
		b.drain(1)
		b.push("b")
		b.push("c", "z")
		b.push("c", "z", "w")
		_, err := b.PushFields(b.ctx(), map[string]string{"junk": "1"})
		b.ok(err)
		b.clock(5 * time.Second)
		s := b.stats()
		b.equal("depth, paths, dead", []int{s.Depth, s.Paths, s.Dead}, []int{3, 5, 0})
		if s.Oldest < 5*time.Second {
			b.Fatalf("oldest %v, want 5s at least", s.Oldest)
		}
		var got []string
		for _, w := range b.waiting("") {
			got = append(got, fmt.Sprint(w.Project, w.Root, w.Paths, w.Oldest >= 5*time.Second))
		}
		b.equal("waiting", strings.Join(got, "; "), fmt.Sprintf("a%s2 true; b%s1 true; c%s2 true", At("a"), At("b"), At("c")))
		b.equal("waiting for one", len(b.waiting("c")), 1)
		c := b.claim(b)
		s = b.stats()
		b.equal("depth, inflight, paths", []int{s.Depth, s.Inflight, s.Paths}, []int{2, 1, 5})
		b.equal("a claimed project waits until it is done", b.waiting(c.Project)[0].Paths, 2)
	}},
	{"it answers a ping", func(b *bundle) { b.ok(b.Ping(b.ctx())) }},
}
