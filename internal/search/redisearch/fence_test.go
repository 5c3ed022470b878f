package redisearch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/search"
)

// stall plays a writer that is stopped just before its n-th command: its lock runs out and meanwhile runs before it
// goes on.
type stall struct {
	n         int
	meanwhile func()
	once      sync.Once
	mu        sync.Mutex
	seen      int
	name      string
}

func (h *stall) at(name string) {
	h.mu.Lock()
	h.seen++
	now := h.seen == h.n
	if now {
		h.name = name
	}
	h.mu.Unlock()
	if now {
		h.once.Do(h.meanwhile)
	}
}

func (h *stall) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

func (h *stall) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error { h.at(cmd.Name()); return next(ctx, cmd) }
}

func (h *stall) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error { h.at("pipeline"); return next(ctx, cmds) }
}

// TestStalledWriterNeverDropsTheServingBuild: whichever command it is held at while another rebuilds, or goes on with its
// own rebuild, what serves stays whole.
func TestStalledWriterNeverDropsTheServingBuild(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	work := map[string]func(x *Index) error{
		"refresh": func(x *Index) error { return rebuild(x, search.Spec{}, "beta") },
		"full":    func(x *Index) error { return rebuild(x, search.Spec{Full: true}, "beta") },
		"next":    func(x *Index) error { return rebuild(x, search.Spec{Next: true, Model: other}, "beta") },
		"remove":  func(x *Index) error { return x.Remove(ctx, "p", 0) },
	}
	next := search.Spec{Next: true, Full: true, Model: other}
	others := map[string]func(x *Index) error{
		"full": func(x *Index) error { return rebuild(x, search.Spec{Full: true}, "gamma") },
		"next": func(x *Index) error { return rebuild(x, next, "gamma") },
		"half": func(x *Index) error { return halfOf(x, next) },
	}
	for name, run := range work {
		for as, meanwhile := range others {
			if name == "remove" && as != "full" {
				continue // nothing serves that another could be built beside
			}
			t.Run(name+" beside "+as, func(t *testing.T) {
				t.Parallel()
				s := rdbtest.Start(t, rdbtest.Search)
				for n := 2; ; n++ {
					b := openIndex(t, s, "auto")
					if err := rebuild(b, search.Spec{Full: true}, "alpha"); err != nil {
						t.Fatal(err)
					}
					// What a dead writer left: an unfinished build and a chunk written ahead that the new build will list.
					c := s.Client(t)
					c.SAdd(ctx, b.keys.vers("p"), fmt.Sprintf("v0%d", n))
					a := openIndex(t, s, "auto")
					hook := &stall{n: n, meanwhile: func() {
						c.Del(ctx, b.keys.lock("p"), b.keys.nextLock("p"))
						if err := meanwhile(b); err != nil {
							t.Errorf("at command %d: %v", n, err)
						}
					}}
					a.writeClient.AddHook(hook)
					err := run(a)
					hook.mu.Lock()
					reached, at := hook.seen >= n, hook.name
					hook.mu.Unlock()
					if !reached {
						if n < 6 {
							t.Fatalf("only %d commands", n)
						}
						return
					}
					intact(t, b, c, fmt.Sprintf("held at command %d (%s), which ended with %v", n, at, err))
				}
			})
		}
	}
}

// rebuild writes two files and commits.
func rebuild(x *Index, spec search.Spec, text string) error {
	ctx := context.Background()
	spec.Project, spec.Root = "p", "/srv/p"
	if spec.Model == (search.Model{}) {
		spec.Model = model
	}
	w, err := x.Writer(ctx, spec)
	if err != nil {
		return err
	}
	for _, path := range []string{"a.go", "b.go"} {
		if err := w.Put(ctx, source(path, text+" "+path)); err != nil {
			return errors.Join(err, w.Close())
		}
	}
	_, err = w.Commit(ctx, true)
	return errors.Join(err, w.Close())
}

// halfOf goes on with a rebuild, takes a file away and leaves it unfinished.
func halfOf(x *Index, spec search.Spec) error {
	ctx := context.Background()
	spec.Project, spec.Root = "p", "/srv/p"
	w, err := x.Writer(ctx, spec)
	if err != nil {
		return err
	}
	err = errors.Join(w.Put(ctx, source("b.go", "delta")), w.Delete(ctx, "a.go"))
	_, commit := w.Commit(ctx, false)
	return errors.Join(err, commit, w.Close())
}

// intact checks that all that the record names is there. A project that was removed after the rebuild has no record.
func intact(t *testing.T, x *Index, c *redis.Client, when string) {
	t.Helper()
	ctx := context.Background()
	rec, err := x.record(ctx, c, "p")
	if errors.Is(err, search.ErrNoProject) && strings.Contains(when, "<nil>") {
		return
	}
	if err != nil {
		t.Errorf("%s: %v", when, err)
		return
	}
	all, err := x.entries(ctx, c, "p", rec.ver)
	if err != nil || len(all) != rec.Files || rec.Files == 0 {
		t.Errorf("%s: %d of %d entries, %v", when, len(all), rec.Files, err)
	}
	if n := c.HLen(ctx, x.keys.blobs("p", rec.ver)).Val(); int(n) != rec.Files {
		t.Errorf("%s: %d blobs of %d", when, n, rec.Files)
	}
	for _, e := range all {
		for _, id := range e.ids {
			if c.Exists(ctx, x.keys.chunks("p", rec.ver)+id.String()).Val() == 0 {
				t.Errorf("%s: a chunk of %s is gone", when, e.Path)
			}
		}
	}
	if list, err := c.Do(ctx, "FT._LIST").StringSlice(); err != nil || !slices.Contains(list, rec.idx) {
		t.Errorf("%s: FT index %s is gone (%v, %s)", when, rec.idx, err, rdb.Classify(err))
	}
}
