package retrieve_test

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/search"
)

// counted is an index that counts the snapshots that are opened, and what is asked of them. gate, if set, is passed by
// each Nominate.
type counted struct {
	search.Index
	opened, nominated atomic.Int32
	gate              func(ctx context.Context) error
}

func (c *counted) Open(ctx context.Context, project string) (search.Snapshot, error) {
	c.opened.Add(1)
	snap, err := c.Index.Open(ctx, project)
	return &countedSnapshot{snap, c}, err
}

type countedSnapshot struct {
	search.Snapshot
	of *counted
}

func (s *countedSnapshot) Nominate(ctx context.Context, q search.Query) (*search.Nominees, error) {
	s.of.nominated.Add(1)
	if s.of.gate != nil {
		if err := s.of.gate(ctx); err != nil {
			return nil, err
		}
	}
	return s.Snapshot.Nominate(ctx, q)
}

// asking counts the questions that are embedded, each by its first line.
type asking struct {
	embed.Embedder
	n *atomic.Int32
}

func (a asking) Query(ctx context.Context, text string) ([]float32, error) {
	a.n.Add(1)
	text, _, _ = strings.Cut(text, "\n")
	return a.Embedder.Query(ctx, text)
}

func named(text string, globs ...string) func(*retrieve.Request) {
	return func(r *retrieve.Request) { r.Named = &retrieve.Named{Text: text, Globs: globs, Most: 10} }
}

// bare is a reply without what two of the same question need not share.
func bare(r *retrieve.Reply) *retrieve.Reply {
	b := *r
	b.TookMS, b.Named = 0, nil
	return &b
}

func TestNamedFilesComeFromTheSameLook(t *testing.T) {
	for _, backing := range []string{"embedded", "redis"} {
		t.Run(backing, func(t *testing.T) {
			b := setup(t, harbour)
			if backing == "redis" {
				index := onServer(t, rdbtest.Search)
				b.index = index
				b.set(func(o *retrieve.Options) { o.Embedded = false })
				b.refresh()
			}
			index, embedded := &counted{Index: b.index}, new(atomic.Int32)
			b.set(func(o *retrieve.Options) {
				o.Index, o.Embedders = index, finds(func(name string) embed.Embedder {
					return asking{embedder(name), embedded}
				})
			})
			const question = "light_lamp(lamp) with paraffin"
			alone := b.ask(question)
			if alone.Status != retrieve.OK || slices.Contains(paths(alone), "berth.go") || alone.Named != nil {
				t.Fatalf("%s %q, named %+v", alone.Status, paths(alone), alone.Named)
			}
			const text = question + "\nlamp/wick.py trims, berth.go AssignBerth"
			whole := b.ask(text, any0, func(r *retrieve.Request) {
				r.Globs, r.Explain, r.Gates.MaxResults = []string{"**/wick.py", "**/berth.go"}, false, 10
			})
			index.opened.Store(0)
			index.nominated.Store(0)
			embedded.Store(0)
			both := b.ask(question, named(text, "**/wick.py", "**/berth.go"))
			if o, n, e := index.opened.Load(), index.nominated.Load(), embedded.Load(); o != 1 || n != 1 || e != 1 {
				t.Errorf("%d snapshots opened, %d times nominated, %d questions embedded; want 1 each", o, n, e)
			}
			if !reflect.DeepEqual(bare(both), bare(alone)) {
				t.Errorf("with named files: %+v\nwithout: %+v", bare(both), bare(alone))
			}
			if len(both.Named) != 2 || !reflect.DeepEqual(both.Named, whole.Results) {
				t.Errorf("named: %+v\nasked for alone: %+v", both.Named, whole.Results)
			}
			if r := b.ask(question, named("no such file", "**/none.go")); r.Status != retrieve.OK || len(r.Named) != 0 {
				t.Errorf("no file of the name: %s %v, %+v", r.Status, r.Reasons, r.Named)
			}
		})
	}
}

func TestOfANamedFileFurtherChunksHaveToBeRelevant(t *testing.T) {
	b := setup(t, quay())
	const question = "renew a mooring lease"
	ask := func(min float64) []retrieve.Result {
		return b.ask(question, named(question, "**/quay.go", "**/paint.go"), func(r *retrieve.Request) {
			r.Gates = gates.Options{MinRelevance: min, MaxBytes: 1 << 16}
		}).Named
	}
	if got := ask(gates.NoThreshold); len(got) != 4 || got[2].ShareOfBest == 0 || got[3].ShareOfBest == 0 {
		t.Errorf("whatever their relevance: %+v", got)
	}
	if got := ask(1); len(got) != 2 || got[0].Path != "quay.go" || got[1].Path != "paint.go" {
		t.Errorf("only certain ones: %+v", got)
	}
}

func TestNamedFilesShareTheDeadline(t *testing.T) {
	b := setup(t, harbour)
	synctest.Test(t, func(t *testing.T) {
		b.set(func(o *retrieve.Options) {
			o.Index = &counted{Index: b.index, gate: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}
		})
		r := b.ask("light_lamp", named("light_lamp", "**/wick.py"))
		if r.Status != retrieve.Degraded || !slices.Equal(r.Reasons, []retrieve.Reason{retrieve.Deadline}) ||
			len(r.Results)+len(r.Named) > 0 {
			t.Errorf("%+v", r)
		}
	})
}

func TestNamedFilesAreCheckedLikeTheRequest(t *testing.T) {
	t.Parallel()
	for want, n := range map[string]retrieve.Named{
		"want a glob":  {Globs: []string{"a/["}, Most: 1},
		"want at most": {Globs: slices.Repeat([]string{"a"}, 101), Most: 1},
		"max_results":  {Globs: []string{"a"}, Most: -1},
	} {
		req := retrieve.Request{Text: "x", Named: &n}.WithDefaults()
		if err := req.Validate(); err == nil || !strings.HasPrefix(err.Error(), "named files: ") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", n, err, want)
		}
	}
}
