package queuetest

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/owner"
	"github.com/contextd/contextd/internal/queue"
)

var leaseTests = []test{
	{"a lease that ran out passes on, and its first holder has lost it", func(b *bundle) {
		b.push("web", "a")
		b.drain(1)
		c := b.claim(b)
		b.clock(queue.LeaseTime + time.Minute)
		b.equal("inflight", b.stats().Inflight, 0)
		b.equal("depth", b.stats().Depth, 1)
		other := b.other()
		second := b.claim(other)
		b.equal("items", paths(second), "a")
		b.lost(c)
		b.ok(other.Done(b.ctx(), second, second.Items))
		b.lost(c)
		b.equal("stats", b.stats(), queue.Stats{})
	}},
	{"a lease that ran out can be lost to the same process", func(b *bundle) {
		b.push("web", "a")
		b.drain(1)
		c := b.claim(b)
		b.clock(queue.LeaseTime + time.Minute)
		b.claim(b.as(owner.Self()))
		b.lost(c)
	}},
	{"a clock that is set back puts nothing off for long", func(b *bundle) {
		b.clock(2 * time.Hour)
		b.push("web", "a")
		b.push("shop", "a")
		b.drain(2)
		b.clock(2*time.Hour + time.Minute)
		c, other := b.claim(b), b.claim(b)
		b.ok(b.Retry(b.ctx(), c, 5*time.Minute))
		b.ok(b.Release(b.ctx(), other, 5*time.Minute))
		b.none(b)
		b.clock(time.Minute)
		c, other = b.claim(b), b.claim(b)
		b.none(b)
		b.ok(b.Done(b.ctx(), c, c.Items))
		b.ok(b.Done(b.ctx(), other, other.Items))
		b.push("web", "b")
		b.drain(1)
		b.clock(2 * time.Minute)
		b.equal("pushed after that", paths(b.claim(b)), "b")
	}},
	{"a renewed lease holds", func(b *bundle) {
		b.push("web", "a")
		b.drain(1)
		c := b.claim(b)
		for range 3 {
			b.clock(time.Duration(b.ahead.Load()) + queue.LeaseTime - 15*time.Second)
			b.ok(b.Renew(b.ctx(), c))
			b.none(b.other())
		}
		b.ok(b.Done(b.ctx(), c, c.Items))
	}},
	{"the claim of a dead process is handed out at once", func(b *bundle) {
		dead := deadHolder(b)
		if !owner.Dead(dead) {
			return // this system cannot tell; the lease runs out there
		}
		b.push("web", "a")
		b.drain(1)
		crashed := b.as(dead)
		c := b.claim(crashed)
		b.equal("it counts as waiting", []int{b.stats().Depth, b.stats().Inflight}, []int{1, 0})
		second := b.claim(b)
		b.equal("items and attempts", []any{paths(second), second.Attempts}, []any{"a", 1})
		if err := crashed.Done(b.ctx(), c, c.Items); !errors.Is(err, queue.ErrLost) {
			b.Fatalf("done by the dead: %v, want ErrLost", err)
		}
		b.ok(b.Done(b.ctx(), second, second.Items))
	}},
	{"the claim of a process in another pid namespace lasts its time", func(b *bundle) {
		elsewhere := strings.Split(deadHolder(b), "|")
		elsewhere[4] = "1"
		b.push("web", "a")
		b.drain(1)
		c := b.claim(b.as(strings.Join(elsewhere, "|")))
		b.equal("it counts as worked on", []int{b.stats().Depth, b.stats().Inflight}, []int{0, 1})
		b.none(b)
		b.ok(b.as(strings.Join(elsewhere, "|")).Done(b.ctx(), c, c.Items))
	}},
	{"what a dead process claimed can be settled", func(b *bundle) {
		dead := deadHolder(b)
		if !owner.Dead(dead) {
			return
		}
		b.push("web", "a")
		b.drain(1)
		b.claim(b.as(dead))
		mark, err := b.Mark(b.ctx())
		b.ok(err)
		b.ok(b.DropUntil(b.ctx(), "web", At("web"), mark))
		b.equal("waiting", len(b.waiting("")), 0)
	}},
	{"forget takes a claim away", func(b *bundle) {
		b.push("web", "a")
		b.drain(1)
		c := b.claim(b)
		b.ok(b.Forget(b.ctx(), "web"))
		b.lost(c)
	}},
}

// lost checks that nothing can be done with c any more.
func (b *bundle) lost(c *queue.Claim) {
	b.Helper()
	for name, err := range map[string]error{
		"renew":   b.Renew(b.ctx(), c),
		"done":    b.Done(b.ctx(), c, c.Items),
		"retry":   b.Retry(b.ctx(), c, 0),
		"release": b.Release(b.ctx(), c, 0),
		"bury":    b.Bury(b.ctx(), c, "reason"),
	} {
		if !errors.Is(err, queue.ErrLost) {
			b.Fatalf("%s: %v, want ErrLost", name, err)
		}
	}
	b.equal("letters", len(b.letters()), 0)
}

// deadHolder is the name of a process of this host that has ended.
func deadHolder(b *bundle) string {
	exe, err := os.Executable()
	b.ok(err)
	cmd := exec.Command(exe, "-test.run=^$")
	b.ok(cmd.Run())
	p := strings.Split(owner.Self(), "|")
	p[2], p[5] = strconv.Itoa(cmd.Process.Pid), "0"
	return strings.Join(p, "|")
}
