package daemon

import (
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/queue"
)

func TestEveryProjectOfAWatchedRootIsRefreshed(t *testing.T) {
	both(t, func(b *bundle) {
		b.index("old")
		b.start(nil)
		b.indexed("old", "a.go")
		b.push(queue.Request{Project: "young", Root: b.root})
		b.indexed("young", "a.go")
		b.write("b.go", "package b\n")
		b.indexed("old", "a.go", "b.go")
		b.indexed("young", "a.go", "b.go")
	})
}

func TestReconcilingLooksAtEveryProjectOfAWatchedRoot(t *testing.T) {
	both(t, func(b *bundle) {
		d := idle(b)
		b.index("old")
		b.index("young")
		b.write("b.go", "package b\n")
		d.round(b)
		if n := b.depth(); n != 2 {
			b.t.Errorf("%d projects wait, want 2", n)
		}
	})
}

func TestAProjectThatIsAlwaysBusyIsComparedAtLeastEverySecondTick(t *testing.T) {
	both(t, func(b *bundle) {
		d := idle(b)
		b.index("web")
		b.write("lost.go", "package lost\n") // its event was lost
		b.push(queue.Request{Project: "web", Root: b.root, Paths: []code.Path{"a.go"}})
		waiting := func() int {
			s, err := b.back.Waiting(b.t.Context(), "web")
			if err != nil || len(s) != 1 {
				b.t.Fatalf("%+v, %v", s, err)
			}
			return s[0].Paths
		}
		before := waiting()
		d.round(b)
		if n := waiting(); n != before {
			b.t.Errorf("the first tick does not leave it to the run that is to come: %d changes wait, before %d", n,
				before)
		}
		d.round(b)
		if q, err := d.queue.Drain(b.t.Context(), nil); err != nil || q != 2 {
			b.t.Errorf("%d requests and %v, want one more for all of the root", q, err)
		}
	})
}
