package queuetest

import (
	"errors"
	"fmt"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/queue"
)

var dropUntilTests = []test{
	{"settle drops what was pushed before the mark, drained or not", func(b *bundle) {
		b.push("web", "a", "b")
		b.drain(1)
		b.push("web", "c")
		b.push("other", "x")
		mark, err := b.Mark(b.ctx())
		b.ok(err)
		b.push("web", "b", "d")
		b.ok(b.DropUntil(b.ctx(), "web", At("web"), mark))
		b.equal("web", b.waiting("web")[0].Paths, 2)
		b.equal("other", b.waiting("other")[0].Paths, 1)
		b.drain(2)
		b.equal("items", paths(b.claim(b)), "x")
		b.equal("items", paths(b.claim(b)), "b d")
	}},
	{"settle by a later mark drops all, drained", func(b *bundle) {
		b.push("web")
		b.drain(1)
		b.push("web", "a")
		b.drain(1)
		mark, err := b.Mark(b.ctx())
		b.ok(err)
		b.ok(b.DropUntil(b.ctx(), "web", At("web"), mark))
		b.equal("stats", b.stats(), queue.Stats{})
		b.none(b)
	}},
	{"a rescan that covers a later path is not settled", func(b *bundle) {
		b.push("web")
		b.drain(1)
		mark, err := b.Mark(b.ctx())
		b.ok(err)
		b.push("web", "a")
		b.drain(1)
		b.ok(b.DropUntil(b.ctx(), "web", At("web"), mark))
		b.equal("items", paths(b.claim(b)), queue.Rescan)
	}},
	{"settle leaves another root alone", func(b *bundle) {
		b.pushRoot("web", At("one"))
		b.drain(1)
		b.pushRoot("web2", At("one"))
		mark, err := b.Mark(b.ctx())
		b.ok(err)
		b.ok(b.DropUntil(b.ctx(), "web", At("two"), mark))
		b.ok(b.DropUntil(b.ctx(), "web2", At("two"), mark))
		b.equal("waiting", len(b.waiting("")), 2)
	}},
	{"settle and forget keep to their root", func(b *bundle) {
		further := code.RootIndexID("web", At("two"))
		for i := range 2 { // once drained, once not
			b.pushRoot("web", At("one"), "a")
			b.pushRoot("web", At("two"), "b")
			if i == 0 {
				b.drain(2)
			}
		}
		mark, err := b.Mark(b.ctx())
		b.ok(err)
		b.ok(b.DropUntil(b.ctx(), further, At("two"), mark))
		b.equal("settled", fmt.Sprint(b.rootsOf("")), "[web "+At("one")+" 2]")
		b.pushRoot("web", At("two"), "b")
		b.drain(2)
		b.ok(b.Forget(b.ctx(), further))
		b.equal("one root forgotten", fmt.Sprint(b.rootsOf("")), "[web "+At("one")+" 1]")
		b.pushRoot("web", At("two"), "b")
		b.pushRoot("web2", At("two"), "b")
		b.drain(2)
		b.ok(b.Forget(b.ctx(), "web"))
		b.equal("the project forgotten", fmt.Sprint(b.rootsOf("")), "[web2 "+At("two")+" 1]")
	}},
	{"settle leaves a claimed project alone", func(b *bundle) {
		b.push("web", "a")
		b.drain(1)
		c := b.claim(b)
		mark, err := b.Mark(b.ctx())
		b.ok(err)
		b.ok(b.DropUntil(b.ctx(), "web", At("web"), mark))
		b.equal("pending", b.waiting("web")[0].Paths, 1)
		b.ok(b.Done(b.ctx(), c, c.Items))
	}},
	{"mark and settle work on an empty queue", func(b *bundle) {
		mark, err := b.Mark(b.ctx())
		b.ok(err)
		b.push("web")
		b.ok(b.DropUntil(b.ctx(), "web", At("web"), mark))
		b.equal("pending", b.waiting("web")[0].Paths, 1)
	}},
	{"forget removes all of one project, then of all", func(b *bundle) {
		refuse := func(*queue.Request) error { return errors.New("not allowed") }
		for _, p := range []string{"a", "b"} {
			b.push(p)
			b.drainBy(1, refuse)
			b.push(p, "x")
			b.drain(1)
		}
		b.push("a", "y")
		b.push("b", "y")
		b.ok(b.Forget(b.ctx(), "a"))
		b.equal("waiting for a", len(b.waiting("a")), 0)
		b.equal("waiting for b", b.waiting("b")[0].Paths, 2)
		b.equal("letters", len(b.letters()), 1)
		b.equal("letter", b.letters()[0].Project, "b")
		b.ok(b.Forget(b.ctx(), ""))
		b.equal("stats", b.stats(), queue.Stats{})
		b.push("a")
		b.drain(1)
		b.equal("it goes on", paths(b.claim(b)), queue.Rescan)
	}},
}
