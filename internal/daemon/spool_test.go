package daemon

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/queue/spool"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

// What a supervisor left in the spool while Redis was away is indexed once it is back, and what is no request harms
// nobody.
func TestRequestsOfTheSpoolArriveOnceWhenRedisIsBack(t *testing.T) {
	b := newBundle(t, rdbtest.Own(t, rdbtest.Search, "--appendonly", "yes", "--appendfsync", "always"))
	kept := spool.Open(filepath.Join(t.TempDir(), "spool"))
	b.redis.Kill(t)
	for _, r := range []queue.Request{
		{Project: "one", Root: b.root},
		{Project: "two", Root: b.root, Paths: []code.Path{"a.go"}},
		{Project: "three", Root: b.root},
	} {
		if _, err := kept.Put(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(kept.Dir(), "0.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.start(func(o *Options) {
		o.Spool, o.Watch, o.Allow, o.ReconcileInterval = kept, nil, []string{filepath.Dir(b.root)}, time.Hour
	})
	b.redis.Restart(t)
	for _, project := range []string{"one", "two", "three"} {
		b.indexed(project, "a.go")
	}
	left, err := os.ReadDir(kept.Dir())
	if err != nil || len(left) != 1 || left[0].Name() != "0.json.bad" {
		t.Errorf("left: %v, %v", left, err)
	}
	q, err := b.back.Queue()
	if err != nil {
		t.Fatal(err)
	}
	if n, err := q.Pushed(t.Context()); err != nil || n != 3 {
		t.Errorf("%d requests arrived, %v", n, err)
	}
}
