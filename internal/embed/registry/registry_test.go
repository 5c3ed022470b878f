package registry

import (
	"context"
	"testing"

	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/embed/static"
)

// server is an embedder that the settings may choose.
type server struct{ embed.None }

func (server) Name() string                { return "far" }
func (server) Ready() error                { return nil }
func (server) Probe(context.Context) error { return nil }
func (server) Calls() int                  { return 1 }

func TestAnIndexGetsTheEmbedderOfTheNameThatItRecords(t *testing.T) {
	t.Parallel()
	table, err := static.Default()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		chosen embed.Embedder
		asked  string
		want   embed.Embedder
	}{
		{"chosen", server{}, "far", server{}},
		{"table beside a server", server{}, table.Name(), table},
		{"another", server{}, "near", nil},
		{"none is chosen", nil, "none", embed.None{}},
		{"none, of a registry of the table", table, "none", nil},
	} {
		if got := New(tt.chosen).Named(tt.asked); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestOnlyWhatMakesVectorsComparesTexts(t *testing.T) {
	t.Parallel()
	if New(nil).Comparing() != nil || New(nil).Remote() {
		t.Error("no embedder compares texts, or asks a server")
	}
	if r := New(server{}); r.Comparing() != r.Chosen() || !r.Remote() {
		t.Error("a server does not compare texts")
	}
}
