package retrieve_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/retrieve"
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
		b.rt.Embedder = func(name string) embed.Embedder { return other{embedder(name), query} }
		r := b.ask("light_lamp", func(r *retrieve.Request) { r.Deadline = 4 * time.Second })
		if r.Status != retrieve.Degraded || !slices.Equal(r.Reasons, []retrieve.Reason{retrieve.EmbedderUnavailable}) || !slices.Contains(paths(r), "lamp/keeper.py") {
			t.Errorf("%s: %s %v %v", name, r.Status, r.Reasons, paths(r))
		}
	}
	b.rt.Embedder = func(string) embed.Embedder { return nil }
	if r := b.ask("light_lamp"); !slices.Contains(r.Reasons, retrieve.EmbedderUnavailable) || len(r.Results) == 0 {
		t.Errorf("an embedder that is not here: %s %v", r.Status, r.Reasons)
	}
}
