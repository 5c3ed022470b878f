package freshness_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/app/apptest"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/freshness"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/retrieve"
)

// onRedis opens a session's backing on server.
func onRedis(t *testing.T, server *rdbtest.Server) *apptest.Bed {
	t.Helper()
	return apptest.Open(t, func(o *app.Options) { apptest.OpenOn(t, server, o) })
}

// Without a daemon nobody mends it: each question says so.
func TestEvictedPartsOfAnIndexAreSaidByTheQuestion(t *testing.T) {
	t.Parallel()
	server := rdbtest.Own(t, rdbtest.Search)
	for _, lost := range []string{":f:*", ":b:*", ":n:*", ":c:*"} {
		if err := server.Client(t).FlushAll(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		b := onRedis(t, server)
		if _, err := b.In.Refresh(t.Context(), ingest.Request{Project: "web", Root: b.Root}); err != nil {
			t.Fatal(err)
		}
		w := access.Where{Project: "web"}
		if r := b.Ask("OpenGate", w, freshness.First); r.Status != retrieve.OK || len(r.Reasons) > 0 {
			t.Fatalf("whole: %s %v", r.Status, r.Reasons)
		}
		keys, err := server.Client(t).Keys(context.Background(), server.Prefix+lost).Result()
		if err != nil || len(keys) == 0 {
			t.Fatalf("keys %q in %q: %v", lost, filepath.Base(b.Root), err)
		}
		if err := server.Client(t).Del(t.Context(), keys[0]).Err(); err != nil {
			t.Fatal(err)
		}
		if r := b.Ask("OpenGate", w, freshness.First); r.Status != retrieve.Degraded || !slices.Contains(r.Reasons, retrieve.IndexMissing) {
			t.Errorf("%s lost: %s %v", lost, r.Status, r.Reasons)
		}
	}
}

func TestOneLostChunkOfManyIsSaidAndMendedByARefreshOfAnotherFile(t *testing.T) {
	t.Parallel()
	server := rdbtest.Start(t, rdbtest.Search)
	b := onRedis(t, server)
	for i := range 150 {
		b.Write(fmt.Sprintf("pier%d.go", i), fmt.Sprintf("package pier\n\n// Moor%d ties ship %d.\nfunc Moor%d() {}\n", i, i, i))
	}
	request := ingest.Request{Project: "web", Root: b.Root}
	if _, err := b.In.Refresh(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	c := server.Client(t)
	keys, err := c.Keys(t.Context(), server.Prefix+":c:*").Result()
	if err != nil || len(keys) < 150 {
		t.Fatalf("%d chunks, %v", len(keys), err)
	}
	if err := c.Del(t.Context(), keys[7]).Err(); err != nil {
		t.Fatal(err)
	}
	w := access.Where{Project: "web"}
	if r := b.Ask("OpenGate", w, freshness.First); !slices.Contains(r.Reasons, retrieve.IndexMissing) {
		t.Errorf("one chunk lost: %s %v", r.Status, r.Reasons)
	}
	request.Paths = []code.Path{"pier0.go"}
	if rep, err := b.In.Refresh(t.Context(), request); err != nil || rep.Project.Rebuilt {
		t.Fatalf("%+v, %v", rep, err)
	}
	if r := b.Ask("OpenGate", w, freshness.First); r.Status != retrieve.OK || len(r.Reasons) > 0 {
		t.Errorf("after a refresh: %s %v", r.Status, r.Reasons)
	}
	if have, err := c.Keys(t.Context(), server.Prefix+":c:*").Result(); err != nil || len(have) != len(keys) {
		t.Errorf("%d chunks, want %d; %v", len(have), len(keys), err)
	}
}

// Nobody who only asks fills a store again (a request would wait for ever): each question says what is missing, until
// "index" or a daemon has been there.
func TestLostStoreWithoutADaemonIsSaidByEachQuestionUntilItIsIndexed(t *testing.T) {
	t.Parallel()
	server := rdbtest.Own(t, rdbtest.Search)
	b := onRedis(t, server)
	request := ingest.Request{Project: "web", Root: b.Root}
	if _, err := b.In.Refresh(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	if err := server.Client(t).FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	w := access.Where{Root: b.Root}
	for n := range 2 {
		if r := b.Ask("OpenGate", w, freshness.First); r.Status != retrieve.Degraded || !slices.Contains(r.Reasons, retrieve.IndexMissing) {
			t.Errorf("question %d: %s %v", n, r.Status, r.Reasons)
		}
	}
	if waiting, err := b.Backend.Waiting(t.Context(), ""); err != nil || len(waiting) > 0 {
		t.Errorf("asked for: %v, %v", waiting, err)
	}
	if _, err := b.In.Refresh(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	if r := b.Ask("OpenGate", w, freshness.First); r.Status != retrieve.OK {
		t.Errorf("indexed: %s %v", r.Status, r.Reasons)
	}
}
