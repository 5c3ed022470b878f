package retrieve_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/rerank"
	"github.com/contextd/contextd/internal/retrieve"
)

// model is a second stage.
type model func(question string, list []rerank.Candidate) ([]int, error)

func (m model) Rerank(_ context.Context, question string, list []rerank.Candidate) ([]int, error) {
	return m(question, list)
}

func backwards(_ string, list []rerank.Candidate) (places []int, err error) {
	for i := range list {
		places = append(places, len(list)-1-i)
	}
	return places, nil
}

const moorings = "how do ships moor at the quay in a storm"

func quays(t *testing.T) *bench {
	files := map[string]string{}
	for i := range 6 {
		files[fmt.Sprintf("quay%d.go", i)] = fmt.Sprintf(
			"package quay\n\n// Moor%d moors ships at the quay%s.\nfunc Moor%d() {}\n", i,
			strings.Repeat(" in a storm", i%3), i)
	}
	files["token.go"] = "package quay\n\n// ships moor at the quay in a storm\nconst key = \"" + "AKIA" +
		"IOSFODNN7ABCDEFG" + "\"\n"
	return setup(t, files)
}

func all(r *retrieve.Request) {
	r.Gates = gates.Options{MinRelevance: gates.NoThreshold, MaxResults: 20}
}

func TestASecondStageChangesTheOrderAndHandsOutTheSameRelevances(t *testing.T) {
	b := quays(t)
	before := b.ask(moorings, all)
	var told []rerank.Candidate
	b.set(func(o *retrieve.Options) {
		o.Reranker = model(func(q string, list []rerank.Candidate) ([]int, error) {
			told = list
			return backwards(q, list)
		})
	})
	after := b.ask(moorings, all)
	if !after.Reranked || after.RerankFault != "" || before.Reranked || len(told) < 2 {
		t.Fatalf("reranked %v and before %v, fault %q, %d told", after.Reranked, before.Reranked,
			after.RerankFault, len(told))
	}
	want := paths(before)
	slices.Reverse(want)
	if got := paths(after); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for i := range after.Results {
		if after.Results[i].Relevance != before.Results[i].Relevance ||
			after.Results[i].Grade != before.Results[i].Grade {
			t.Errorf("place %d: %v %s, want %v %s", i, after.Results[i].Relevance, after.Results[i].Grade,
				before.Results[i].Relevance, before.Results[i].Grade)
		}
	}
	for _, c := range told {
		if c.Path == "token.go" || strings.Contains(c.Text, "AKIA") || !strings.Contains(c.Text, "moors ships") {
			t.Errorf("told of %+v", c)
		}
	}
}

func TestASecondStageThatFailsChangesNothingAndIsSaid(t *testing.T) {
	b := quays(t)
	want := paths(b.ask(moorings, all))
	for _, c := range []struct {
		places []int
		err    error
		fault  retrieve.RerankFault
	}{
		{nil, rerank.ErrUnavailable, retrieve.RerankUnavailable}, {nil, rerank.ErrLate, retrieve.RerankLate},
		{nil, rerank.ErrReply, retrieve.RerankBadReply},
		{[]int{0, 0}, nil, retrieve.RerankBadReply}, {[]int{7}, nil, retrieve.RerankBadReply},
	} {
		b.set(func(o *retrieve.Options) {
			o.Reranker = model(func(string, []rerank.Candidate) ([]int, error) { return c.places, c.err })
		})
		if r := b.ask(moorings, all); r.Reranked || r.RerankFault != c.fault || r.Status != retrieve.OK ||
			!slices.Equal(paths(r), want) {
			t.Errorf("%v, %v: %q, %s %v, want %q and %v", c.places, c.err, r.RerankFault, r.Status, paths(r),
				c.fault, want)
		}
	}
}

func TestASecondStageNeverSeesASecretOfTheQuestion(t *testing.T) {
	b := quays(t)
	b.set(func(o *retrieve.Options) {
		o.Reranker = model(func(q string, list []rerank.Candidate) ([]int, error) {
			if strings.Contains(q, "AKIA") {
				t.Errorf("told %q", q)
			}
			return backwards(q, list)
		})
	})
	if r := b.ask(moorings+" with "+"AKIA"+"IOSFODNN7ABCDEFG", all); !r.Reranked {
		t.Error("not reranked")
	}
}
