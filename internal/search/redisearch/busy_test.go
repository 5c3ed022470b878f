package redisearch

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/search"
)

// TestFileThatIsSavedAgainAndAgainIsInEveryAnswer: old or new, and with the chunk that was hit replaced.
func TestFileThatIsSavedAgainAndAgainIsInEveryAnswer(t *testing.T) {
	t.Parallel()
	x, _ := newIndex(t, rdbtest.Search)
	ctx := context.Background()
	save := func(n int) error {
		w, err := x.Writer(ctx, search.Spec{Project: "p", Root: "/srv/p", Model: model})
		if err != nil {
			return err
		}
		defer w.Close()
		if err := w.Put(ctx, source("busy.go", fmt.Sprintf("func parseLedger() { step%d }", n))); err != nil {
			return err
		}
		_, err = w.Commit(ctx, true)
		return err
	}
	if err := save(0); err != nil {
		t.Fatal(err)
	}
	stop, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		for n := 1; ; n++ {
			select {
			case <-stop:
				ended <- nil
				return
			default:
			}
			if err := save(n); err != nil {
				ended <- err
				return
			}
		}
	}()
	missing := 0
	for range 2000 {
		snap, err := x.Open(ctx, "p")
		if err != nil {
			t.Fatal(err)
		}
		n, err := snap.Nominate(ctx, query("parseLedger"))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(n.Files, func(c search.Candidate) bool { return c.Entry.Path == "busy.go" }) {
			missing++
		}
		if _, ok, err := snap.Entry(ctx, "busy.go"); !ok || err != nil {
			missing++
		}
		_ = snap.Close()
	}
	close(stop)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if missing > 0 {
		t.Errorf("%d of 2000 answers without the file", missing)
	}
}
