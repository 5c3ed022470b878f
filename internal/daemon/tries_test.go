package daemon

import (
	"context"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/queue"
)

// moody panics at each file named "bad".
type moody struct{ embed.None }

func (moody) Documents(_ context.Context, texts []embed.Text) ([][]float32, error) {
	if strings.HasPrefix(texts[0].Path, "bad") {
		panic("out of its mind")
	}
	return nil, nil
}

// serve does what waits: one run, by hand.
func (d *daemon) serve(b *bundle) {
	b.t.Helper()
	ctx := b.t.Context()
	if _, err := d.queue.Drain(ctx, d.accept); err != nil {
		b.t.Fatal(err)
	}
	var c *queue.Claim
	b.eventually("a claim", func() (seen string) {
		var err error
		if c, err = d.queue.Claim(ctx); err != nil {
			return err.Error()
		} else if c == nil {
			return "none due"
		}
		return ""
	})
	handled, err := d.handle(ctx, c, func() {})
	if err == nil {
		err = d.queue.Done(ctx, c, handled)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

func TestAFileThatFailsIsTriedThreeTimesAndThenLeftAlone(t *testing.T) {
	both(t, func(b *bundle) {
		d := idle(b)
		d.opts.Ingester = ingest.New(b.back.Index, ingest.Options{Embedder: moody{}})
		b.write("bad.go", "package bad\n")
		for try := range 5 {
			d.served.forget("web") // a walk is not repeated at once
			if try == 0 {
				b.push(queue.Request{Project: "web", Root: b.root})
			} else if err := d.reconcile(b.t.Context(), false); err != nil {
				b.t.Fatal(err)
			}
			if want := try < 3; (b.depth() == 1) != want {
				b.t.Fatalf("after %d tries: %d requests", try, b.depth())
			} else if want {
				d.serve(b)
			}
			if n := b.depth(); n != 0 {
				b.t.Errorf("after try %d: %d requests wait", try, n)
			}
		}
		states, err := b.back.Projects(b.t.Context(), "web")
		if err != nil || len(states) != 1 || states[0].Files != 1 || states[0].Failed != "" || states[0].Pending != 0 {
			b.t.Errorf("%+v, %v", states, err)
		}
	})
}
