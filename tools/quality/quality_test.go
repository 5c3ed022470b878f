package main

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/embed/static"
	"github.com/contextd/contextd/internal/eval"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/search/local"
)

var update = flag.Bool("update", false, "record the scores")

// scorecard is what is recorded of the small corpus.
type scorecard struct {
	Questions int     `json:"questions"`
	NDCG      float64 `json:"ndcg@10"`
	Recall5   float64 `json:"recall@5"`
	MRR       float64 `json:"mrr"`
}

// slack is how far a score may fall below the recorded one: the corpus is this repository, which changes.
const slack = .05

// corpus is a copy of this repository's own packages and documents: 500 files that are always at hand.
func corpus(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	top, files := filepath.Join("..", ".."), 0
	for _, pattern := range []string{"internal/*/*", "internal/*/*/*.go", "docs/*.md", "docs/*/*.md", "cmd/*/*.go"} {
		names, err := filepath.Glob(filepath.Join(top, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			info, err := os.Stat(name)
			if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<18 {
				continue
			}
			data, err := os.ReadFile(name)
			if err != nil {
				continue // it went away meanwhile
			}
			rel, _ := filepath.Rel(top, name)
			to := filepath.Join(root, rel)
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(to, data, 0o644); err != nil {
				t.Fatal(err)
			}
			files++
		}
	}
	if files < 300 {
		t.Fatalf("corpus missing: %d files of this repository were found", files)
	}
	return root
}

func TestQualityIsNotBelowTheRecordedOne(t *testing.T) {
	t.Parallel()
	f, err := os.Open(filepath.Join("testdata", "own.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	questions, err := eval.Read(f)
	if err != nil || len(questions) < 20 {
		t.Fatalf("questions missing: %d, %v", len(questions), err)
	}
	e, err := static.Default()
	if err != nil {
		t.Fatal(err)
	}
	index, err := local.Open(local.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	root := corpus(t)
	if _, err := ingest.New(index, ingest.Options{Embedder: e}).Refresh(t.Context(), ingest.Request{Project: "own", Root: root}); err != nil {
		t.Fatal(err)
	}
	rt := retriever(backing{"embedded", index, false}, e)
	var all []eval.Measures
	for _, q := range questions {
		for _, want := range q.Relevant {
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(want.Path))); err != nil {
				t.Errorf("%s: %q is gone: what answers the question now?", q.ID, want.Path)
			}
		}
		results, err := ask(t.Context(), rt, "own", root, q.Query)
		if err != nil {
			t.Fatal(err)
		}
		at, paths := places(results)
		m := eval.Score(q, at)
		t.Logf("%-12s %.2f %v", q.ID, m.NDCG, paths[:min(3, len(paths))])
		all = append(all, m)
	}
	s := eval.Summarize(all)
	got := scorecard{s.Questions, round(s.NDCG.Mean), round(s.Recall5.Mean), round(s.MRR.Mean)}
	name := filepath.Join("testdata", "scorecard.json")
	if *update {
		data, _ := json.MarshalIndent(got, "", "  ")
		if err := os.WriteFile(name, append(data, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var want scorecard
	data, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(data, &want)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got.Questions != want.Questions || got.NDCG < want.NDCG-slack || got.Recall5 < want.Recall5-slack || got.MRR < want.MRR-slack {
		t.Errorf("scores %+v, recorded %+v; where that is meant, record them by -update", got, want)
	}
}

func TestTablesStandBetweenTheirMarks(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "Q.md")
	if err := os.WriteFile(name, []byte("before\n"+begin+"\nold\n"+end+"\nafter\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := result{set: "questions", backing: "embedded", all: means{ndcg: .9174}, by: map[string]means{"": {}, "category symbol": {ndcg: .98}}, shown: 9, relevant: 1}
	o := r
	o.backing, o.same = "Redis", .995
	if err := replace(name, tables([]result{r, o})); err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(name)
	for _, want := range []string{"before\n" + begin, "| **contextd**, embedded | .917 |", "symbol .980", "order on Redis: 99.5 %", ".866", end + "\nafter\n"} {
		if !strings.Contains(string(got), want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(string(got), "old") {
		t.Error("what was there is kept")
	}
	if err := replace(filepath.Join("testdata", "scorecard.json"), ""); err == nil {
		t.Error("a document without marks was written")
	}
}
