package app_test

import (
	"errors"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/app/apptest"
	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/freshness"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/retrieve"
)

// TestClusterNodeIsAnErrorOfTheQuestion: an answer that only lacks results would never get any.
func TestClusterNodeIsAnErrorOfTheQuestion(t *testing.T) {
	t.Parallel()
	server := rdbtest.Cluster(t)
	b := apptest.Open(t, func(o *app.Options) {
		back, err := backend.Open(backend.Options{Redis: server.URL, StateDir: o.StateDir})
		if err != nil {
			t.Fatal(err)
		}
		if err := o.Backend.Close(); err != nil {
			t.Fatal(err)
		}
		o.Backend, o.Ingester = back, ingest.New(back.Index, ingest.Options{Embedder: o.Embedders.Chosen()})
	})
	req := retrieve.Request{Text: "where does OpenGate let ships in", Deadline: 20 * time.Second}
	if r, err := b.Answers.Query(t.Context(), req, access.Where{Root: b.Root}, freshness.First, nil); !errors.Is(err,
		rdb.ErrCluster) {
		t.Errorf("answer %+v, %v; want %v", r, err, rdb.ErrCluster)
	}
}
