package ingest_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/spelling"
)

// words are those of the project's dictionary.
func (b *bench) words() []string {
	b.t.Helper()
	blob, err := b.index.Attached(context.Background(), "p", spelling.Kind)
	if err != nil {
		b.t.Fatal(err)
	}
	if len(blob) == 0 {
		return nil
	}
	return slices.Collect(spelling.Words(blob))
}

func TestARunKeepsTheWordsOfNames(t *testing.T) {
	b := setup(t, map[string]string{
		"harbour/quay_lease.go": "package harbour\n\ntype BerthKeeper struct{}\n\nfunc assignTide() { var unnamed int; _ = unnamed }\n",
		"notes.md":              "# Weather of yesterday\n\ntext\n",
	})
	b.refresh(ingest.Options{}, ingest.Request{})
	want := []string{"assign", "berth", "berthkeeper", "harbour", "keeper", "lease", "notes", "quay", "quaylease", "tide"}
	if got := b.words(); !slices.Equal(got, want) {
		t.Errorf("at first %q, want %q", got, want)
	}
	b.write(map[string]string{"harbour/quay_lease.go": "package harbour\n\ntype Mooring struct{}\n"})
	b.refresh(ingest.Options{}, ingest.Request{Paths: []string{"harbour/quay_lease.go"}})
	want = []string{"harbour", "lease", "mooring", "notes", "quay", "quaylease"}
	if got := b.words(); !slices.Equal(got, want) {
		t.Errorf("after a change %q, want %q", got, want)
	}
}

func TestARunGivesAnOlderIndexTheWordsOfItsPaths(t *testing.T) {
	b := setup(t, map[string]string{"harbour/quay_lease.go": "package harbour\n\ntype Mooring struct{}\n"})
	b.refresh(ingest.Options{}, ingest.Request{})
	if err := b.index.Attach(context.Background(), "p", spelling.Kind, nil); err != nil {
		t.Fatal(err)
	}
	b.refresh(ingest.Options{}, ingest.Request{})
	if got, want := b.words(), []string{"harbour", "lease", "quay", "quaylease"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// forgetful attaches nothing.
type forgetful struct{ search.Index }

func (forgetful) Attach(context.Context, string, string, []byte) error {
	return errors.New("no room")
}

func TestARunSucceedsWithoutItsWords(t *testing.T) {
	b := setup(t, map[string]string{"quay.go": "package quay\n\ntype Mooring struct{}\n"})
	b.index = forgetful{b.index}
	if r := b.refresh(ingest.Options{}, ingest.Request{}); r.Added != 1 || b.words() != nil {
		t.Errorf("%d added, words %q", r.Added, b.words())
	}
}
