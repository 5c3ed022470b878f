package ingest_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/ingest"
)

// TestARebuildBehindRefreshesWaitsAndTriesAtOnceWhenItIsAskedFor: the first try meets a server that is down and is told
// to wait for an hour; asking again ends that wait, and asking while it is at work starts no second one.
func TestARebuildBehindRefreshesWaitsAndTriesAtOnceWhenItIsAskedFor(t *testing.T) {
	b := setup(t, many(20))
	b.refresh(ingest.Options{}, ingest.Request{})
	v := newVectors(t)
	in := ingest.New(b.index, v.saving(t))
	v.left.Store(0)
	ends := make(chan error, 10)
	r := ingest.NewRebuilds(1)
	ctx, stop := context.WithCancel(t.Context())
	start := func() {
		r.Start(ctx, in, ingest.Request{Project: "p", Root: b.root}, func(_ *ingest.Report, err error) time.Duration {
			ends <- err
			if err != nil {
				return time.Hour
			}
			return 0
		})
	}
	start()
	if err := <-ends; !errors.Is(err, embed.ErrUnavailable) {
		t.Fatalf("a server that is down: %v", err)
	}
	v.left.Store(1 << 40)
	start()
	if err := <-ends; err != nil {
		t.Fatal(err)
	}
	r.Wait()
	if p := b.record(); p.Model.Dims != 4 || p.Files != 20 || p.Next.Exists() {
		t.Errorf("%+v", p)
	}
	b.write(map[string]string{"new.go": "package f\n"})
	in = ingest.New(b.index, ingest.Options{Embedder: foreign{}})
	start()
	start()
	if err := <-ends; err != nil || b.record().Model.Embedder != "foreign" {
		t.Errorf("another model: %v, %+v", err, b.record().Model)
	}
	stop()
	start()
	r.Wait()
	if len(ends) > 1 {
		t.Errorf("%d ends too many", len(ends))
	}
}

type panics struct{ foreign }

func (panics) Name() string { panic("no name") }

func TestAPanicOfARebuildIsAnErrorOfIt(t *testing.T) {
	b := setup(t, many(2))
	b.refresh(ingest.Options{}, ingest.Request{})
	r := ingest.NewRebuilds(1)
	var got error
	r.Start(t.Context(), ingest.New(b.index, ingest.Options{Embedder: panics{}}), ingest.Request{Project: "p", Root: b.root},
		func(_ *ingest.Report, err error) time.Duration { got = err; return 0 })
	r.Wait()
	if got == nil || !strings.Contains(got.Error(), "no name") {
		t.Errorf("got %v", got)
	}
}
