package retrieve_test

import (
	"context"
	"slices"
	"testing"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/githist"
	"github.com/contextd/contextd/internal/retrieve"
)

// attach gives the project a history.
func (b *bench) attach(blob []byte) {
	b.t.Helper()
	if err := b.index.Attach(context.Background(), "p", githist.Kind, blob); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) all(text string) *retrieve.Reply {
	return b.rt.Query(context.Background(),
		retrieve.Request{Text: text, Target: access.Target{Project: "p", Root: b.root}, Explain: true,
			Gates: gates.Options{MinRelevance: gates.NoThreshold, MaxResults: 10, MaxBytes: 1 << 20}})
}

// harbourHistory: one commit, and what was changed along with it.
func harbourHistory() []byte {
	lease := githist.Note{Text: "Renew leases before the tide", Files: []code.Path{"b.go", "gone.go", "c.go"}}
	return githist.Encode([]githist.Note{lease, lease, lease, {Text: "Dial", Files: []code.Path{"a.go"}}})
}

func TestHistoryNominatesAndRaisesWhatWasChangedForTheLike(t *testing.T) {
	b := setup(t, map[string]string{"a.go": "package a\n\nfunc Beacon() {}\n",
		"b.go": "package a\n\nfunc Lantern() {}\n", "c.go": "package a\n\nfunc Anchor() {}\n"})
	of := func(r *retrieve.Reply, path string) (value float64) {
		for _, x := range r.Results {
			for _, c := range x.Explain {
				if x.Path == path && c.Feature == "history" {
					value = c.Value
				}
			}
		}
		return value
	}
	b.attach(harbourHistory())
	r := b.all("renew the leases before low tide")
	if of(r, "b.go") <= 0 || of(r, "a.go") != 0 {
		t.Errorf("history of b.go is %v, of a.go %v", of(r, "b.go"), of(r, "a.go"))
	}
	b.write(map[string]string{"b.go": "package a\n\n// changed\nfunc Lantern() {}\n"})
	if r := b.all("renew the leases before low tide"); of(r, "b.go") <= 0 {
		t.Error("a changed file has lost its history")
	}
	b.attach([]byte("damaged"))
	if r := b.all("renew the leases before low tide"); of(r, "b.go") != 0 || r.Status != retrieve.OK {
		t.Errorf("a damaged history: %s %v, %v", r.Status, r.Reasons, of(r, "b.go"))
	}
	b.set(func(o *retrieve.Options) {
		o.Tasks = tasks(func(context.Context, string) *githist.Part {
			return githist.NewPart([]githist.Note{{Text: "Renew leases", Files: []code.Path{"c.go"}}})
		})
	})
	if r := b.all("renew the leases before low tide"); of(r, "c.go") <= 0 {
		t.Error("a task that was done points at nothing")
	}
}

func TestCompanionsAreFilesOfTheIndex(t *testing.T) {
	b := setup(t, map[string]string{"a.go": "package a\n\nfunc Beacon() {}\n",
		"b.go": "package a\n\nfunc Lantern() {}\n", "c.go": "package a\n\nfunc Anchor() {}\n"})
	b.attach(harbourHistory())
	for _, x := range b.all("Lantern").Results {
		want := map[string][]githist.Companion{"b.go": {{Path: "c.go", Share: 1, Times: 3}},
			"c.go": {{Path: "b.go", Share: 1, Times: 3}}}[x.Path]
		if !slices.Equal(x.Companions, want) {
			t.Errorf("companions of %s: %v, want %v", x.Path, x.Companions, want)
		}
		v, err := b.rt.Why(t.Context(), access.Target{Project: "p", Root: b.root}, b.root, x.Path,
			retrieve.Caps{Files: 9, Bytes: 1e6})
		if err != nil || !slices.Equal(v.Companions, want) {
			t.Errorf("why %s: companions %v, %v; want %v", x.Path, v.Companions, err, want)
		}
	}
}
