package freshness_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/app/apptest"
	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/freshness"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/search"
)

// lookedAt is an index that calls second when a record is looked at for the second time since it was armed.
type lookedAt struct {
	search.Index
	looks  *atomic.Int32
	second func()
}

func (x lookedAt) Open(ctx context.Context, project string) (search.Snapshot, error) {
	if x.looks.Add(1) == 2 {
		x.second()
	}
	return x.Index.Open(ctx, project)
}

// machines is a writer, and a reader with a store of its own on the same server or directory. The writer's root has one
// generation. What arm returns waits for the writer, who goes to work once the reader has looked at the record twice.
type machines struct {
	writer, reader *apptest.Bed
	where          access.Where
	looks          atomic.Int32
	work           sync.WaitGroup
	second         func()
}

func onBothBackings(t *testing.T, test func(t *testing.T, m *machines)) {
	for _, name := range []string{"embedded", "redis"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &machines{second: func() {}}
			var server *rdbtest.Server
			if name == "redis" {
				server = rdbtest.Start(t, rdbtest.Search)
			}
			var state string
			share := func(o *app.Options) {
				if server != nil {
					apptest.OpenOn(t, server, o)
				} else if state != "" {
					back, err := backend.Open(backend.Options{StateDir: state})
					if err != nil {
						t.Fatal(err)
					}
					_ = o.Backend.Close()
					o.Backend, o.StateDir = back, state
				}
			}
			m.writer = apptest.Open(t, share)
			state = m.writer.State
			m.reader = apptest.Open(t, share, func(o *app.Options) {
				o.Backend.Index = lookedAt{Index: o.Backend.Index, looks: &m.looks, second: func() { m.second() }}
				o.Ingester = ingest.New(o.Backend.Index, ingest.Options{Embedder: o.Embedders.Chosen()})
			})
			m.where = access.Where{Project: "web", Root: m.writer.Root}
			m.writer.Reindex(m.where)
			test(t, m)
		})
	}
}

// arm lets the writer write a file and index it as soon as the reader waits. The function returned says whether that
// happened.
func (m *machines) arm(t *testing.T, name, text string) func() bool {
	var did atomic.Bool
	m.looks.Store(0)
	m.second = func() {
		m.work.Go(func() {
			m.writer.Write(name, text)
			_, err := m.writer.In.Refresh(context.WithoutCancel(t.Context()), ingest.Request{Project: "web", Root: m.writer.Root})
			did.Store(err == nil)
		})
	}
	return func() bool { m.work.Wait(); return did.Load() }
}

// ask asks the reader, who indexes nothing himself, for a generation.
func (m *machines) ask(t *testing.T, text string, generation int64, deadline time.Duration, stale gates.Mode) *retrieve.Reply {
	t.Helper()
	req := retrieve.Request{Text: text, MinGeneration: generation, Deadline: deadline, Gates: gates.Options{Stale: stale}}
	r, err := m.reader.Answers.Query(t.Context(), req, m.where, freshness.Never, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAQuestionWaitsForTheGenerationThatAnotherMachineCommits(t *testing.T) {
	t.Parallel()
	onBothBackings(t, func(t *testing.T, m *machines) {
		committed := m.arm(t, "lamp.go", "package harbour\n\n// LightLamp lights the lamp.\nfunc LightLamp() {}\n")
		r := m.ask(t, "LightLamp", 2, 30*time.Second, gates.Verify)
		if !committed() || r.Status != retrieve.OK || r.Generation < 2 || len(r.Results) != 1 || len(r.Reasons) > 0 {
			t.Errorf("asked: generation %d, %s %v, %d results", r.Generation, r.Status, r.Reasons, len(r.Results))
		}
		committed = m.arm(t, "crane.go", "package harbour\n\n// LiftCrane lifts the crane.\nfunc LiftCrane() {}\n")
		c, err := m.reader.Prompts().Build(t.Context(), prompt.Request{Project: "web", Root: m.writer.Root, Query: "LiftCrane", MinGeneration: 3, DeadlineMS: prompt.MaxDeadline})
		if err != nil {
			t.Fatal(err)
		}
		if !committed() || slices.Contains(c.Reasons, string(retrieve.GenerationBehind)) || len(c.Pieces) == 0 || c.Pieces[0].Path != "crane.go" {
			t.Errorf("compiled: %s %v, %+v", c.Status, c.Reasons, c.Pieces)
		}
	})
}

func TestAnAnswerFromAnEarlierGenerationSaysThatItIsBehind(t *testing.T) {
	t.Parallel()
	onBothBackings(t, func(t *testing.T, m *machines) {
		behind := []retrieve.Reason{retrieve.GenerationBehind}
		if r := m.ask(t, "OpenGate", 2, 2*time.Second, gates.Verify); r.Status != retrieve.Degraded || r.Generation != 1 || len(r.Results) != 1 || !slices.Equal(r.Reasons, behind) {
			t.Errorf("generation %d, %s %v, %d results", r.Generation, r.Status, r.Reasons, len(r.Results))
		}
		if r := m.ask(t, "OpenGate", 2, 500*time.Millisecond, gates.Skip); len(r.Results) != 0 || !slices.Contains(r.Reasons, retrieve.GenerationBehind) {
			t.Errorf("nothing stale is wanted: %s %v, %d results", r.Status, r.Reasons, len(r.Results))
		}
		c, err := m.reader.Prompts().Build(t.Context(), prompt.Request{Project: "web", Root: m.writer.Root, Query: "OpenGate", MinGeneration: 2, DeadlineMS: 2000})
		if err != nil || c.Status != prompt.Degraded || !slices.Contains(c.Reasons, string(retrieve.GenerationBehind)) {
			t.Errorf("compiled: %+v, %v", c, err)
		}
		m.looks.Store(0)
		if r := m.ask(t, "OpenGate", 1, 30*time.Second, gates.Verify); r.Status != retrieve.OK || m.looks.Load() != 2 {
			t.Errorf("a generation that is there: %s %v after %d looks, want one for it and one for the answer", r.Status, r.Reasons, m.looks.Load())
		}
	})
}

// A project that the store does not have has no generation either.
func TestAnAnswerWithoutAnIndexIsBehindEachGeneration(t *testing.T) {
	t.Parallel()
	b := apptest.Open(t)
	req := retrieve.Request{Text: "OpenGate", MinGeneration: 1, Deadline: 100 * time.Millisecond}
	for name, w := range map[string]access.Where{"no index": {Root: b.Root}, "no such project": {Project: "nowhere"}} {
		r, err := b.Answers.Query(t.Context(), req, w, freshness.Never, nil)
		if err != nil || !slices.Equal(r.Reasons, []retrieve.Reason{retrieve.IndexMissing, retrieve.GenerationBehind}) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	if r := b.Ask("OpenGate", access.Where{Root: b.Root}, freshness.Never); slices.Contains(r.Reasons, retrieve.GenerationBehind) {
		t.Errorf("no generation was asked for: %v", r.Reasons)
	}
}

func TestAWaitForAGenerationLooksAtABoundedPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		looks, began := 0, time.Now()
		freshness.Poll(ctx, func() bool { looks++; return false })
		if looks > 110 || looks < 50 || time.Since(began) != 10*time.Second {
			t.Errorf("%d looks in %s", looks, time.Since(began))
		}
		looks = 0
		freshness.Poll(t.Context(), func() bool { looks++; return looks == 3 })
		if looks != 3 {
			t.Errorf("%d looks for what is there at the third", looks)
		}
	})
}
