package retrieve_test

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/embed/static"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/rank"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/search"
)

// other is the embedder of the index, but for what becomes of a question.
type other struct {
	embed.Embedder
	query func(ctx context.Context) ([]float32, error)
}

func (o other) Query(ctx context.Context, _ string) ([]float32, error) { return o.query(ctx) }

func TestAQuestionWithoutAVectorIsAnsweredByWords(t *testing.T) {
	b := setup(t, harbour)
	for name, query := range map[string]func(ctx context.Context) ([]float32, error){
		"down":           func(context.Context) ([]float32, error) { return nil, embed.ErrUnavailable },
		"refuses":        func(context.Context) ([]float32, error) { return nil, embed.ErrRefused },
		"another length": func(context.Context) ([]float32, error) { return make([]float32, 3), nil },
		"nothing":        func(context.Context) ([]float32, error) { return nil, nil },
		"hangs":          func(ctx context.Context) ([]float32, error) { <-ctx.Done(); return nil, context.Cause(ctx) },
	} {
		b.set(func(o *retrieve.Options) {
			o.Embedders = finds(func(name string) embed.Embedder { return other{embedder(name), query} })
		})
		r := b.ask("light_lamp", func(r *retrieve.Request) { r.Deadline = 4 * time.Second })
		if r.Status != retrieve.Degraded || !slices.Equal(r.Reasons, []retrieve.Reason{retrieve.EmbedderUnavailable}) ||
			!slices.Contains(paths(r), "lamp/keeper.py") {
			t.Errorf("%s: %s %v %v", name, r.Status, r.Reasons, paths(r))
		}
		if told := len(b.models) > 0; told != (name == "another length") {
			t.Errorf("%s: whoever keeps the index fresh is to look at the model: %v", name, told)
		}
		b.models = nil
	}
	b.set(func(o *retrieve.Options) { o.Embedders = finds(func(string) embed.Embedder { return nil }) })
	if r := b.ask("light_lamp"); !slices.Contains(r.Reasons, retrieve.EmbedderUnavailable) || len(r.Results) == 0 {
		t.Errorf("an embedder that is not here: %s %v", r.Status, r.Reasons)
	}
}

func TestTheWeightsAreFittedToTheTableInTheBinary(t *testing.T) {
	t.Parallel()
	if e, err := static.Default(); err != nil || e.Name() != rank.FittedTo {
		t.Errorf("the table is %q, %v; the weights were fitted to %q: fit them again (tools/train/README.md)", e.Name(),
			err, rank.FittedTo)
	}
}

// crowded is the static embedder under another name. Its vectors have a part in common: each cosine is that of the
// table times share, plus 1 - share.
type crowded struct {
	embed.Embedder
	share float64
}

func (c crowded) Name() string { return fmt.Sprintf("openai/crowded-%g", c.share) }

func (c crowded) Dims() int { return 2 * static.Dims }

func (c crowded) Documents(ctx context.Context, texts []embed.Text) ([][]float32, error) {
	out, err := c.Embedder.Documents(ctx, texts)
	for i := range out {
		out[i] = c.widen(out[i])
	}
	return out, err
}

func (c crowded) Query(ctx context.Context, text string) ([]float32, error) {
	v, err := c.Embedder.Query(ctx, text)
	return c.widen(v), err
}

func (c crowded) widen(v []float32) []float32 {
	out := make([]float32, 0, c.Dims())
	for _, x := range v {
		out = append(out, x*float32(math.Sqrt(c.share)))
	}
	for range v {
		out = append(out, float32(math.Sqrt((1-c.share)/static.Dims)))
	}
	return out
}

func TestAnotherEmbedderIsReadOnItsOwnScale(t *testing.T) {
	t.Parallel()
	e, err := static.Default()
	if err != nil {
		t.Fatal(err)
	}
	index := onDisk(t, search.Full)
	root := frozenSource(t)
	ask := func(e embed.Embedder, question string) *retrieve.Reply {
		rt := retrieve.New(retrieve.Options{Index: index, Queue: &bench{},
			Embedders: finds(func(string) embed.Embedder { return e }), Log: slog.New(slog.DiscardHandler)})
		return rt.Query(context.Background(),
			retrieve.Request{Text: question, Target: access.Target{Project: project(e), Root: root},
				Deadline: time.Minute, Gates: gates.Options{MinRelevance: gates.NoThreshold}})
	}
	spread, tight := crowded{e, 1}, crowded{e, .3}
	for _, e := range []embed.Embedder{spread, tight} {
		if _, err := ingest.New(index, ingest.Options{Embedder: e}).Refresh(context.Background(),
			ingest.Request{Project: project(e), Root: root}); err != nil {
			t.Fatal(err)
		}
	}
	differ := 0
	for _, question := range parityQuestions[10:] {
		a, b := ask(spread, question), ask(tight, question)
		if len(a.Results) == 0 || len(b.Results) == 0 || math.Abs(a.BestRelevance-b.BestRelevance) > .04 {
			t.Fatalf("%q: best %v of %v and %v of %v", question, a.BestRelevance, paths(a), b.BestRelevance, paths(b))
		}
		if a.Results[0].Path != b.Results[0].Path {
			t.Logf("%q: %v and %v", question, paths(a), paths(b))
			differ++
		}
	}
	if differ > 2 { // of 20; vectors are kept in 8 bits, so near ties may fall either way
		t.Errorf("for %d questions another file comes first", differ)
	}
}

func project(e embed.Embedder) string {
	return strings.NewReplacer("/", "-", ".", "-").Replace(e.Name())
}
