package similar

import (
	"context"
	"errors"
	"testing"

	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/embed/static"
	"github.com/contextd/contextd/internal/memory"
)

// counting is an embedder that counts the texts it embeds, and may fail.
type counting struct {
	embed.Embedder
	texts int
	fail  error
}

func (c *counting) Documents(ctx context.Context, texts []embed.Text) ([][]float32, error) {
	c.texts += len(texts)
	if c.fail != nil {
		return nil, c.fail
	}
	return c.Embedder.Documents(ctx, texts)
}

func TestEachTextIsEmbeddedOnce(t *testing.T) {
	t.Parallel()
	e, err := static.Default()
	if err != nil {
		t.Fatal(err)
	}
	c := &counting{Embedder: e}
	s := New(c)
	items := []memory.Item{{Hash: "1", Content: "the gate of the harbour opens"},
		{Hash: "2", Content: "parse JSON numbers"}}
	for range 3 {
		got, err := s.Similar(t.Context(), "when does the harbour gate open", items)
		if err != nil || len(got) != 2 || got[0] <= got[1] {
			t.Fatalf("%v, %v", got, err)
		}
	}
	if c.texts != 2 {
		t.Errorf("embedded %d texts, want 2", c.texts)
	}
	c.fail = embed.ErrUnavailable
	if _, err := s.Similar(t.Context(), "x", append(items, memory.Item{Hash: "3", Content: "new"})); !errors.Is(err,
		embed.ErrUnavailable) {
		t.Errorf("a failure: %v", err)
	}
	if _, err := New(embed.None{}).Similar(t.Context(), "x", items); err == nil {
		t.Error("no vectors, no error")
	}
}
