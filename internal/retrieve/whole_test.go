package retrieve_test

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/embed/static"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/search"
)

// whole is an index that nominates every file of a project.
type whole struct{ search.Index }

type wholeSnapshot struct{ search.Snapshot }

func (w whole) Open(ctx context.Context, project string) (search.Snapshot, error) {
	s, err := w.Index.Open(ctx, project)
	return wholeSnapshot{s}, err
}

func (s wholeSnapshot) Nominate(ctx context.Context, q search.Query) (*search.Nominees, error) {
	entries, err := s.Entries(ctx)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		q.Paths = append(q.Paths, e.Path)
	}
	q.Files = len(entries) + 1
	return s.Snapshot.Nominate(ctx, q)
}

// Features are computed for the hundred files that the legs of an index nominate, at most. Computed for all files they
// give the same first answer to nine in ten of the questions, and nine in ten of the first five. A few differ because
// some features compare the candidates.
func TestRankingEveryFileGivesTheSameAnswer(t *testing.T) {
	t.Parallel()
	index := onDisk(t, search.Full)
	e, err := static.Default()
	if err != nil {
		t.Fatal(err)
	}
	root := frozenSource(t)
	if _, err := ingest.New(index, ingest.Options{Embedder: e}).Refresh(t.Context(),
		ingest.Request{Project: "p", Root: root}); err != nil {
		t.Fatal(err)
	}
	ask := func(index search.Index, question string) []retrieve.Result {
		rt := retrieve.New(retrieve.Options{Index: index, Queue: &bench{}, Embedders: finds(embedder), Embedded: true,
			Log: slog.New(slog.DiscardHandler)})
		r := rt.Query(t.Context(), retrieve.Request{Text: question, Target: access.Target{Project: "p", Root: root},
			Deadline: time.Minute, Gates: gates.Options{MinRelevance: gates.NoThreshold, MaxResults: 5,
				MaxBytes: 1 << 20}})
		if r.Status != retrieve.OK {
			t.Fatalf("%q: %s %v", question, r.Status, r.Reasons)
		}
		return r.Results
	}
	common, total, other := 0, 0, 0
	for _, question := range parityQuestions {
		some, all := where(ask(index, question)), where(ask(whole{index}, question))
		if some[0] != all[0] {
			t.Logf("%q: %s is first, but %s when all files are ranked", question, some[0], all[0])
			other++
		}
		for _, path := range all {
			if total++; slices.Contains(some, path) {
				common++
			}
		}
	}
	if most := len(parityQuestions) / 10; other > most {
		t.Errorf("%d questions have another first answer when all files are ranked, want at most %d", other, most)
	}
	if common*10 < total*9 {
		t.Errorf("%d of the first five are the same, of %d", common, total)
	}
}
