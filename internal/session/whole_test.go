package session

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/retrieve"
)

// Without a daemon nobody mends it: each question says so.
func TestEvictedPartsOfAnIndexAreSaidByTheQuestion(t *testing.T) {
	t.Parallel()
	server := rdbtest.Own(t, rdbtest.Search)
	for _, lost := range []string{":f:*", ":b:*", ":c:*"} {
		if err := server.Client(t).FlushAll(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		b := setup(t, func(o *Options) {
			back, err := backend.Open(backend.Options{StateDir: o.StateDir, Redis: server.URL, Prefix: server.Prefix})
			if err != nil {
				t.Fatal(err)
			}
			_ = o.Backend.Close()
			o.Backend, o.Ingester = back, ingest.New(back.Index, ingest.Options{Embedder: o.Embedder})
		})
		if _, err := b.opts.Ingester.Refresh(t.Context(), ingest.Request{Project: "web", Root: b.root}); err != nil {
			t.Fatal(err)
		}
		w := retrieve.Where{Project: "web"}
		if r := b.ask("OpenGate", w, First); r.Status != retrieve.OK || len(r.Reasons) > 0 {
			t.Fatalf("whole: %s %v", r.Status, r.Reasons)
		}
		keys, err := server.Client(t).Keys(context.Background(), server.Prefix+lost).Result()
		if err != nil || len(keys) == 0 {
			t.Fatalf("keys %q in %q: %v", lost, filepath.Base(b.root), err)
		}
		if err := server.Client(t).Del(t.Context(), keys[0]).Err(); err != nil {
			t.Fatal(err)
		}
		if r := b.ask("OpenGate", w, First); r.Status != retrieve.Degraded || !slices.Contains(r.Reasons, retrieve.IndexMissing) {
			t.Errorf("%s lost: %s %v", lost, r.Status, r.Reasons)
		}
	}
}
