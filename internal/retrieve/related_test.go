package retrieve_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/embed/static"
	"github.com/contextd/contextd/internal/githist"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/search"
)

func (b *bench) related(path string, line int) *retrieve.Reply {
	b.t.Helper()
	return b.ask(path, func(r *retrieve.Request) {
		r.Like = &retrieve.Place{Path: path, Line: line}
		r.Gates.MinRelevance, r.Gates.MaxResults = .05, 9
	})
}

var tideFiles = map[string]string{
	"lease.go":  "package h\n\n// renewLease keeps a lease of the berth.\nfunc renewLease(berthTable map[string]int, ship string) { berthTable[ship]++ }\n",
	"expire.go": "package h\n\n// expireLease ends a lease of the berth.\nfunc expireLease(berthTable map[string]int, ship string) { delete(berthTable, ship) }\n",
	"paint.go":  "package h\n\n// paint colours a hull.\nfunc paint(colour string) string { return colour + colour }\n",
	"price.md":  "# Prices\n\nBread costs two coins at the market.\n",
}

func TestRelatedFindsWhatSharesNamesOnBothBackings(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	e, err := static.Default()
	if err != nil {
		t.Fatal(err)
	}
	for _, index := range []search.Index{onDisk(t, search.Full), onServer(t, rdbtest.Search)} {
		for _, embedder := range []embed.Embedder{e, embed.None{}} {
			b := &bench{t: t, root: root, index: index}
			b.open(retrieve.Options{Index: index, Queue: b, Embedders: finds(func(string) embed.Embedder {
				return embedder
			}), Log: slog.New(slog.DiscardHandler)})
			b.write(tideFiles)
			if _, err := ingest.New(index, ingest.Options{Embedder: embedder}).Refresh(context.Background(),
				ingest.Request{Project: "p", Root: root}); err != nil {
				t.Fatal(err)
			}
			r := b.related("lease.go", 4)
			if r.Err != nil || len(r.Results) == 0 || r.Results[0].Path != "expire.go" ||
				slices.Contains(paths(r), "lease.go") {
				t.Errorf("%T, %s: got %v, %s %v, %v", index, embedder.Name(), paths(r), r.Status, r.Reasons, r.Err)
			}
		}
	}
}

func TestRelatedNominatesWhatChangedAlong(t *testing.T) {
	b := setup(t, tideFiles)
	value := func() (v float64) {
		for _, x := range b.related("lease.go", 4).Results {
			for _, c := range x.Explain {
				if x.Path == "paint.go" && c.Feature == "like_history" {
					v = c.Value
				}
			}
		}
		return v
	}
	if v := value(); v != 0 {
		t.Fatalf("without a history: %v", v)
	}
	note := githist.Note{Text: "Dock", Files: []code.Path{"lease.go", "paint.go"}}
	b.attach(githist.Encode([]githist.Note{note, note, note}))
	if v := value(); v == 0 {
		t.Error("what changed along counts for nothing")
	}
}

func TestRelatedRefusesPlacesWithoutACode(t *testing.T) {
	b := setup(t, tideFiles)
	b.write(map[string]string{"new.go": "package h\n", ".contextdignore": "paint.go\n"})
	for _, p := range []retrieve.Place{
		{Path: "lease.go", Line: 99},
		{Path: "none.go", Line: 1},
		{Path: "../x.go", Line: 1},
		{Path: "new.go", Line: 1},
		{Path: "paint.go", Line: 3},
		{Path: "/etc/hosts", Line: 1},
	} {
		r := b.rt.Query(context.Background(),
			retrieve.Request{Text: "x", Target: access.Target{Project: "p", Root: b.root}, Like: &p,
				Deadline: time.Minute})
		var place *retrieve.PlaceError
		if !errors.As(r.Err, &place) || len(r.Results) > 0 {
			t.Errorf("%v: got %v, %v", p, r.Err, paths(r))
		}
	}
}
